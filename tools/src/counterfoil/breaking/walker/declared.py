"""The members that a schema names, wherever in a value they are."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.breaking.walker.nodes import Located, Node, Reader

_DEEPEST = 12
_SAME = ("else", "if", "then")
_LISTS = ("anyOf", "oneOf")


def declared(reader: Reader, located: Located) -> frozenset[str]:
    """Return the places of all declared members, such as ``rows[].id``, alternatives together.

    Recursive schemas are followed once.
    """
    found: set[str] = set()
    _collect(reader, located, "", frozenset(), found)
    return frozenset(found)


def parts(reader: Reader, node: Node) -> Iterator[tuple[str, Located]]:
    """Yield the places inside a node, each with its step: ``.name``, ``[]`` or nothing."""
    for name, each in sorted(node.members.items()):
        yield f".{name}", each
    for keyword in ("patternProperties", "dependentSchemas"):
        for name, each in sorted(node.mapped(keyword).items()):
            yield (f".{name}" if keyword == "patternProperties" else ""), each
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        yield ".*", node.one(keyword)
    for index, each in enumerate(node.several("prefixItems")):
        yield f"[{index}]", each
    for keyword in ("items", "unevaluatedItems", "contains"):
        yield "[]", node.one(keyword)
    for keyword in _SAME:
        yield "", node.one(keyword)
    for keyword in _LISTS:
        for each in node.several(keyword):
            yield "", each
    for each in node.conjuncts:
        yield "", each


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
