"""What a client is told: the generated snippet, with the command of this very installation."""

from __future__ import annotations

import json
from pathlib import Path

from fairwins_mcp.clients.locations import TITLES
from fairwins_mcp.errors import SnapshotError
from fairwins_mcp.surface import read_packaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

COMMAND = "fairwins-mcp"
CACHES = {".cache", "cache", "caches"}  # folders whose content systems and people throw away


class Snippet:
    """What one client's file has to hold.

    ``key`` is the member that holds the servers, ``server`` the name of the entry in it, ``inputs``
    what VS Code asks for, ``secrets`` the variables that hold one.
    """

    def __init__(self, content: Mapping[str, Any], secrets: set[str]) -> None:
        self.content = dict(content)
        self.key = "servers" if "servers" in content else "mcpServers"
        self.server: str = next(iter(content[self.key]))
        self.entry: dict[str, Any] = content[self.key][self.server]
        self.inputs: list[dict[str, Any]] = content.get("inputs", [])
        self.secrets = secrets


class Snippets:
    """Hold the packaged snippets.

    Raises:
        SnapshotError: the packaged file cannot be read.
    """

    def __init__(self) -> None:
        try:
            document: Any = json.loads(read_packaged("clients.json"))
        except (OSError, ValueError) as error:
            raise SnapshotError("the packaged clients.json cannot be read") from error
        self._clients: dict[str, Any] = {name: document["clients"][name] for name in TITLES}
        variables: list[dict[str, Any]] = document["variables"]
        self._files = {each["file"] for each in variables if "file" in each}
        self._secrets = {each["name"] for each in variables if each["secret"]}

    def make(
        self,
        client: str,
        command: list[str],
        settings: Mapping[str, str],
        token_file: str,
    ) -> Snippet:
        """Return a client's snippet, filled in for this machine.

        ``settings`` go before the snippet's own, unless they are secrets: those are never put in,
        but referred to, by a variable, an input or a file.
        """
        content = json.loads(json.dumps(self._clients[client]))
        snippet = Snippet(content, self._secrets)
        entry = snippet.entry
        values: dict[str, str] = entry.pop("env")
        entry["command"] = command[0]
        if command[1:]:
            entry["args"] = [*command[1:], *entry.get("args", [])]
        entry["env"] = values  # last, as people write it
        for name in values:
            if name in self._files:
                values[name] = token_file
            elif name not in self._secrets and name in settings:
                values[name] = settings[name]
        return snippet


def find_command(
    program: str, interpreter: str, has_shared_file: bool, runner: str | None = None
) -> list[str]:
    """Return the words with which a client starts this installation.

    Clients that were not started from a shell look for commands elsewhere, so a path is absolute;
    a file that a project's people share (``has_shared_file``) names the command alone where this
    machine finds it.

    Args:
        program: what ``sys.argv[0]`` says.
        interpreter: what ``sys.executable`` says.
        has_shared_file: whether the words are for a file that other machines read.
        runner: where ``uvx`` is. What it has started lies in a cache, and is gone one day.
    """
    path = Path(program)
    if runner and not has_shared_file and CACHES & {part.lower() for part in path.parts}:
        return [runner, COMMAND]
    if path.name in (COMMAND, f"{COMMAND}.exe"):
        return [COMMAND] if has_shared_file else [str(path.absolute())]
    if path.name != "__main__.py" and path.is_file():  # an archive, or a script
        return [interpreter, str(path.absolute())]
    return [interpreter, "-m", "fairwins_mcp"]
