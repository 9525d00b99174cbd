"""``clients.md``: the snippets for people, and what they have to fill in."""

from __future__ import annotations

import json
from collections.abc import Iterator

from counterfoil.contract.model import Server
from counterfoil.render import render
from counterfoil.targets.directory.clients import CLIENTS, snippets
from counterfoil.targets.directory.distribution import Asked, Distribution
from counterfoil.targets.reference.markdown import block, span, text

_WHERE = {
    "claude-code": "`.mcp.json` in the project, which is shared with whoever works on it. "
    "Variables come from the shell that Claude Code was started in.",
    "claude-desktop": "`claude_desktop_config.json`: Settings, Developer, Edit Config. "
    "It replaces no variables, so a secret stays in a file of its own.",
    "cursor": "`~/.cursor/mcp.json`, or `.cursor/mcp.json` in a project. "
    "Variables come from the environment that Cursor was started in.",
    "vscode": "`.vscode/mcp.json` in a workspace, or the user's `mcp.json` (MCP: Open User "
    "Configuration). It asks for each input once, and keeps the answer encrypted.",
}


def guide(server: Server, told: Distribution) -> str:
    """Return the page as Markdown, without a header."""
    made = snippets(server, told)
    return (
        render(
            "clients.md.jinja",
            title=text(server.title),
            description=text(told.data["description"]),
            command=span(_command(told)) if told.package else "",
            clients=[
                {
                    "title": client.title,
                    "where": _WHERE[client.id],
                    "text": block(
                        json.dumps(made[client.id], ensure_ascii=False, indent=2), "json"
                    ),
                }
                for client in CLIENTS
                if client.id in made
            ],
            values=[
                {
                    "name": span(each.name),
                    "needed": _needed(each),
                    "description": text(_described(each)),
                }
                for each in _values(told)
            ],
        ).rstrip("\n")
        + "\n"
    )


def _command(told: Distribution) -> str:
    package = told.package
    if package is None:
        return ""
    return "npx" if package.registry == "npm" else package.identifier


def _values(told: Distribution) -> Iterator[Asked]:
    if told.package:
        yield from (each for each in told.package.arguments if not isinstance(each, str))
        yield from told.variables
    else:
        yield from told.remotes[0].headers


def _needed(asked: Asked) -> str:
    return "yes" if asked.is_required else "no"


def _described(asked: Asked) -> str:
    parts = [asked.description]
    if asked.default is not None:
        parts.append(f"Default: {asked.default}.")
    if asked.is_secret:
        parts.append("Secret.")
    if asked.file:
        parts.append(f"{asked.file} may name a file that holds it.")
    return " ".join(parts)
