"""CF18x: example calls and results."""

from counterfoil.findings.rule import Rule

RULES = (
    Rule(
        code="CF180",
        title="case file cannot be read the same way everywhere",
        why="Every implementation reads the cases, in whatever language.",
        example="A trailing comma, a key given twice, bytes that are not UTF-8.",
        mend="Correct the file at the place that the finding names.",
    ),
    Rule(
        code="CF181",
        title="case file breaks its grammar",
        why="The grammar (cases.schema.json) is what the tests of every implementation rely on.",
        example="A refused call without `because`.",
        mend="Change the value as the message says.",
    ),
    Rule(
        code="CF182",
        title="tool has no cases",
        why="Nothing holds its implementations to its schema.",
        example="A new tool `get_fees` without `fairwins/get_fees.json` in the folder of cases.",
        mend="Write the file: accepted and refused calls.",
    ),
    Rule(
        code="CF183",
        title="tool has too few calls among its cases",
        why="Fewer than six leave bounds and types untried.",
        example="One accepted and one refused call.",
        mend="Add calls at the bounds of each argument, with wrong types and unknown names.",
    ),
    Rule(
        code="CF184",
        title="tool has only accepted or only refused calls",
        why="An implementation that accepts everything, or nothing, would pass.",
        example='`"refused": []`',
        mend="Add a call of the other kind.",
    ),
    Rule(
        code="CF185",
        title="two cases have the same name",
        why="A failing test is looked up by its case's name.",
        example='Two accepted calls named "one chain".',
        mend="Rename one of the two.",
    ),
    Rule(
        code="CF186",
        title="accepted case is refused by the schema",
        why="Case and schema say different things; servers follow the one, tests the other.",
        example='`{"chainId": "137"}` among the accepted calls where an integer is asked.',
        mend="Correct the case or the schema.",
    ),
    Rule(
        code="CF187",
        title="refused case is accepted by the schema",
        why="The schema lets through what its author wanted to refuse.",
        example='`{"first": 201}` among the refused calls where the schema has no maximum.',
        mend="Make the schema stricter, or move the case.",
    ),
    Rule(
        code="CF188",
        title="results without an output schema",
        why="There is nothing that they could agree or disagree with.",
        example="`results` for a tool that has no `outputSchema`.",
        mend="Declare the `outputSchema`, or take `results` out.",
    ),
    Rule(
        code="CF189",
        title="case file belongs to no tool",
        why="Its cases are never tried, and look as if they were.",
        example="`fairwins/get_fee.json` after the tool was renamed to `get_fees`.",
        mend="Rename the file after its tool, or remove it.",
    ),
)
