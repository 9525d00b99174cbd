"""Target ``snapshot``: one server's surface as JSON, vendored by a server without dependencies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from counterfoil.contract.canonical import digest
from counterfoil.contract.model import Contract, Part, Server, Tool
from counterfoil.render import with_json_key
from counterfoil.schema.refs import bundled
from counterfoil.targets.paths import fill, owned
from counterfoil.targets.target import Entry, Planned, Request

_SERVER_KEYS = (
    "name", "title", "version", "description", "websiteUrl", "icons", "instructions",
    "protocolVersions",
)  # fmt: skip


def surface(contract: Contract, server: Server) -> dict[str, Any]:
    """Return everything that a server needs to know of the contract.

    Schemas stand on their own: shared ones that they refer to are in their ``$defs``.
    Routes are those that a tool or resource uses, by id.
    """
    used = _used_routes(server)
    return {
        "server": {key: server.data[key] for key in _SERVER_KEYS if key in server.data},
        "wording": dict(contract.wording),
        "tools": [standalone(contract, tool) for tool in server.tools],
        "resources": [dict(part.data) for part in server.parts("resources")],
        "resourceTemplates": [dict(part.data) for part in server.parts("resourceTemplates")],
        "prompts": [dict(part.data) for part in server.parts("prompts")],
        "routes": {key: _route(part) for key, part in server.routes.items() if key in used},
    }


def standalone(contract: Contract, tool: Tool) -> dict[str, Any]:
    """Return a tool whose schemas need nothing outside themselves."""
    result = dict(tool.data)
    for key in ("inputSchema", "outputSchema"):
        if key in result:
            result[key] = bundled(result[key], contract.defs)
    return result


def _used_routes(server: Server) -> set[str]:
    tools = {tool.exec["route"] for tool in server.tools if "route" in tool.exec}
    sources = (part.data["source"] for part in server.parts("resources"))
    return tools | {source["route"] for source in sources if "route" in source}


def _route(part: Part) -> dict[str, Any]:
    """Return what a client needs of a route; shapes of bodies are the tools' affair."""
    left_out = ("body", "errors", "id", "response")
    return {key: value for key, value in part.data.items() if key not in left_out}


class _Snapshot:
    name = "snapshot"
    per_server = True

    def applies(self, server: Server) -> bool:
        return server.binding == "snapshot"

    def plan(self, request: Request) -> Iterable[Planned]:
        for server in request.servers:
            made = surface(request.contract, server)
            source = f"{request.contract.path}#{server.pointer}"
            yield Planned(
                fill(request.path, server),
                with_json_key(source, digest(made), made),
                f"server {server.id}",
            )

    def expected(self, request: Request) -> set[Entry]:
        return {entry for server in request.servers for entry in surface_entries(server)}

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        return {
            entry
            for server, path, content in owned(request, request.path, files)
            for entry in read_entries(server, content, path)
        }


def surface_entries(server: Server) -> set[Entry]:
    """Return the entries that a surface of this server holds, from the contract."""
    kinds = (("resource", "resources"), ("prompt", "prompts"), ("template", "resourceTemplates"))
    return {
        *(Entry(server.id, "tool", tool.name) for tool in server.tools),
        *(Entry(server.id, "route", key) for key in _used_routes(server) & set(server.routes)),
        *(Entry(server.id, kind, part.name) for kind, key in kinds for part in server.parts(key)),
    }


def read_entries(server: str, content: bytes, path: str) -> set[Entry]:
    """Return the entries that the text of a surface holds."""
    try:
        data = json.loads(content)
        return {
            *(Entry(server, "tool", each["name"], path) for each in data["tools"]),
            *(Entry(server, "route", key, path) for key in data["routes"]),
            *(Entry(server, "resource", each["uri"], path) for each in data["resources"]),
            *(
                Entry(server, "template", each["uriTemplate"], path)
                for each in data["resourceTemplates"]
            ),
            *(Entry(server, "prompt", each["name"], path) for each in data["prompts"]),
        }
    except (ValueError, KeyError, TypeError, RecursionError):
        return set()


TARGET = _Snapshot()
