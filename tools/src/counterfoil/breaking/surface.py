"""A surface: what callers see of a set of servers, from a contract or from what a server lists.

A listing knows less than a contract: nothing of routes, credentials, prices or outbound lists.
What one side does not know is not compared.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from counterfoil.contract.canonical import compact
from counterfoil.contract.model import Contract, Server
from counterfoil.contract.values import is_object, text
from counterfoil.errors import CounterfoilError
from counterfoil.schema.refs import bundled

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "tool": "tools",
        "resource": "resources",
        "template": "resourceTemplates",
        "prompt": "prompts",
        "route": "routes",
        "outbound": "outbound",
    }
)
# What a server says of its lists and of itself; the rest only a contract knows.
LISTED = frozenset({"tool", "resource", "template", "prompt"})
PRIVATE_FIELDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "tool": frozenset({"auth", "deprecated", "exec", "priced", "scope", "surfaces"}),
        "resource": frozenset({"deprecated", "source"}),
        "prompt": frozenset({"deprecated", "messages"}),
        "argument": frozenset({"deprecated", "whenAbsent"}),
        "server": frozenset({"binding", "errorBody", "payment"}),
    }
)
_OBJECTS = frozenset({"inputSchema", "outputSchema"})
_IDENTITIES = ("id", "uri", "uriTemplate", "name")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Document:
    """A schema that stands on its own, and where its parts stand in the file.

    Attributes:
        schema: with shared schemas in its ``$defs``.
        pointer: where it stands.
        shared: names in ``$defs`` that stand at ``/$defs`` of the file instead.
        inside: pointer into the schema to the part that stands in the file, where the rest was
            made around it; empty for all of it.
    """

    schema: Any
    pointer: str
    shared: frozenset[str] = frozenset()
    inside: str = ""

    def place(self, pointer: str) -> str:
        """Return the pointer into the file for a pointer into the schema."""
        head, _, rest = pointer.removeprefix("/$defs/").partition("/")
        if pointer.startswith("/$defs/") and head in self.shared:
            return f"/$defs/{head}/{rest}" if rest else f"/$defs/{head}"
        return self.pointer + pointer.removeprefix(self.inside)


class Shared(dict[str, Any]):
    """Shared schemas by name, whose text is made once for all entries."""

    @functools.cached_property
    def text(self) -> str:
        """Return them on one line with sorted keys."""
        return compact(self)


@dataclass(frozen=True)
class Entry:
    """One entry of a server's list.

    Attributes:
        kind: a key of :data:`KINDS`.
        name: what identifies it; of a resource its URI.
        pointer: where it stands in the document.
        data: the JSON object.
        shared: shared schemas that it may refer to.
    """

    kind: str
    name: str
    pointer: str
    data: Mapping[str, Any]
    shared: Shared = field(default_factory=Shared, repr=False)

    @functools.cached_property
    def text(self) -> str:
        """Return the entry on one line with sorted keys; the same text is the same entry."""
        return compact(self.data)

    def document(self, key: str) -> Document | None:
        """Return one of its schemas so that it stands on its own; ``None`` if it has none."""
        rooted = key in _OBJECTS
        return self.standing(self.data.get(key), f"{self.pointer}/{key}", rooted=rooted)

    def standing(self, schema: Any, pointer: str, *, rooted: bool = False) -> Document | None:
        """Return a schema of the entry's file so that it stands on its own; ``None`` for none.

        Args:
            schema: what stands at the pointer.
            pointer: into the file.
            rooted: whether it is one of an object, as MCP asks of the schemas of a tool.
        """
        if not is_object(schema):
            return Document(schema, pointer) if isinstance(schema, bool) else None
        own = schema.get("$defs")
        names = frozenset(self.shared) - frozenset(own if is_object(own) else ())
        whole = bundled(schema, self.shared)
        if not rooted and "type" not in schema:
            whole = {name: each for name, each in whole.items() if name != "type"}
        return Document(whole, pointer, names)


@dataclass(frozen=True)
class ServerSurface:
    """What callers see of one server.

    Attributes:
        id: its key in the contract; empty for a listing.
        pointer: where it stands in the document.
        data: its own fields, such as ``version`` and ``instructions``.
        entries: its entries by kind; a kind that is missing is not known.
        whole: whether all fields are known, as of a contract.
        shared: shared schemas that its fields may refer to.
    """

    id: str
    pointer: str
    data: Mapping[str, Any]
    entries: Mapping[str, tuple[Entry, ...]]
    whole: bool
    shared: Shared = field(default_factory=Shared, repr=False)

    def named(self, kind: str) -> dict[str, Entry]:
        """Return the entries of a kind by name.

        Raises:
            CounterfoilError: two have one name, so that nobody knows which is called. What may
                be requested may be said twice.
        """
        found: dict[str, Entry] = {}
        for entry in self.entries.get(kind, ()):
            if entry.name in found and kind != "outbound":
                raise CounterfoilError(
                    f"{KINDS[kind]} hold {entry.name!r} twice",
                    place=f"#{entry.pointer}",
                    hint="name each once; they are told apart by their names",
                )
            found[entry.name] = entry
        return found

    @functools.cached_property
    def listed(self) -> ServerSurface:
        """Return what the server itself would list of this."""
        known = {
            kind: tuple(filter(_served, entries)) if kind == "tool" else entries
            for kind, entries in self.entries.items()
            if kind in LISTED
        }
        return ServerSurface(self.id, self.pointer, self.data, known, False)


@dataclass(frozen=True)
class Surface:
    """What callers see.

    Attributes:
        shown: how people name it: a file, a git reference, a server.
        servers: by id; a listing has one, whose id is empty.
        wording: the fixed sentences; ``None`` where they are not known.
    """

    shown: str
    servers: Mapping[str, ServerSurface]
    wording: Mapping[str, str] | None = None


def of_contract(contract: Contract) -> Surface:
    """Return the surface that a contract describes."""
    shared = Shared(contract.defs)
    servers = {server.id: _server(contract, server, shared) for server in contract.servers}
    return Surface(contract.path, servers, contract.wording)


def of_listing(
    shown: str,
    lists: Mapping[str, Iterable[Mapping[str, Any]]],
    about: Mapping[str, Any] = _NOTHING,
    *,
    pointers: Mapping[str, str] = _NOTHING,
) -> Surface:
    """Return the surface of what a server lists.

    Args:
        shown: how people name it.
        lists: entries by their key on the wire (``tools``, ``resources``, …). A key that is
            missing is not known, and not compared.
        about: what is known of the server itself: ``name``, ``version``, ``instructions``, ….
        pointers: where each list stands in the file; default ``/KEY``.
    """
    entries: dict[str, tuple[Entry, ...]] = {}
    for kind in sorted(LISTED):
        key = KINDS[kind]
        if key in lists:
            at = pointers.get(key, f"/{key}")
            entries[kind] = tuple(
                Entry(kind, identity(data), f"{at}/{index}", data)
                for index, data in enumerate(lists[key])
            )
    return Surface(shown, {"": ServerSurface("", "", about, entries, whole=False)})


def identity(data: Mapping[str, Any]) -> str:
    """Return what identifies an entry among its kind."""
    for key in _IDENTITIES:
        if key in data:
            return text(data[key])
    return f"{data.get('method')} {data.get('origin')}{data.get('pathPattern')}"


def _server(contract: Contract, server: Server, shared: Shared) -> ServerSurface:
    keys = KINDS.values()
    about = {key: value for key, value in server.data.items() if key not in keys}
    entries = {
        kind: tuple(
            Entry(kind, part.name, part.pointer, part.data, shared) for part in server.parts(key)
        )
        for kind, key in KINDS.items()
    }
    return ServerSurface(server.id, server.pointer, about, entries, True, shared)


def _served(entry: Entry) -> bool:
    return "mcp" in entry.data.get("surfaces", ("mcp",)) and entry.data.get("auth") != "local"
