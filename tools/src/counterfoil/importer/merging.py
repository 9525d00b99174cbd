"""Put an imported server into a contract without touching what else is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.contract.model import Contract, Server
from counterfoil.contract.values import is_object
from counterfoil.editions.listings import LISTS
from counterfoil.errors import CounterfoilError
from counterfoil.parity.fields import field_differences
from counterfoil.targets.snapshot import standalone

# What only a contract knows: kept when the server is imported again.
_PRIVATE: Mapping[str, tuple[str, ...]] = {
    "tools": ("auth", "deprecated", "exec", "priced", "scope", "surfaces"),
    "resources": ("deprecated", "source"),
    "resourceTemplates": ("deprecated",),
    "prompts": ("deprecated", "messages"),
}
_OWN = (
    "binding", "distribution", "errorBody", "outbound", "payment", "protocolVersions", "routes",
)  # fmt: skip


def new_contract(
    server: str, data: Mapping[str, Any], shared: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a contract of one server, with the shared schemas that it needs."""
    defs = {"$defs": dict(shared)} if shared else {}
    return {**defs, "counterfoil": 1, "servers": {server: dict(data)}}


def with_shared(contract: Contract, shared: Mapping[str, Any]) -> Contract:
    """Return a contract with more shared schemas.

    Raises:
        CounterfoilError: a name stands for another schema there.
    """
    for name, schema in shared.items():
        if name in contract.defs and contract.defs[name] != schema:
            raise CounterfoilError(
                f"has another shared schema {name!r}",
                place=f"{contract.path} #/$defs/{name}",
                hint="import into a contract of its own, and rename the schema there",
            )
    if not shared:
        return contract
    data = {**contract.data, "$defs": {**contract.defs, **shared}}
    return Contract(contract.path, contract.text, data)


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
    return made


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
