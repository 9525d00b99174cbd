"""Plan what directories and clients are told, and read what such files tell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from counterfoil.contract.canonical import digest
from counterfoil.contract.model import Server
from counterfoil.render import with_html_comment, with_json_key
from counterfoil.targets.directory.clients import clients_data, read_clients, snippets
from counterfoil.targets.directory.distribution import Distribution, read_distribution
from counterfoil.targets.directory.guide import guide
from counterfoil.targets.directory.listing import STAMP, listing, read_listing
from counterfoil.targets.directory.manifest import manifest, read_manifest, stamp_path
from counterfoil.targets.paths import fill, owned
from counterfoil.targets.target import Entry, Planned, Request

_LISTING, _MANIFEST, _CLIENTS, _GUIDE = FILES = (
    "server.json", "manifest.json", "clients.json", "clients.md",
)  # fmt: skip


class _Registry:
    """The path is a folder for all of the files, or one of them by its name."""

    name = "registry"
    per_server = True

    def applies(self, server: Server) -> bool:
        return "distribution" in server.data

    def plan(self, request: Request) -> Iterable[Planned]:
        for server in request.servers:
            source = f"{request.contract.path}#{server.pointer}"
            told = read_distribution(server)
            for name, path in _paths(request.path).items():
                content = _content(name, source, server, told)
                if content is not None:
                    yield Planned(fill(path, server), content, f"server {server.id}")

    def expected(self, request: Request) -> set[Entry]:
        names = _paths(request.path)
        return {
            Entry(server.id, kind, name)
            for server in request.servers
            for file, kind, name in _told(server, read_distribution(server))
            if file in names
        }

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        return {
            Entry(server, kind, name, path)
            for file, pattern in _paths(request.path).items()
            for server, path, content in owned(request, pattern, files)
            for kind, name in _read(file, content)
        }


def _paths(path: str) -> dict[str, str]:
    """Return where each file goes, by its name; places are still in the paths."""
    name = path.rpartition("/")[2]
    return {name: path} if name in FILES else {name: f"{path}/{name}" for name in FILES}


def _content(name: str, source: str, server: Server, told: Distribution) -> bytes | None:
    """Return a file's bytes; ``None`` for one that the server has not."""
    if name == _LISTING:
        made = listing(server, told)
        return with_json_key(source, digest(made), made, *STAMP)
    if name == _MANIFEST:
        if told.package is None or not told.entry_point:
            return None
        made = manifest(server, told, told.package)
        return with_json_key(source, digest(made), made, *stamp_path(told))
    if name == _CLIENTS:
        made = clients_data(server, told)
        return with_json_key(source, digest(made), made)
    text = guide(server, told)
    return with_html_comment(source, digest(text), text)


def _told(server: Server, told: Distribution) -> Iterator[tuple[str, str, str]]:
    """Yield what the files have to tell, as file, kind and name."""
    if told.package:
        yield _LISTING, "package", told.package.identifier
    for each in told.variables:
        yield _LISTING, "variable", each.name
    for remote in told.remotes:
        yield _LISTING, "remote", remote.url
    if told.package and told.entry_point:
        yield from ((_MANIFEST, "tool", tool.name) for tool in server.served)
        yield from ((_MANIFEST, "setting", each.name) for each in told.variables)
    yield from ((_CLIENTS, "client", client) for client in snippets(server, told))


def _read(file: str, content: bytes) -> list[tuple[str, str]]:
    """Return kind and name of all that a file tells; one that cannot be read tells nothing."""
    if file == _GUIDE:
        return []
    try:
        document: Any = json.loads(content)
        if file == _LISTING:
            return list(read_listing(document))
        if file == _MANIFEST:
            return list(read_manifest(document))
        return [("client", each) for each in read_clients(document)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


TARGET = _Registry()
