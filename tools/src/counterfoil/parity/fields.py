"""Compare entries of a surface field by field, by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.canonical import compact
from counterfoil.contract.excerpts import contrasted
from counterfoil.contract.values import is_object, items, members
from counterfoil.schema.semantics import differences, equal

# MCP 2025-03-26 and later, ToolAnnotations: the values of hints that are left out.
HINT_DEFAULTS: Mapping[str, bool] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
_SCHEMAS = frozenset({"inputSchema", "outputSchema"})
_LONGEST = 120  # characters of a value in a sentence
_KEYS = ("uri", "uriTemplate", "name")


@dataclass(frozen=True)
class FieldDifference:
    """One field that differs.

    Attributes:
        field: its name, and for a schema the place inside it, as a pointer without the
            leading slash.
        what: a clause for people.
    """

    field: str
    what: str


def by_name(entries: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return entries by what identifies them; of several with one name, the last."""
    return {name_of(entry): entry for entry in entries}


def name_of(entry: Mapping[str, Any]) -> str:
    """Return an entry's URI, URI template or name, or the empty string."""
    return next((str(entry[key]) for key in _KEYS if key in entry), "")


def field_differences(
    ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> Iterator[FieldDifference]:
    """Yield the fields in which two entries differ in meaning, whichever of them has the field.

    Args:
        ours: the entry as the contract has it.
        theirs: the entry as found.
    """
    for field in sorted(ours.keys() | theirs.keys()):
        mine, other = ours.get(field), theirs.get(field)
        if field in _SCHEMAS and is_object(mine) and is_object(other):
            for each in differences(mine, other):
                yield FieldDifference(f"{field}{each.pointer}", f"{field}: {each.what}")
        elif not equal(_settled(field, mine), _settled(field, other)):
            yield FieldDifference(field, _clause(field, mine, other))


def _settled(field: str, value: Any) -> Any:
    """Return a value with the protocol's defaults written out."""
    if field == "annotations":
        return {**HINT_DEFAULTS, **members(value)}
    if field == "arguments":
        return [
            {"required": False, **{k: v for k, v in members(entry).items() if v != ""}}
            for entry in items(value)
        ]
    # An empty text or list tells a client as much as none.
    if field in ("_meta", "description", "icons", "title") and not value:
        return None
    return value


def _clause(field: str, ours: Any, theirs: Any) -> str:
    mine, other = contrasted(_shown(ours), _shown(theirs), _LONGEST)
    return f"{field} is {mine} in the contract and {other} there"


def _shown(value: Any) -> str:
    return "missing" if value is None else compact(value)
