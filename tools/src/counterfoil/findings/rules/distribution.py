"""CF19x: how people get a server, as directories and desktop clients are told."""

from counterfoil.findings.rule import Rule

RULES = (
    Rule(
        code="CF190",
        title="value that a user gives is named like a credential and is not marked as one",
        why="Directories and clients ask for a secret in another way than for a setting: they hide "
        "it while it is typed, and keep it where other programs do not read it. What is not "
        "marked lands in a file in the open.",
        example='`{"name": "WEATHER_API_KEY", "title": "Key", …}` without `"secret": true`.',
        mend='Add `"secret": true`, or `"format": "filepath"` where it names a file. A flag cannot '
        "hold a secret: take a variable.",
    ),
    Rule(
        code="CF191",
        title="value that a user gives is declared twice",
        why="A client asks for it twice and hands on one of the two; which one is chance.",
        example="Two variables `WEATHER_KEY`, or a variable that is also the `file` of another.",
        mend="Remove one of the two.",
    ),
)
