"""Plan reference pages, and read what such a page holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from counterfoil.contract.model import Server
from counterfoil.render import with_html_comment
from counterfoil.targets.paths import fill, owned
from counterfoil.targets.reference.markdown import untext
from counterfoil.targets.reference.page import page, source_digest
from counterfoil.targets.target import Entry, Planned, Request

_HEADING = re.compile(r"### (Tool|Prompt) (`.*)")
_FENCE = re.compile(r"(`{3,})[a-z]*")
# The entries of these lists are rows, under this heading, in a table whose first cell names them.
_ROWS = {
    "## Outbound requests": ("outbound", "outbound"),
    "## Resource templates": ("template", "resourceTemplates"),
    "## Resources": ("resource", "resources"),
    "## Routes": ("route", "routes"),
}


class _Reference:
    name = "reference"
    per_server = True

    def applies(self, server: Server) -> bool:
        return True

    def plan(self, request: Request) -> Iterable[Planned]:
        for server in request.servers:
            content = with_html_comment(
                f"{request.contract.path}#{server.pointer}",
                source_digest(request.contract, server, request.cases),
                page(request.contract, server, request.cases, request.cache),
            )
            yield Planned(fill(request.path, server), content, f"server {server.id}")

    def expected(self, request: Request) -> set[Entry]:
        return {entry for server in request.servers for entry in _entries(server)}

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        return {
            Entry(server, kind, name, path)
            for server, path, content in owned(request, request.path, files)
            for kind, name in _read(content)
        }


def _entries(server: Server) -> Iterator[Entry]:
    for tool in server.tools:
        yield Entry(server.id, "tool", tool.name)
    for kind, key in (("prompt", "prompts"), *_ROWS.values()):
        for part in server.parts(key):
            yield Entry(server.id, kind, part.name)


def _read(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield kind and name of every entry, from headings and first cells."""
    section = ""
    for line in _outside_of_blocks(content.decode("utf-8", "replace").replace("\r\n", "\n")):
        heading = _HEADING.fullmatch(line)
        if heading:
            yield heading[1].lower(), untext(heading[2])
        if line.startswith("## "):
            section = line
        elif section in _ROWS and line.startswith("| ") and not line.startswith("| ---"):
            cell = line[2:].split(" | ")[0]
            if cell not in _HEADS:
                yield _ROWS[section][0], untext(cell)


# First cells of the rows that name the columns.
_HEADS = frozenset({"Request", "Resource", "Route", "Template"})


def _outside_of_blocks(content: str) -> Iterator[str]:
    fence = ""
    for line in content.split("\n"):
        opened = _FENCE.fullmatch(line)
        if fence:
            fence = "" if line == fence else fence
        elif opened:
            fence = opened[1]
        else:
            yield line


TARGET = _Reference()
