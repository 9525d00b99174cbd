"""The wire client costs little to import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import counterfoil.wire

PACKAGE = Path(counterfoil.wire.__file__).parent
FOREIGN = {"mcp", "mcp_types", "fastmcp", "pydantic", "httpx", "httpx2", "anyio", "asyncio"}
CARRIERS = {"subprocess", "threading", "http.client", "ssl", "socket", "urllib.parse", "email"}


def imported(*modules: str) -> set[str]:
    """Return the names of all modules after importing some in a fresh interpreter."""
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(shown.stdout.split())


def test_importing_the_package_brings_in_nothing_foreign_and_no_carrier() -> None:
    loaded = imported("counterfoil.wire") - imported("sys")
    assert "counterfoil.wire.surface" in loaded
    assert not loaded & (FOREIGN | CARRIERS)


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("counterfoil.wire.stdio", {"http.client", "ssl", "email"}),
        ("counterfoil.wire.streamable", {"subprocess"}),
    ],
)
def test_a_carrier_brings_in_only_what_it_needs(module: str, absent: set[str]) -> None:
    assert not imported(module) & (FOREIGN | absent)


def test_only_the_standard_library_is_imported() -> None:
    allowed = sys.stdlib_module_names | {"counterfoil"}
    found: set[str] = set()
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    assert "json" in found
    assert found <= allowed
