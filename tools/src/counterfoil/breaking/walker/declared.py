"""What a schema names and tells, by where in a value it is."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from counterfoil.breaking.walker.nodes import Located, Node, Reader
from counterfoil.contract.canonical import compact
from counterfoil.schema.keywords import LIST, MAP, ONE

_DEEPEST = 12
# Places that are looked at. References within references multiply them; people write far fewer.
_MOST = 3_000
_STEPS = (
    (".*", ("additionalProperties", "unevaluatedProperties")),
    ("[]", ("items", "unevaluatedItems", "contains")),
    ("", ("else", "if", "then")),
)
_HOLDING = (ONE | LIST | MAP) - {"properties"}
_LISTS = ("anyOf", "oneOf")


def declared(reader: Reader, located: Located) -> frozenset[str] | None:
    """Return the places of all declared members, such as ``.rows[].id``, alternatives together.

    Recursive schemas are followed once. ``None`` is for one with too many places.
    """
    found: set[str] = set()
    for visits, (at, node) in enumerate(_visited(reader, located)):
        if visits >= _MOST:
            return None
        found.update(f"{at}.{name}" for name in node.members)
    return frozenset(found)


def _visited(reader: Reader, located: Located) -> Iterator[tuple[str, Node]]:
    """Yield the nodes of a schema with their places, breadth first."""
    pending: deque[tuple[Located, str, frozenset[str]]] = deque([(located, "", frozenset())])
    while pending:
        each, at, seen = pending.popleft()
        if isinstance(each.schema, bool) or len(seen) > _DEEPEST:
            continue
        node = reader.node(each)
        yield at, node
        key = node.places.get("properties", each.pointer)
        if key not in seen:
            inner = seen | {key}
            pending.extend((part, at + step, inner) for step, part in parts(reader, node))


@dataclass
class Note:
    """One value of a keyword at one place.

    Attributes:
        value: what is told.
        pointer: where it stands first.
        count: how many of the alternatives of the place tell it.
    """

    value: Any
    pointer: str
    count: int = 0


@dataclass
class Told:
    """What a schema tells its readers about one place of a value.

    Attributes:
        pointer: where the place is described first.
        typed: whether a class is made for it, named after its title.
        alternatives: how many schemas describe it.
        notes: by keyword, each value as compact JSON with what is told.
    """

    pointer: str
    typed: bool = False
    alternatives: int = 0
    notes: dict[str, dict[str, Note]] = field(default_factory=dict[str, dict[str, "Note"]])


def told(reader: Reader) -> dict[str, Told]:
    """Return what a schema tells, by place; the root is the empty text.

    Of a schema with too many places, what the first of them tell.
    """
    found: dict[str, Told] = {}
    for at, node in itertools.islice(_visited(reader, Located(reader.root, "")), _MOST):
        entry = found.setdefault(at, Told(node.pointer))
        entry.typed = entry.typed or bool(node.members)
        entry.alternatives += 1
        own = {(keyword, compact(value)): (value, at) for keyword, value, at in node.notes[::-1]}
        for (keyword, key), (value, pointer) in own.items():
            entry.notes.setdefault(keyword, {}).setdefault(key, Note(value, pointer)).count += 1
    return found


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
