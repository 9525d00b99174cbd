"""Put an imported server into a contract without touching what else is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.contract.model import Contract, Server
from counterfoil.contract.values import is_array, is_object, members
from counterfoil.editions.listings import LISTS
from counterfoil.errors import CounterfoilError
from counterfoil.parity.fields import field_differences
from counterfoil.schema.refs import shared_name
from counterfoil.targets.snapshot import standalone

# What only a contract knows: kept when the server is imported again.
_PRIVATE: Mapping[str, tuple[str, ...]] = {
    "tools": ("auth", "deprecated", "exec", "priced", "scope", "surfaces"),
    "resources": ("deprecated", "source"),
    "resourceTemplates": ("deprecated",),
    "prompts": ("deprecated", "messages"),
}
_OWN = ("binding", "distribution", "errorBody", "outbound", "payment", "protocolVersions")
_OWN_OF_ROUTES = ("class", "errors", "unreadable")


def new_contract(
    server: str, data: Mapping[str, Any], shared: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a contract of one server, with the shared schemas that it needs."""
    defs = {"$defs": dict(shared)} if shared else {}
    return {**defs, "counterfoil": 1, "servers": {server: dict(data)}}


def with_shared(contract: Contract, shared: Mapping[str, Any], server: str = "") -> Contract:
    """Return a contract with more shared schemas.

    Args:
        contract: the contract.
        shared: the schemas, by name.
        server: the server that is brought up to date with them; what it alone uses is replaced.

    Raises:
        CounterfoilError: a name stands for another schema there.
    """
    bound = _used_by_others(contract, server)
    for name, schema in shared.items():
        if name in bound and contract.defs[name] != schema:
            raise CounterfoilError(
                f"has another shared schema {name!r}",
                place=f"{contract.path} #/$defs/{name}",
                hint="import into a contract of its own, and rename the schema there",
            )
    if not shared:
        return contract
    data = {**contract.data, "$defs": {**contract.defs, **shared}}
    return Contract(contract.path, contract.text, data)


def _used_by_others(contract: Contract, server: str) -> set[str]:
    """Return the shared schemas that may not change: all, but for those of one server alone."""
    servers = contract.data["servers"]
    mine = _needed(servers.get(server), contract.defs)
    theirs = _needed([each for name, each in servers.items() if name != server], contract.defs)
    return set(contract.defs) - (mine - theirs)


def _needed(value: Any, defs: Mapping[str, Any]) -> set[str]:
    """Return the names of the shared schemas that JSON data refers to, directly or not."""
    found: set[str] = set()
    pending = [value]
    while pending:
        node = pending.pop()
        if is_array(node):
            pending += node
        elif is_object(node):
            pending += node.values()
            reference = node.get("$ref")
            name = shared_name(reference) if isinstance(reference, str) else ""
            if name in defs and name not in found:
                found.add(name)
                pending.append(defs[name])
    return found


def with_server(
    contract: Contract, server: str, data: Mapping[str, Any], *, update: bool
) -> dict[str, Any]:
    """Return a contract with one server more, or with one brought up to what it lists.

    What only a contract knows of a server stays, and so does the author's way of writing where
    it means the same, shared schemas for instance.

    Raises:
        CounterfoilError: the server is there and is not to be updated.
    """
    servers = contract.data["servers"]
    if server not in servers:
        return {**contract.data, "servers": {**servers, server: dict(data)}}
    if not update:
        raise CounterfoilError(
            f"has a server {server!r} already",
            place=contract.path,
            hint="name another one with --server, or bring it up to date with --update",
        )
    made = _updated(contract, contract.server(server), data)
    return {**contract.data, "servers": {**servers, server: made}}


def _updated(contract: Contract, known: Server, data: Mapping[str, Any]) -> dict[str, Any]:
    made = {**data, **{key: known.data[key] for key in _OWN if key in known.data}}
    for kind, identity in LISTS.items():
        before = {part.data[identity]: part.data for part in known.parts(kind)}
        written = {tool.name: standalone(contract, tool) for tool in known.tools}
        entries: list[Mapping[str, Any]] = [
            _kept(kind, before.get(each[identity]), each, written) for each in data.get(kind, ())
        ]
        entries += _unlisted(kind, known)
        if entries or kind in made:
            made[kind] = sorted(entries, key=lambda each: str(each[identity]))
    routes = list(_routes(known, made))
    if routes:
        made["routes"] = routes
    return made


def _routes(known: Server, made: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the routes of a document with what only we know, and those that it has not.

    A server says nothing of routes. Of those that a document has no more, the ones stay that a
    tool still calls.
    """
    before = {part.name: part.data for part in known.parts("routes")}
    given = {route["id"]: route for route in made.get("routes", ())}
    for name, route in given.items():
        ours = before.get(name, {})
        yield {**route, **{key: ours[key] for key in _OWN_OF_ROUTES if key in ours}}
    called = {tool.get("exec", {}).get("route") for tool in made["tools"]}
    for name in before.keys() - given.keys():
        if not given or name in called:
            yield before[name]


def _kept(
    kind: str,
    ours: Mapping[str, Any] | None,
    theirs: Mapping[str, Any],
    written: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return their entry with what only we know, and in our words where they mean the same."""
    if ours is None:
        return dict(theirs)
    private = {key: ours[key] for key in _PRIVATE[kind] if key in ours}
    if "route" in members(theirs.get("exec")):
        private["exec"] = theirs["exec"]  # a document says how a call is carried out
    made = {key: value for key, value in theirs.items() if key not in _PRIVATE[kind]} | private
    mine = written[theirs["name"]] if kind == "tools" else ours
    for key in made.keys() & ours.keys() - private.keys():
        if not any(field_differences({key: mine[key]}, {key: made[key]})):
            made[key] = ours[key]
    if kind == "prompts" and is_object(ours):
        made = _with_absences(made, ours)
    return made


def _with_absences(made: dict[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Return a prompt whose arguments keep what stands for them where they are not given."""
    absent = {
        each["name"]: each["whenAbsent"]
        for each in ours.get("arguments", ())
        if "whenAbsent" in each
    }
    if "arguments" not in made or not absent:
        return made
    arguments = [
        {**each, **({"whenAbsent": absent[each["name"]]} if each["name"] in absent else {})}
        for each in made["arguments"]
    ]
    return {**made, "arguments": arguments}


def _unlisted(kind: str, known: Server) -> Iterator[Mapping[str, Any]]:
    """Yield the tools that the server does not list because it must not."""
    if kind == "tools":
        yield from (tool.data for tool in known.tools if not tool.served)
