"""CF12x and CF13x: schemas. CF14x: patterns."""

from counterfoil.findings.finding import WARNING
from counterfoil.findings.rule import Rule

SCHEMAS = (
    Rule(
        code="CF120",
        title="schema is not valid JSON Schema 2020-12",
        why="MCP demands a valid schema (server/tools); clients drop the tool or the whole list.",
        example='`"type": "strnig"`, `"required": "name"`, `"minLength": -1`',
        mend="Correct the value at the place that the finding names.",
    ),
    Rule(
        code="CF121",
        title="schema names another dialect, or names one where it must not",
        why="Everything here is read as 2020-12. The root of a tool's schema may name draft-07 or "
        "2019-09, as some libraries always do, as long as nothing in it means something else "
        "there. Below a root, `$schema` has no meaning without `$id`.",
        example='`"$schema": "http://json-schema.org/draft-07/schema#"` and `dependencies`.',
        mend="Translate the schema to 2020-12 and take `$schema` out.",
    ),
    Rule(
        code="CF122",
        title="reference leads out of the contract",
        why="A client must not fetch it (MCP, basic/index, $ref resolution) and should reject "
        "the schema; whoever controls the address would control the tool.",
        example='`{"$ref": "https://example.com/wager.json"}`',
        mend='Copy the schema into `$defs` and write `{"$ref": "#/$defs/Name"}`.',
    ),
    Rule(
        code="CF123",
        title="reference leads nowhere",
        why="Validators fail on the first call, and generators make a class that takes anything.",
        example='`{"$ref": "#/$defs/Wagr"}`, or `{"$ref": "#"}` in a shared schema, where `#` is '
        "the schema of whoever uses it.",
        mend="Refer to a schema that is there: `#/$defs/Name`, or a place in the same schema.",
    ),
    Rule(
        code="CF124",
        title="keyword does not survive bundling",
        why="A tool's schema is served with the shared schemas it needs in its own `$defs`. "
        "`$id` and anchors would then mean something else than in the contract, and dynamic "
        "references have no meaning that generated code could hold.",
        example='`"$id": "wager"`, `"$anchor": "wager"`, `"$dynamicRef": "#node"`',
        mend='Use `$defs` and `{"$ref": "#/$defs/Name"}`.',
    ),
    Rule(
        code="CF125",
        title="keyword has no effect",
        why="2020-12 passes over keywords that it does not know, so the schema accepts more than "
        "its author thinks.",
        example='`"nullable": true`, `"minLenght": 3`, `"dependencies": {…}`',
        mend="Use the keyword of 2020-12; a keyword of your own begins with `x-`.",
        severity=WARNING,
    ),
    Rule(
        code="CF126",
        title="local schema hides a shared one",
        why="`#/$defs/Name` would mean one schema in this tool and another in all others.",
        example="A tool whose `inputSchema` has `$defs/Wager`, beside `$defs/Wager` of the "
        "contract.",
        mend="Rename the local schema, or use the shared one.",
    ),
    Rule(
        code="CF127",
        title="schema is too deep or too large",
        why="Clients bound the depth and the number of subschemas that they validate (MCP, "
        "basic/index, $ref resolution) and drop a tool beyond their bounds.",
        example="More than 32 levels, or more than 2,000 subschemas with those it refers to.",
        mend="Split the tool, or take less and look closer at the next call.",
    ),
    Rule(
        code="CF128",
        title="references lead in a circle",
        why="A validator that follows them never comes to a keyword that judges the value.",
        example='`"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}`',
        mend="Put a property or items between the two, or say what the schema asks for.",
    ),
    Rule(
        code="CF129",
        title="default or example is refused by its own schema",
        why="A model copies it and the call fails; a server that fills in the default calls "
        "itself with arguments it would refuse.",
        example='`{"type": "integer", "maximum": 200, "default": 500}`',
        mend="Correct the value or the schema.",
    ),
    Rule(
        code="CF130",
        title="title cannot name a class",
        why="Generators name the class of a nested object by its title. Where two objects of one "
        "tool differ and share it, or it is a word of Python, the class gets a number instead, "
        "which moves when something else does.",
        example='Two different objects with `"title": "Filter"` in one tool.',
        mend="Give each its own title, or make them one schema in `$defs`.",
    ),
    Rule(
        code="CF131",
        title="x-mcp-header is no name for a header",
        why="A client drops the tool (MCP 2026-07-28, server/tools, x-mcp-header): the value "
        "becomes part of a header's name, and must be unique in the tool, whatever its case.",
        example='`"x-mcp-header": "chain id"`, or `Chain` and `chain` on two properties.',
        mend="Write a token of RFC 9110 that no other property of the tool has.",
    ),
    Rule(
        code="CF132",
        title="x-mcp-header on an argument that no header can carry",
        why="Only a string, an integer and a boolean have one form as a header; a client drops "
        "the tool otherwise (MCP 2026-07-28, custom headers).",
        example='`{"type": "number", "x-mcp-header": "Amount"}`',
        mend="Take the annotation away, or give the property one of the three types.",
    ),
    Rule(
        code="CF133",
        title="x-mcp-header where nobody reads it",
        why="It counts only on properties that `properties` alone lead to, in an input schema; "
        "a client drops the tool otherwise (MCP 2026-07-28, custom headers).",
        example="The annotation inside `items`, `oneOf` or a shared schema.",
        mend="Move the annotation, or take it away.",
    ),
    Rule(
        code="CF134",
        title="x-mcp-header on what is named like a secret",
        why="Headers are logged by proxies (MCP 2026-07-28, server/tools).",
        example='`"apiKey": {"type": "string", "x-mcp-header": "Key"}`',
        mend="Take the annotation away; credentials travel in Authorization.",
    ),
    Rule(
        code="CF135",
        title="shared tool asks for a credential, a person or a payment",
        why="Its arguments are written by a model and seen by whoever runs it. Who calls is said "
        "by the credential, which no model sees; an argument for it invites a swap. Names are read "
        "whole, too, since not everybody divides them, and so are patterns of names.",
        example='A tool with `"surfaces": ["assistant", "mcp"]` and a property `ownerAddress`, '
        "`accesstoken`, or a pattern property `^token$`.",
        mend="Take the property out, rename it if it means something else, or offer the tool on "
        "`mcp` only.",
    ),
    Rule(
        code="CF136",
        title="root of an output schema is no object",
        why="Revisions of MCP before 2026-07-28 allow only objects as structuredContent.",
        example='`"outputSchema": {"$ref": "#/$defs/Name"}` where `Name` is a string.',
        mend='Wrap the value in an object, or say `"type": "object"` in the shared schema.',
    ),
    Rule(
        code="CF137",
        title="no value satisfies a schema",
        why="A call that needs it cannot succeed, and an alternative that needs it is dead. "
        "Writing `false` says the same on purpose and is no finding.",
        example='`{"type": "integer", "minimum": 5, "maximum": 3}`',
        mend="Correct the keywords that exclude one another, or write `false`.",
    ),
    Rule(
        code="CF138",
        title="shared tool that model providers refuse",
        why="OpenAI and Anthropic refuse a request whose table holds such a tool, so that no tool "
        "of the table works.",
        example="A tool with `assistant` among its surfaces named `find.page`, with `oneOf` at the "
        "root of its input schema, or with an argument `chain id`.",
        mend="Change it, or offer the tool on `mcp` only.",
    ),
)

