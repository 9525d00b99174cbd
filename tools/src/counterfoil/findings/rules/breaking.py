"""CF4xx: what a change of the contract means for those who rely on it."""

from counterfoil.findings.rule import Rule

RULES = (
    Rule(
        code="CF401",
        title="something that callers use is gone",
        why="Whoever calls it gets an error, at once and without a warning.",
        example="The tool `search` was taken out of the contract.",
        mend="Keep it, mark it `deprecated` with a date and a replacement, and remove it then.",
    ),
    Rule(
        code="CF410",
        title="a call needs an argument that it did not need",
        why="Every call that worked before without it is refused now.",
        example='`"region"` was added to `required`.',
        mend="Make it optional, with a default that keeps the old meaning.",
    ),
    Rule(
        code="CF480",
        title="something was added",
        why="Nobody who worked before notices; it is listed so that a release can name it.",
        example="A tool `export` is new.",
        mend="Nothing: this is what a minor version is for.",
        severity="warning",
    ),
)
