"""Say why a schema refuses a value, as near to what changed as can be told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from counterfoil.breaking.walker.gaps import MEMBERS, Gap
from counterfoil.contract.source import escape
from counterfoil.schema.sentences import sentence

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

# What tells alternatives apart; a value that fails none of these is meant for the alternative.
_TELLING = frozenset({"const", "enum", "required", "type"})


def reasons(judge: Validator, value: Any) -> list[tuple[str, str]]:
    """Return ``(pointer into the value, sentence)`` for each way in which it is refused.

    Where the value is clearly meant for one of several alternatives, the reasons are those of
    this one.
    """
    found = (leaf for error in judge.iter_errors(value) for leaf in _leaves(error))
    return sorted({(_pointer(error), sentence(error)) for error in found})


def chosen(told: list[tuple[str, str]], gap: Gap | None) -> str:
    """Return the reason that is about a gap, or the first, as one clause."""
    depth = 0
    if gap is not None:
        depth = sum(step.kind in ("item", "member") for step in gap.route.steps)
        depth -= gap.sort in MEMBERS
    named = [each for each in told if gap is not None and gap.name and gap.name in each[1]]
    at = [each for each in named or told if each[0].count("/") == depth]
    pointer, words = (at or named or told)[0]
    return f"{pointer[1:].replace('/', '.')} {words}".strip()


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    meant = [
        each
        for each in branches.values()
        if not any(str(inner.validator) in _TELLING for inner in each)
    ]
    if str(error.validator) not in ("anyOf", "oneOf") or len(branches) < 2 or len(meant) != 1:
        yield error
        return
    for inner in meant[0]:
        yield from _leaves(inner)


def _pointer(error: ValidationError) -> str:
    return "".join(f"/{escape(str(token))}" for token in error.absolute_path)
