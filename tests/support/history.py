"""A small contract, and a repository of git in which it changes."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONTRACT = "contract/contract.json"
CONFIG = f'[tool.counterfoil]\ncontract = "{CONTRACT}"\n'
# Nobody's configuration, and the same hash for the same content.
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}

Json = dict[str, Any]


def tool(name: str, **more: Any) -> Json:
    """Return a tool as a server lists it."""
    schema = {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": False,
    }
    return {
        "name": name,
        "title": name.title(),
        "description": f"Do {name}.",
        "inputSchema": schema,
        **more,
    }


def contract(*names: str, server: str = "notes", **servers: Json) -> Json:
    """Return a contract with tools of these names on one server, and other servers."""
    own = {"auth": "none", "exec": {"kind": "handler"}, "surfaces": ["mcp"]}
    made = {
        "binding": "mcp",
        "name": f"{server}-server",
        "title": "Notes",
        "version": "1.0.0",
        "tools": [tool(name, **own) for name in names or ("export", "search")],
    }
    return {"counterfoil": 1, "servers": {server: made, **servers}}


def require(made: Json, argument: str = "region", name: str = "search") -> Json:
    """Return the next version of a contract, in which calls of a tool need one more argument."""
    made = copy.deepcopy(made)
    for server in made["servers"].values():
        server["version"] = "2.0.0"
        for each in server["tools"]:
            if each["name"] == name:
                each["inputSchema"]["properties"][argument] = {"type": "string"}
                each["inputSchema"]["required"].append(argument)
    return made


@dataclass(frozen=True)
class History:
    """A repository whose working tree holds a project."""

    root: Path

    def git(self, *words: str, cwd: Path | None = None) -> str:
        """Run git, as nobody in particular, and return what it prints."""
        done = subprocess.run(
            ["git", *words],
            cwd=cwd or self.root,
            env={**os.environ, **_ENVIRONMENT},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=True,
        )
        return done.stdout.strip()

    def write(self, data: Any, path: str = CONTRACT) -> None:
        """Write a JSON file into the working tree."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", "utf-8")

    def commit(self, data: Any = None, path: str = CONTRACT) -> str:
        """Commit the working tree, with a JSON file that is written first; return the hash."""
        if data is not None:
            self.write(data, path)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "x")
        return self.git("rev-parse", "HEAD")

    def state(self) -> Mapping[str, bytes]:
        """Return every file, those of git included."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


def begin(root: Path, data: Any = None, change: Callable[[Path], object] | None = None) -> History:
    """Make a repository with a project, its contract committed on main."""
    root.mkdir(parents=True, exist_ok=True)
    history = History(root)
    history.git("init", "--quiet", "--initial-branch", "main")
    (root / "pyproject.toml").write_text(CONFIG, "utf-8")
    if change is not None:
        change(root)
    history.commit(data or contract())
    return history
