"""CF49x: the file of changes that people have accepted."""

from counterfoil.findings.rule import Rule

RULES = (
    Rule(
        code="CF495",
        title="an accepted change is not there",
        why="What is accepted and matches nothing hides the next change that looks like it, and "
        "reviewers read entries that mean nothing. It is so as soon as a change has been merged "
        "into what is compared with.",
        example="The accepted removal of `search` was merged, and main does not have it either.",
        mend="Run `counterfoil accept --prune`, or compare with the edition that it was meant for.",
        severity="warning",
    ),
    Rule(
        code="CF496",
        title="a change was accepted until a day that has passed",
        why="Somebody meant to come back to it, and the change counts again.",
        example='`"until": "2026-01-31"`, and it is February.',
        mend="Take the change back, or accept it again with a later day and a reason.",
    ),
)
