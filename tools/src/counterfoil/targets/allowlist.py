"""Target ``allowlist``: what a wrapper may send, as constants of its bindings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from counterfoil.contract.canonical import digest
from counterfoil.contract.grammar import GRAMMAR_FILE, grammar
from counterfoil.contract.model import Server
from counterfoil.render import render, with_comment
from counterfoil.targets.paths import fill, owned
from counterfoil.targets.target import Entry, Planned, Request

# Keys of an entry in the contract; its description is for people and stays there.
_SENT = ("origin", "method", "pathPattern")
_FILE = "{package}/allowlist.py"
_FIELDS = {"origin", "method", "path_pattern"}


class _Allowlist:
    name = "allowlist"
    per_server = False

    def applies(self, server: Server) -> bool:
        return server.binding == "wrapper"

    def plan(self, request: Request) -> Iterable[Planned]:
        if request.servers:
            yield Planned(f"{request.path}/allow_entry.py", _entry_module(), "the grammar")
        for server in request.servers:
            yield Planned(
                _path(request, server),
                _list_module(request.contract.path, server),
                f"server {server.id}",
            )

    def expected(self, request: Request) -> set[Entry]:
        return {
            Entry(server.id, "outbound", part.name)
            for server in request.servers
            for part in server.parts("outbound")
        }

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        return {
            Entry(server, "outbound", name, path)
            for server, path, content in owned(request, f"{request.path}/{_FILE}", files)
            for name in _read_names(content)
        }


def _path(request: Request, server: Server) -> str:
    return fill(f"{request.path}/{_FILE}", server)


def _entry_module() -> bytes:
    outbound: dict[str, Any] = grammar()["$defs"]["outbound"]
    methods = outbound["properties"]["method"]["enum"]
    source = f"counterfoil/contract/{GRAMMAR_FILE}#/$defs/outbound/properties/method"
    return with_comment(
        source,
        digest(outbound["properties"]["method"]),
        render("allow_entry.py.jinja", methods=methods),
    )


def _list_module(contract_path: str, server: Server) -> bytes:
    entries = [{key: part.data[key] for key in _SENT} for part in server.parts("outbound")]
    return with_comment(
        f"{contract_path}#{server.pointer}/outbound",
        digest(entries),
        render("allowlist.py.jinja", entries=entries),
    )


def _read_names(content: bytes) -> set[str]:
    """Return the entries of ``ALLOWLIST`` as ``METHOD origin/path``, without running the module."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return set()
    found = {_name_of(call) for statement in tree.body for call in _members(statement)}
    return found - {""}


def _members(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.AnnAssign(target=ast.Name(id="ALLOWLIST"), value=ast.Tuple(elts=elements)):
            return elements
        case _:
            return []


def _name_of(call: ast.expr) -> str:
    if not isinstance(call, ast.Call):
        return ""
    given = {
        word.arg: str(word.value.value)
        for word in call.keywords
        if word.arg and isinstance(word.value, ast.Constant)
    }
    if set(given) != _FIELDS:
        return ""
    return f"{given['method']} {given['origin']}{given['path_pattern']}"


TARGET = _Allowlist()
