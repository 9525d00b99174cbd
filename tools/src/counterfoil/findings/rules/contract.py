"""CF1xx: what is wrong with a contract."""

from counterfoil.findings.finding import WARNING
from counterfoil.findings.rule import Rule
from counterfoil.findings.rules import calls, cases, distribution, schemas, surfaces

_READING = (
    Rule(
        code="CF101",
        title="contract is not JSON",
        why="Nothing can be generated from a file that cannot be read the same way everywhere.",
        example="A trailing comma, a comment, `NaN`, or bytes that are not UTF-8.",
        mend="Correct the file at the place that the finding names.",
    ),
    Rule(
        code="CF102",
        title="key is given twice in one object",
        why="Readers differ in which of the two they keep, so two people read two contracts.",
        example='`{"title": "A", "title": "B"}`',
        mend="Keep one of the two.",
    ),
    Rule(
        code="CF103",
        title="contract breaks its grammar",
        why="The grammar (contract.schema.json) is what the generators rely on.",
        example='`"binding": "sdk"` where mcp, snapshot or wrapper is expected.',
        mend="Change the value as the message says; an editor that reads `$schema` shows it live.",
    ),
    Rule(
        code="CF104",
        title="nested object has no title",
        why="Its class would be named after its position, and move when something else does.",
        example='A property `filter` with `"type": "object"` and `properties` but no `title`.',
        mend='Add a `"title"` in PascalCase, or move the schema to `$defs`.',
    ),
    Rule(
        code="CF105",
        title="contract is not in its canonical form",
        why="One form means one hash, and a diff that shows only what was changed.",
        example="Keys that are not sorted, tools that are not sorted by name, other indentation.",
        mend="Run `counterfoil validate --fix`.",
    ),
    Rule(
        code="CF106",
        title="text has a character that some target cannot hold",
        why="A lone surrogate is no Unicode text, a NUL ends a string in many programs, and a "
        "bidirectional control makes text read otherwise than it runs (Trojan Source). Tags, "
        "zero-width spaces, soft hyphens, fillers and rows of variation selectors carry "
        "instructions to a model past the person who reviews the text; flags that are spelled with "
        "tags, as Scotland's, go with them. U+200C and U+200D stay between letters of scripts that "
        "join, Arabic and those of India for instance, and between emoji.",
        example='`"description": "\\ud800"`, or U+200B, or U+200D in an English word.',
        mend="Remove the character.",
    ),
    Rule(
        code="CF107",
        title="something that is offered has no description or no title",
        why="MCP lets servers leave them out. A model then chooses by the name alone, and people "
        "are shown it instead of words.",
        example='A tool `{"name": "run", …}` without `description`.',
        mend="Give it a title of a few words for people, and a description that tells a model what "
        "it does, when to use it, and what comes back.",
        severity=WARNING,
    ),
)

RULES: tuple[Rule, ...] = (
    *_READING,
    *surfaces.RULES,
    *schemas.RULES,
    *calls.RULES,
    *cases.RULES,
    *distribution.RULES,
)