PATTERNS = (
    Rule(
        code="CF140",
        title="pattern is no regular expression",
        why="Validators refuse the whole schema.",
        example='`"pattern": "^(a|b$"`',
        mend="Correct the pattern at the offset that the finding names.",
    ),
    Rule(
        code="CF141",
        title="pattern is read differently by different engines",
        why="A client in TypeScript, a server in Python and a Pydantic model would accept "
        "different values, or one of them fails to load. JSON Schema recommends a common subset "
        "(core, 6.4).",
        example="`\\d`, `.`, `(?i)`, `(?=…)`, `\\p{L}`, `]` without a backslash. `$` is no "
        "finding: our judges take it for the very end, as ECMAScript does.",
        mend="Write the form that all engines share.",
    ),
    Rule(
        code="CF142",
        title="pattern of a parameter is not anchored",
        why="It then matches any value that has a matching part; `^a|b$` means (^a) or (b$).",
        example='`"pattern": "[0-9]+"`, `"pattern": "^native|0x[0-9a-f]{40}$"`',
        mend="Write `^(?:…)$` around the whole pattern.",
    ),
    Rule(
        code="CF143",
        title="path parameter can leave its segment",
        why="`..` survives percent-encoding and is collapsed by URL parsers, so a call is steered "
        "to another route; a slash or a backslash does so on some servers.",
        example='`"pattern": "^[^?#]*$"`, `"pattern": "^[a-z0-9.]+$"`',
        mend="Name the characters that are meant, and ask for one that is not a dot.",
    ),
    Rule(
        code="CF144",
        title="pattern can take far too long",
        why="Python and ECMAScript try every way in which a loop can divide a value, and the ways "
        "double with each repetition: forty characters can hold a server for hours. Loops side by "
        "side over the same characters cost a power of the length, which is no finding where "
        "maxLength is 256 or less. MCP asks to bound the time of validation (basic/index).",
        example='`"pattern": "^([a-z]+)*$"`, `"pattern": "^(a|ab|b)*$"`, '
        '`"pattern": "^[a-z]*[a-z0-9]*x$"`',
        mend="Let each round of a loop begin or end with what nothing else in it can match, as in "
        "`^[a-z]+(-[a-z]+)*$`.",
    ),
)

RULES = (*SCHEMAS, *PATTERNS)
