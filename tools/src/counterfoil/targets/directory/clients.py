"""What is written into the configuration of each client, without a secret in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.model import Server
from counterfoil.names import package_name
from counterfoil.targets.directory.distribution import Asked, Distribution, Package, Remote


@dataclass(frozen=True)
class Client:
    """A client and the form of its configuration.

    Attributes:
        id: as a command line would name it.
        title: as people name it.
        file: what it is configured in.
        key: the member that holds the servers.
        is_typed: whether an entry says its transport.
        takes_urls: whether it reaches remote servers by its file.
        value: returns what stands for a value that the user gives; ``None`` where the client can
            neither ask for it nor look it up.
    """

    id: str
    title: str
    file: str
    key: str
    is_typed: bool
    takes_urls: bool
    value: Callable[[str, Asked], str | None]


def _written_out(name: str, asked: Asked) -> str | None:
    """Return a place to fill in: Claude Desktop replaces nothing and hands on no environment."""
    return None if asked.is_secret else _blank(asked)


def _of_shell(name: str, asked: Asked) -> str:
    # Claude Code leaves a variable that is not set as it stands, unless it has a default.
    return f"${{{name}}}" if asked.is_required else f"${{{name}:-}}"


def _of_environment(name: str, asked: Asked) -> str:
    return f"${{env:{name}}}"


def _of_input(name: str, asked: Asked) -> str:
    return f"${{input:{_input_id(name)}}}"


CLIENTS = (
    Client(
        id="claude-desktop",
        title="Claude Desktop",
        file="claude_desktop_config.json",
        key="mcpServers",
        is_typed=False,
        takes_urls=False,
        value=_written_out,
    ),
    Client(
        id="claude-code",
        title="Claude Code",
        file=".mcp.json",
        key="mcpServers",
        is_typed=True,
        takes_urls=True,
        value=_of_shell,
    ),
    Client(
        id="cursor",
        title="Cursor",
        file="~/.cursor/mcp.json",
        key="mcpServers",
        is_typed=False,
        takes_urls=True,
        value=_of_environment,
    ),
    Client(
        id="vscode",
        title="VS Code",
        file=".vscode/mcp.json",
        key="servers",
        is_typed=True,
        takes_urls=True,
        value=_of_input,
    ),
)


def snippets(server: Server, told: Distribution) -> dict[str, dict[str, Any]]:
    """Return what each client's file has to hold, by the client's id.

    A client that cannot reach the server by its file is left out.
    """
    made: dict[str, dict[str, Any]] = {}
    for client in CLIENTS:
        inputs: list[dict[str, Any]] = []
        if told.package:
            entry = _command(client, told.package, told.variables, inputs)
        elif client.takes_urls:
            entry = _address(client, server, told.remotes[0], inputs)
        else:
            continue
        asks = {"inputs": inputs} if inputs and client.id == "vscode" else {}
        made[client.id] = {**asks, client.key: {server.id: entry}}
    return made


def clients_data(server: Server, told: Distribution) -> dict[str, Any]:
    """Return the snippets with what a program needs that fills them in."""
    return {
        "server": server.id,
        "variables": [
            {
                "name": each.name,
                "title": each.title,
                "secret": each.is_secret,
                **({"file": each.file} if each.file else {}),
            }
            for each in told.variables
        ],
        "clients": snippets(server, told),
    }


def _command(
    client: Client, package: Package, variables: tuple[Asked, ...], inputs: list[dict[str, Any]]
) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "stdio"} if client.is_typed else {}
    words = [package.identifier]
    if package.registry == "npm":
        words = ["npx", "-y", f"{package.identifier}@{package.version}"]
    for each in package.arguments:
        if isinstance(each, str):
            words.append(each)
        elif each.is_required:
            words += [each.name, _argument(client, each, inputs)]
    entry["command"] = words[0]
    entry |= {"args": words[1:]} if words[1:] else {}
    env = dict(_environment(client, variables, inputs))
    return entry | ({"env": env} if env else {})


def _argument(client: Client, asked: Asked, inputs: list[dict[str, Any]]) -> str:
    """Return a flag's value: what only this user knows, and no variable of a shell holds."""
    if asked.default is not None:
        return asked.default
    if client.id != "vscode":
        return _blank(asked)
    inputs.append(_prompt(asked.key, asked))
    return _of_input(asked.key, asked)


def _environment(
    client: Client, variables: tuple[Asked, ...], inputs: list[dict[str, Any]]
) -> list[tuple[str, str]]:
    """Return the variables that a client has to set: what is needed, and what is secret."""
    made: list[tuple[str, str]] = []
    for each in variables:
        if not (each.is_required or each.is_secret):
            continue
        value = each.default if each.default is not None else client.value(each.name, each)
        if value is not None:
            made.append((each.name, value))
        elif each.file:
            made.append((each.file, _path(each)))
        if value == _of_input(each.name, each):
            inputs.append(_prompt(each.name, each))
    return made


def _address(
    client: Client, server: Server, remote: Remote, inputs: list[dict[str, Any]]
) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "http"} if client.is_typed else {}
    entry["url"] = remote.url
    headers: dict[str, str] = {}
    for each in remote.headers:
        if each.is_required:
            name = f"{package_name(server.id)}_{each.key}".upper()
            headers[each.name] = f"{each.prefix}{client.value(name, each)}"
            inputs.append(_prompt(name, each))
    return entry | ({"headers": headers} if headers else {})


def _prompt(name: str, asked: Asked) -> dict[str, Any]:
    """Return what VS Code asks for once; it keeps the answers encrypted."""
    made = {"type": "promptString", "id": _input_id(name), "description": asked.title}
    return {**made, "password": True} if asked.is_secret else made


def _input_id(name: str) -> str:
    return name.replace("_", "-").lower()


def _blank(asked: Asked) -> str:
    return _path(asked) if asked.format == "filepath" else f"<{asked.title}>"


def _path(asked: Asked) -> str:
    return f"/path/to/{asked.key}"


def read_clients(document: Mapping[str, Any]) -> set[str]:
    """Return the ids of the clients that a file of snippets is for."""
    return set(document["clients"])
