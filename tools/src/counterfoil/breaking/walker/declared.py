"""What a schema names and tells, by where in a value it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from counterfoil.breaking.walker.nodes import Located, Node, Reader
from counterfoil.contract.canonical import compact
from counterfoil.schema.keywords import LIST, MAP, ONE

_DEEPEST = 12
_STEPS = (
    (".*", ("additionalProperties", "unevaluatedProperties")),
    ("[]", ("items", "unevaluatedItems", "contains")),
    ("", ("else", "if", "then")),
)
_HOLDING = (ONE | LIST | MAP) - {"properties"}
_LISTS = ("anyOf", "oneOf")


def declared(reader: Reader, located: Located) -> frozenset[str]:
    """Return the places of all declared members, such as ``rows[].id``, alternatives together.

    Recursive schemas are followed once.
    """
    found: set[str] = set()
    _collect(reader, located, "", frozenset(), found)
    return frozenset(found)


@dataclass
class Told:
    """What a schema tells its readers about one place of a value.

    Attributes:
        pointer: where the place is described first.
        typed: whether a class is made for it, named after its title.
        notes: by keyword, each value as compact JSON with the value and where it stands.
    """

    pointer: str
    typed: bool = False
    notes: dict[str, dict[str, tuple[Any, str]]] = field(
        default_factory=dict[str, dict[str, tuple[Any, str]]]
    )


def told(reader: Reader) -> dict[str, Told]:
    """Return what a schema tells, by place; the root is the empty text."""
    found: dict[str, Told] = {}
    _listen(reader, Located(reader.root, ""), "", frozenset(), found)
    return found


def _listen(
    reader: Reader, located: Located, at: str, seen: frozenset[str], found: dict[str, Told]
) -> None:
    if isinstance(located.schema, bool) or len(seen) > _DEEPEST:
        return
    node = reader.node(located)
    entry = found.setdefault(at, Told(located.pointer))
    entry.typed = entry.typed or bool(node.members)
    for keyword, value, pointer in node.notes:
        entry.notes.setdefault(keyword, {}).setdefault(compact(value), (value, pointer))
    key = node.places.get("properties", located.pointer)
    if key in seen:
        return
    for step, each in parts(reader, node):
        _listen(reader, each, at + step, seen | {key}, found)


def parts(reader: Reader, node: Node) -> Iterator[tuple[str, Located]]:
    """Yield the places inside a node, each with its step: ``.name``, ``[]`` or nothing."""
    for name, each in sorted(node.members.items()):
        yield f".{name}", each
    if not node.facets.keys() & _HOLDING:
        yield from (("", each) for each in node.conjuncts)
        return
    for name, each in sorted(node.mapped("patternProperties").items()):
        yield f".{name}", each
    for step, keywords in _STEPS:
        yield from ((step, node.one(keyword)) for keyword in keywords if keyword in node.facets)
    for index, each in enumerate(node.several("prefixItems")):
        yield f"[{index}]", each
    same = [*node.mapped("dependentSchemas").values(), *node.conjuncts]
    same += [each for keyword in _LISTS for each in node.several(keyword)]
    yield from (("", each) for each in same)


def _collect(
    reader: Reader, located: Located, at: str, seen: frozenset[str], found: set[str]
) -> None:
    if isinstance(located.schema, bool) or len(seen) > _DEEPEST:
        return
    node = reader.node(located)
    key = node.places.get("properties", located.pointer)
    if key in seen:
        return
    found.update(f"{at}.{name}" for name in node.members)
    for step, each in parts(reader, node):
        _collect(reader, each, at + step, seen | {key}, found)
