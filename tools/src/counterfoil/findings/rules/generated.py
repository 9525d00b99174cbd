"""CF2xx: what is wrong with generated files."""

from counterfoil.findings.rule import Rule

RULES = (
    Rule(
        code="CF201",
        title="generated file is missing",
        why="Whoever imports the binding gets an import error, or an older copy from elsewhere.",
        example="A tool was added to the contract and `counterfoil generate` was not run.",
        mend="Run `counterfoil generate` and commit what it writes.",
    ),
    Rule(
        code="CF202",
        title="generated file is no longer planned",
        why="A binding of a tool that the contract does not have looks usable and is not.",
        example="A tool was removed from the contract and its model module stayed.",
        mend="Run `counterfoil generate`; it removes files whose header says that it made them.",
    ),
    Rule(
        code="CF203",
        title="generated file is stale",
        why="The contract says one thing and the binding another; callers follow the binding.",
        example="An argument was added to a tool and the model still lacks it.",
        mend="Run `counterfoil generate` and commit what it writes.",
    ),
    Rule(
        code="CF204",
        title="generated file was edited by hand",
        why="The next generation overwrites it, and until then the contract is not the truth.",
        example="A field was made optional in a generated model.",
        mend="Make the change in the contract, then run `counterfoil generate`.",
    ),
    Rule(
        code="CF205",
        title="a file that we did not make stands where a generated file goes",
        why="Overwriting it would lose somebody's work, so `generate` leaves it alone.",
        example="A hand-written `models/__init__.py` in an output folder.",
        mend="Move the file away or choose another output path, then run `counterfoil generate`.",
    ),
)
