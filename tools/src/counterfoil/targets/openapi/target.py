"""Plan OpenAPI documents, and read what such a document holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from counterfoil.contract.model import Server
from counterfoil.contract.values import members
from counterfoil.render import with_json_key
from counterfoil.targets.openapi.document import document, source_digest
from counterfoil.targets.paths import fill, owned
from counterfoil.targets.target import Entry, Planned, Request

# OpenAPI has no $comment; a key of its own must begin with x-.
_HEADER = "x-generated"


class _OpenApi:
    name = "openapi"
    per_server = True

    def applies(self, server: Server) -> bool:
        return bool(server.routes)

    def plan(self, request: Request) -> Iterable[Planned]:
        for server in request.servers:
            content = with_json_key(
                f"{request.contract.path}#{server.pointer}/routes",
                source_digest(request.contract, server),
                document(request.contract, server),
                _HEADER,
            )
            yield Planned(fill(request.path, server), content, f"server {server.id}")

    def expected(self, request: Request) -> set[Entry]:
        return {
            Entry(server.id, "route", key) for server in request.servers for key in server.routes
        }

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        return {
            Entry(server, "route", key, path)
            for server, path, content in owned(request, request.path, files)
            for key in _read_operations(content)
        }


def _read_operations(content: bytes) -> Iterator[str]:
    try:
        paths = members(members(json.loads(content)).get("paths"))
    except (ValueError, RecursionError):
        return
    for item in paths.values():
        for operation in members(item).values():
            key = members(operation).get("operationId")
            if isinstance(key, str):
                yield key


TARGET = _OpenApi()
