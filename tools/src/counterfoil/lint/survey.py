"""Every schema of a contract and every subschema in it, walked at most once for all rules."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from counterfoil.contract.model import Contract, Part, Server
from counterfoil.contract.source import escape
from counterfoil.contract.values import items, members
from counterfoil.schema.keywords import LIST, MAP, ONE
from counterfoil.schema.refs import shared_names, unescape

# MCP asks for a bound on what a client has to validate and names none. People's schemas stay
# below 10 and 200; these leave room, and keep every recursive reader far from its limit.
DEEPEST = 32
LARGEST = 2000

_SHARED = "#/$defs/"

Role: TypeAlias = Literal["shared", "input", "output", "body", "response", "query", "answer"]

# Subschemas under these keywords judge a value and never become a class of their own.
_CLASSLESS = frozenset(
    {
        "contains",
        "contentSchema",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)


@dataclass(frozen=True, slots=True)
class Node:
    """One subschema.

    Attributes:
        pointer: into the contract.
        data: the subschema; an empty object for ``true``, ``false`` and what is no schema.
        keyword: the keyword that holds it; empty for a root.
        name: its key or index under that keyword; empty where there is none.
        depth: how many schemas it lies in.
        plain: whether only ``properties`` lead to it.
        classy: whether generators make classes where it stands.
    """

    pointer: str
    data: dict[str, Any]
    keyword: str
    name: str
    depth: int
    plain: bool
    classy: bool


@dataclass(frozen=True)
class Place:
    """One schema of a contract.

    Attributes:
        pointer: into the contract.
        schema: as the author wrote it.
        role: what it is for.
        owner: the tool or route; ``None`` for a shared schema.
    """

    pointer: str
    schema: Any
    role: Role
    owner: Part | None

    @functools.cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Return all subschemas, the root first.

        Of a schema beyond the bounds, up to the first that is deeper than ``DEEPEST`` or more
        than ``LARGEST``.
        """
        return tuple(_nodes(self.schema, self.pointer))

    @property
    def name(self) -> str:
        """Return the last token of the pointer: a shared schema's name."""
        return self.pointer.rpartition("/")[2]

    @functools.cached_property
    def own(self) -> Mapping[str, Any]:
        """Return the schemas that it defines for itself."""
        return {} if self.role == "shared" else members(members(self.schema).get("$defs"))

    @functools.cached_property
    def pointers(self) -> frozenset[str]:
        """Return the pointers of all subschemas."""
        return frozenset(node.pointer for node in self.nodes)

    @functools.cached_property
    def references(self) -> tuple[tuple[Node, str], ...]:
        """Return every ``$ref`` that is a string, with the subschema that holds it."""
        return tuple(
            (node, node.data["$ref"])
            for node in self.nodes
            if isinstance(node.data.get("$ref"), str)
        )


