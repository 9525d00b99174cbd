"""A node: everything that one place of a schema asks of a value, whatever way it is written.

References are in place, and what ``allOf`` adds is merged where merging cannot change the
meaning. Each keyword keeps the place that it was written at.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from counterfoil.contract.canonical import compact
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object, items, members, text
from counterfoil.schema.refs import DanglingReference, follow
from counterfoil.schema.semantics import equal
from counterfoil.schema.walk import subschemas

# Keywords that decide about values; what is neither known nor silent tells its readers something.
ASSERTIONS = frozenset(
    {
        "additionalProperties", "anyOf", "const", "contains", "dependentRequired",
        "dependentSchemas", "else", "enum", "exclusiveMaximum", "exclusiveMinimum", "if", "items",
        "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains",
        "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf",
        "pattern", "patternProperties", "prefixItems", "properties", "propertyNames", "required",
        "then", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
    }
)  # fmt: skip
_SILENT = frozenset(
    {"$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "definitions", "$schema"}
)
# What leaving a keyword out says, too.
_IDLE: Mapping[str, tuple[Any, ...]] = {
    "additionalProperties": (True, {}),
    "allOf": ([],),
    "dependentRequired": ({},),
    "dependentSchemas": ({},),
    "else": (True, {}),
    "items": (True, {}),
    "minItems": (0,),
    "minLength": (0,),
    "minProperties": (0,),
    "not": (False,),
    "patternProperties": ({},),
    "prefixItems": ([],),
    "propertyNames": (True, {}),
    "required": ([],),
    "then": (True, {}),
    "unevaluatedItems": (True, {}),
    "unevaluatedProperties": (True, {}),
    "uniqueItems": (False,),
}
# Where `unevaluated…` stands anywhere, these say that something was looked at.
_EVALUATING = frozenset(
    {"additionalProperties", "items", "unevaluatedItems", "unevaluatedProperties"}
)
# Keywords that say what they say by the others beside them; two sets of them are two tests.
_GROUPS = (
    frozenset({"additionalProperties", "patternProperties", "properties"}),
    frozenset({"items", "prefixItems"}),
    frozenset({"contains", "maxContains", "minContains"}),
    frozenset({"else", "if", "then"}),
    frozenset({"unevaluatedItems", "unevaluatedProperties"}),
)
_LEAST = frozenset({"maxItems", "maxLength", "maxProperties", "maximum", "exclusiveMaximum"})
_MOST = frozenset({"minItems", "minLength", "minProperties", "minimum", "exclusiveMinimum"})
_DEEPEST = 40


@dataclass(frozen=True)
class Located:
    """A schema as written, and its pointer in its document."""

    schema: Any
    pointer: str


@dataclass
class Node:
    """What one place asks.

    Attributes:
        root: the whole schema, for references.
        pointer: where the place was written.
        facets: keywords with their values. Those that hold one schema or a list of them hold
            what was written.
        places: the pointer of every keyword.
        members: declared members by name.
        notes: what it tells its readers beside that: keyword, value and pointer, also where
            several schemas of one place say something different.
        conjuncts: what could not be merged.
        lost: references that lead nowhere that is known.
    """

    root: Any
    pointer: str
    facets: dict[str, Any] = field(default_factory=dict[str, Any])
    places: dict[str, str] = field(default_factory=dict[str, str])
    members: dict[str, Located] = field(default_factory=dict[str, Located])
    notes: list[tuple[str, Any, str]] = field(default_factory=list[tuple[str, Any, str]])
    conjuncts: list[Located] = field(default_factory=list[Located])
    lost: list[str] = field(default_factory=list[str])

    @property
    def declares(self) -> bool:
        """Say whether it names members, so that others are not expected."""
        return "properties" in self.facets

    def place(self, keyword: str) -> str:
        """Return the pointer of a keyword, or of the node where it is not there."""
        return self.places.get(keyword, self.pointer)

    def one(self, keyword: str, fallback: Any = True) -> Located:
        """Return the schema of a keyword that holds one."""
        return Located(self.facets.get(keyword, fallback), self.place(keyword))

    def several(self, keyword: str) -> list[Located]:
        """Return the schemas of a keyword that holds a list."""
        at = self.place(keyword)
        return [
            Located(each, f"{at}/{index}")
            for index, each in enumerate(items(self.facets.get(keyword)))
        ]

    def mapped(self, keyword: str) -> dict[str, Located]:
        """Return the schemas of a keyword that holds them by name."""
        at = self.place(keyword)
        return {
            name: Located(each, f"{at}/{escape(name)}")
            for name, each in members(self.facets.get(keyword)).items()
        }

    @property
    def assertions(self) -> dict[str, Any]:
        """Return the keywords that decide about values."""
        return {key: value for key, value in self.facets.items() if key in ASSERTIONS}

    @property
    def takes_nothing(self) -> bool:
        """Say whether it is written as the schema that takes nothing."""
        return self.facets.get("not") in (True, {})

    @property
    def signature(self) -> str:
        """Return a text that nodes share only if they are written the same."""
        inner = {name: each.schema for name, each in self.members.items()}
        return compact([self.assertions, inner, [each.schema for each in self.conjuncts]])


class Reader:
    """Read nodes of one schema, each once.

    Args:
        root: a schema that stands on its own.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        self._nodes: dict[str, tuple[Any, Node]] = {}
        self._anchors: dict[str, Located] | None = None

    @functools.cached_property
    def counts_evaluated(self) -> bool:
        """Say whether it matters anywhere what has been looked at."""
        return '"unevaluated' in compact(self.root)

    def node(self, located: Located) -> Node:
        """Return the node of a place."""
        known = self._nodes.get(located.pointer)
        if known is not None and known[0] is located.schema:
            return known[1]
        node = Node(self.root, located.pointer)
        self._merge(node, located, frozenset(), first=True)
        self._nodes[located.pointer] = located.schema, node
        return node

    def target(self, reference: str) -> Located | None:
        """Return what a reference leads to; ``None`` for what is not in the document."""
        if reference.startswith("#") and not reference.startswith("#/") and reference != "#":
            return self.anchors.get(reference[1:])
        try:
            return Located(follow(self.root, reference), reference[1:])
        except DanglingReference:
            return None

    @property
    def anchors(self) -> Mapping[str, Located]:
        """Return the places that anchors name."""
        if self._anchors is None:
            self._anchors = {
                text(node[key]): Located(node, pointer)
                for pointer, node in subschemas(self.root)
                if is_object(node)
                for key in ("$anchor", "$dynamicAnchor")
                if key in node
            }
        return self._anchors

    def _merge(
        self, node: Node, located: Located, seen: frozenset[str], *, first: bool = False
    ) -> None:
        schema = located.schema
        if schema is True or located.pointer in seen or len(seen) > _DEEPEST:
            return
        if not is_object(schema):
            node.facets["not"] = True
            node.places.setdefault("not", located.pointer)
            return
        kept = _EVALUATING if self.counts_evaluated else frozenset[str]()
        own = {
            key: value for key, value in schema.items() if key in kept or not _dropped(key, value)
        }
        if not first and not _mergeable(node, own):
            node.conjuncts.append(located)
            return
        seen = seen | {located.pointer}
        for key, value in own.items():
            if key not in ("$ref", "$dynamicRef", "allOf"):
                _take(node, key, value, f"{located.pointer}/{escape(key)}")
        for inner in self._inner(node, own, located.pointer):
            self._merge(node, inner, seen)

    def _inner(self, node: Node, own: dict[str, Any], pointer: str) -> Iterator[Located]:
        for key in ("$ref", "$dynamicRef"):
            reference = own.get(key)
            if isinstance(reference, str):
                target = self.target(reference)
                if target is None:
                    node.lost.append(reference)
                else:
                    yield target
        for index, each in enumerate(items(own.get("allOf"))):
            yield Located(each, f"{pointer}/allOf/{index}")


