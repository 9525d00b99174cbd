"""A new project, as `counterfoil init` leaves it, and the command run on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Return the findings of a command that printed JSON."""
        found: list[dict[str, Any]] = json.loads(self.out)["findings"]
        return found

    @property
    def codes(self) -> list[str]:
        """Return the codes of the findings, in the order printed."""
        return [finding["code"] for finding in self.findings]


def counterfoil(
    *words: str, cwd: Path, env: Mapping[str, str] | None = None, entry: str = ""
) -> Outcome:
    """Run the command in a process of its own, as people do.

    Args:
        words: the arguments.
        cwd: the folder to run in.
        env: variables to add.
        entry: code to run instead of the command; it finds the arguments in ``sys.argv``.
    """
    start = ["-c", entry] if entry else ["-m", "counterfoil"]
    done = subprocess.run(
        [sys.executable, *start, *words],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Outcome(done.returncode, done.stdout, done.stderr)


def edit_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file in place, in canonical form."""
    data = json.loads(path.read_text("utf-8"))
    change(data)
    text = json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    path.write_text(text, "utf-8")


def tree(root: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder, without caches."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".counterfoil", "__pycache__"} & set(path.parts)
    }