class Survey:
    """The schemas of a contract, in its order."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.shared = {
            name: Place(f"/$defs/{escape(name)}", schema, "shared", None)
            for name, schema in contract.defs.items()
        }
        self._needed: dict[str, tuple[Place, ...]] = {}
        self.places = (*self.shared.values(), *_owned(contract))

    @functools.cached_property
    def by_owner(self) -> Mapping[str, tuple[Place, ...]]:
        """Return the places of each tool and route, by the owner's pointer."""
        found: dict[str, list[Place]] = {}
        for place in self.places:
            if place.owner is not None:
                found.setdefault(place.owner.pointer, []).append(place)
        return {pointer: tuple(places) for pointer, places in found.items()}

    def place(self, owner: Part, role: Role) -> Place | None:
        """Return a tool's or route's schema, or ``None``."""
        places = self.by_owner.get(owner.pointer, ())
        return next((place for place in places if place.role == role), None)

    def standalone(self, place: Place) -> Any:
        """Return a place's schema with what it needs of the contract in its ``$defs``.

        Unlike a tool's served schema it gets no ``"type": "object"`` at its root: that is what
        rules look for, and other schemas than a tool's may be of any type.
        """
        needed = self.needed(place)
        if not needed:
            return place.schema
        shared = {each.name: each.schema for each in needed}
        return {**members(place.schema), "$defs": {**shared, **place.own}}

    def needed(self, place: Place) -> tuple[Place, ...]:
        """Return the shared schemas that a schema needs, directly or not, sorted by name."""
        known = self._needed.get(place.pointer) if self.shared else ()
        if known is None:
            known = self._needed[place.pointer] = self._reached(place)
        return known

    def leads(self, place: Place, reference: str) -> str:
        """Return the contract's pointer to where a local reference of a place leads."""
        name = reference.removeprefix(_SHARED).split("/")[0]
        shared = reference.startswith(_SHARED) and unescape(name) not in place.own
        return reference[1:] if shared else f"{place.pointer}{reference[1:]}"

    def _reached(self, place: Place) -> tuple[Place, ...]:
        found: set[str] = set()
        pending = [place]
        while pending:
            for name in shared_names(pending.pop().schema) & self.shared.keys():
                if name not in found and name not in place.own:
                    found.add(name)
                    pending.append(self.shared[name])
        return tuple(self.shared[name] for name in sorted(found))


def _owned(contract: Contract) -> Iterator[Place]:
    for server in contract.servers:
        for tool in server.tools:
            yield Place(f"{tool.pointer}/inputSchema", tool.input_schema, "input", tool)
            if tool.output_schema is not None:
                yield Place(f"{tool.pointer}/outputSchema", tool.output_schema, "output", tool)
        for route in server.parts("routes"):
            yield from _of_route(route)
        yield from _of_server(server)


def _of_server(server: Server) -> Iterator[Place]:
    """Yield what every route of a server may answer instead of its result, or beside it."""
    if "errorBody" in server.data:
        pointer = f"{server.pointer}/errorBody"
        yield Place(pointer, server.data["errorBody"], "answer", None)
    for key, schema in members(server.data.get("payment")).items():
        yield Place(f"{server.pointer}/payment/{escape(key)}", schema, "answer", None)


def _of_route(route: Part) -> Iterator[Place]:
    if "body" in route.data:
        yield Place(f"{route.pointer}/body", route.data["body"], "body", route)
    if "response" in route.data:
        yield Place(f"{route.pointer}/response", route.data["response"], "response", route)
    for index, parameter in enumerate(items(route.data.get("queryParams"))):
        if "schema" in parameter:
            pointer = f"{route.pointer}/queryParams/{index}/schema"
            yield Place(pointer, parameter["schema"], "query", route)


def _nodes(schema: Any, pointer: str) -> Iterator[Node]:
    """Yield subschemas, parents first, in the order of the text."""
    pending = [Node(pointer, members(schema), "", "", 0, plain=True, classy=True)]
    count = 0
    while pending and count <= LARGEST:
        node = pending.pop()
        count += 1
        yield node
        if node.data and node.depth <= DEEPEST:
            pending.extend(reversed(list(_children(node))))


def _children(node: Node) -> Iterator[Node]:
    for keyword, value in node.data.items():
        if keyword in ONE:
            yield _child(node, keyword, "", value)
        elif keyword in LIST:
            for index, member in enumerate(items(value)):
                yield _child(node, keyword, str(index), member)
        elif keyword in MAP:
            for name, member in members(value).items():
                yield _child(node, keyword, name, member)


def _child(node: Node, keyword: str, name: str, value: Any) -> Node:
    # Only a name can need escaping; keywords and indexes never do.
    token = f"/{escape(name)}" if name or keyword in MAP else ""
    return Node(
        f"{node.pointer}/{keyword}{token}",
        members(value),
        keyword,
        name,
        node.depth + 1,
        node.plain and keyword == "properties",
        node.classy and keyword not in _CLASSLESS,
    )
