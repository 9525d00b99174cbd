"""A project with one real server, whose every part tests may spoil."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.cli import main

ROOT = Path(__file__).parents[2]
SNAPSHOT = "server/fairwins_mcp/snapshot.json"
CONFIG = f"""
[tool.counterfoil]
contract = "contract.json"

[[tool.counterfoil.output]]
target = "snapshot"
path = "{SNAPSHOT}"

[[tool.counterfoil.output]]
target = "openapi"
path = "openapi.json"

[[tool.counterfoil.server]]
id = "fairwins"
command = [{json.dumps(sys.executable)}, "-m", "fairwins_mcp"]
env = {{ PYTHONPATH = "server" }}

[[tool.counterfoil.wording]]
name = "unknown"
paths = ["guide.md"]
"""

Change = Callable[[dict[str, Any]], object]


@dataclass(frozen=True)
class Bench:
    """A project in a folder of its own."""

    root: Path
    read: Callable[[], str]

    def run(self, *words: str) -> tuple[int, list[dict[str, Any]]]:
        """Run a command; return its status and the findings that it printed."""
        status = main([*words, "--project", str(self.root), "--format", "json"])
        return status, json.loads(self.read() or '{"findings": []}')["findings"]

    def codes(self, *words: str) -> set[str]:
        """Return the codes of the findings of a command."""
        return {finding["code"] for finding in self.run(*words)[1]}

    def edit(self, path: str, change: Change) -> None:
        """Change a JSON file in place, in canonical form."""
        data = json.loads((self.root / path).read_text("utf-8"))
        change(data)
        text = json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        (self.root / path).write_text(text, "utf-8")


def only(*names: str) -> Change:
    """Return a change that leaves some servers and the shared schemas that they need."""

    def change(contract: dict[str, Any]) -> None:
        contract["servers"] = {name: contract["servers"][name] for name in names}
        text = json.dumps(contract)
        defs = contract.get("$defs", {})
        while unused := [name for name in defs if f'"#/$defs/{name}"' not in text]:
            for name in unused:
                del defs[name]
            text = json.dumps(contract)

    return change