def _dropped(key: str, value: Any) -> bool:
    return key in _SILENT or any(equal(value, idle) for idle in _IDLE.get(key, ()))


def _mergeable(node: Node, own: Mapping[str, Any]) -> bool:
    """Say whether the keywords of two schemas in one place mean the same as one schema."""
    for group in _GROUPS:
        ours, theirs = node.facets.keys() & group, own.keys() & group
        if ours and theirs and (ours | theirs) != {"properties"}:
            return all(equal(node.facets.get(key), own.get(key)) for key in group)
    names = node.members.keys() & members(own.get("properties")).keys()
    if any(not equal(node.members[name].schema, own["properties"][name]) for name in names):
        return False
    if "unevaluatedProperties" in own or "unevaluatedItems" in own:
        return False  # inside a branch, it does not see what stands beside the branch
    return all(_agree(key, node.facets[key], own[key]) for key in node.facets.keys() & own.keys())


def _agree(key: str, ours: Any, theirs: Any) -> bool:
    if key not in ASSERTIONS or key in _LEAST | _MOST | {"properties", "required", "type"}:
        return True
    return equal(ours, theirs)


def _take(node: Node, key: str, value: Any, at: str) -> None:
    if key == "properties":
        for name, schema in members(value).items():
            node.members.setdefault(name, Located(schema, f"{at}/{escape(name)}"))
    if key not in ASSERTIONS:
        node.notes.append((key, value, at))
    ours: Any = node.facets.get(key)
    if key not in node.facets:
        node.facets[key] = True if key == "properties" else value
        node.places[key] = at
    elif key == "required":
        node.facets[key] = sorted({*items(ours), *items(value)})
    elif key == "type":
        both = types_of(ours) & types_of(value)
        node.facets[key] = sorted(both)
    elif (key in _LEAST and value < ours) or (key in _MOST and value > ours):
        node.facets[key] = value
        node.places[key] = at


# Keywords whose schemas may fail without the whole failing.
_BRANCHES = frozenset({"anyOf", "contains", "dependentSchemas", "if", "oneOf"})


def depends_on_branches(node: Node) -> bool:
    """Say whether what is left for ``unevaluated…`` depends on which schemas beside it hold."""
    if not node.facets.keys() & {"unevaluatedItems", "unevaluatedProperties"}:
        return False
    return bool(node.facets.keys() & _BRANCHES or node.conjuncts)


# JSON Schema has one type inside another; these do not overlap.
EVERY = frozenset({"array", "boolean", "fraction", "integer", "null", "object", "string"})


def types_of(value: Any) -> frozenset[str]:
    """Return disjoint types for the value of ``type``; ``number`` is two of them."""
    names: list[Any] = value if is_array(value) else [value]
    found: set[str] = set()
    for name in names:
        found |= {"integer", "fraction"} if name == "number" else {str(name)}
    return frozenset(found)


def kind_of(value: object) -> str:
    """Return the one of the disjoint types that a value has; 1.0 is an integer."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if value == int(value) else "fraction"
    if isinstance(value, str):
        return "string"
    return "array" if is_array(value) else "object" if is_object(value) else "null"
