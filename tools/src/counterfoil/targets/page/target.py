"""Plan the page, and read what a page holds."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from counterfoil.contract.model import Server
from counterfoil.render import with_html_comment
from counterfoil.targets.page.document import Document
from counterfoil.targets.paths import fill, owned
from counterfoil.targets.target import Entry, Planned, Request

# Text of a contract never holds a bare "<", so this is found where an entry begins only.
_ENTRY = re.compile(
    r'<(?:article|details|tr) [^>]*data-kind="(\w+)" data-server="([^"]*)" data-name="([^"]*)"'
)
_KINDS = {
    "outbound": "outbound",
    "prompt": "prompts",
    "resource": "resources",
    "route": "routes",
    "template": "resourceTemplates",
}


class _Page:
    name = "page"
    per_server = False

    def applies(self, server: Server) -> bool:
        return True

    def plan(self, request: Request) -> Iterable[Planned]:
        for path, about, servers in _pages(request):
            document = Document(request, servers)
            content = with_html_comment(request.contract.path, document.digest, document.html())
            yield Planned(path, content, about)

    def expected(self, request: Request) -> set[Entry]:
        return {entry for server in request.servers for entry in _entries(server)}

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        return {
            Entry(server, kind, name, path)
            for _, path, content in owned(request, request.path, files)
            for kind, server, name in _read(content)
        }


def _pages(request: Request) -> Iterator[tuple[str, str, Sequence[Server]]]:
    """Yield path, source and servers of each page: one of them all, or one a server."""
    if "{server}" not in request.path and "{package}" not in request.path:
        yield request.path, "the whole contract", request.servers
        return
    for server in request.servers:
        yield fill(request.path, server), f"server {server.id}", (server,)


def _entries(server: Server) -> Iterator[Entry]:
    for tool in server.tools:
        yield Entry(server.id, "tool", tool.name)
    for kind, key in _KINDS.items():
        for part in server.parts(key):
            yield Entry(server.id, kind, part.name)


def _read(content: bytes) -> Iterator[tuple[str, str, str]]:
    for kind, server, name in _ENTRY.findall(content.decode("utf-8", "replace")):
        yield kind, html.unescape(server), html.unescape(name)


TARGET = _Page()
