"""How MCP clients are told of a server."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from counterfoil.contract.model import Server
from counterfoil.targets.directory import clients as directory
from counterfoil.targets.directory.distribution import read_distribution
from counterfoil.targets.target import Launch

_COMMAND = "COMMAND"


@dataclass(frozen=True)
class Snippet:
    """Text for one kind of client.

    Attributes:
        clients: which clients take it.
        where: what it is written into.
        text: what to copy.
    """

    clients: str
    where: str
    text: str


def server_snippets(server: Server, launch: Launch | None) -> list[Snippet]:
    """Return what to write for each client, as the contract says how the server is had.

    Where it says nothing, what starts the server for checks is what there is.
    """
    if "distribution" not in server.data:
        return snippets(server.id, launch)
    made = directory.snippets(server, read_distribution(server))
    return [
        Snippet(client.title, client.file, _json(made[client.id]))
        for client in directory.CLIENTS
        if client.id in made
    ]


def snippets(server: str, launch: Launch | None) -> list[Snippet]:
    """Return what to write for each client.

    Args:
        server: id of the server, which clients take for its name.
        launch: how it is started or reached; ``None`` leaves a place for the command.
    """
    known = launch or Launch(command=(_COMMAND,))
    if known.url:
        address = _public(known.url)
        entry: dict[str, Any] = {"url": address}
        words = ["claude", "mcp", "add", "--transport", "http", server, address]
    else:
        entry = {"command": known.command[0]}
        entry |= {"args": list(known.command[1:])} if known.command[1:] else {}
        words = ["claude", "mcp", "add", server, "--", *known.command]
    kind = "http" if known.url else "stdio"
    code = {"servers": {server: {"type": kind, **entry}}}
    made = [
        Snippet("Cursor", "~/.cursor/mcp.json", _json({"mcpServers": {server: entry}})),
        Snippet("VS Code", ".vscode/mcp.json", _json(code)),
        Snippet("Claude Code", "a terminal", shlex.join(words)),
    ]
    if not known.url:
        desktop = Snippet("Claude Desktop", "claude_desktop_config.json", made[0].text)
        made.insert(0, desktop)
    return made


def _public(url: str) -> str:
    """Return an address without the parts that hold credentials where an address does."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
