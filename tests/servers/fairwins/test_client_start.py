"""What is written into clients' files starts the server, as the clients would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from counterfoil.wire import StdioTarget, read_surface
from fairwins_mcp.surface import load_snapshot

ROOT = Path(__file__).parents[3]
SERVED = [tool["name"] for tool in load_snapshot()["tools"] if "mcp" in tool["surfaces"]]
CLIENTS = ["claude-desktop", "cursor", "vscode", "claude-code"]


def write(client: str, folder: Path, *program: str) -> Any:
    """Return the entry that a command writes for a client."""
    file = folder / "client.json"
    words = [*program, "client-config", client, "--write", "--path", str(file)]
    kept = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    subprocess.run(words, check=True, capture_output=True, timeout=60, env=kept, cwd=folder)
    content = json.loads(file.read_text("utf-8"))
    return (content.get("mcpServers") or content["servers"])["fairwins"]


def served(entry: Any) -> list[str]:
    command = (entry["command"], *entry.get("args", ()))
    surface = read_surface(StdioTarget(command, env=entry["env"]), "2025-11-25")
    return [tool["name"] for tool in surface.tools]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_installed_command_is_started(client: str, tmp_path: Path) -> None:
    entry = write(client, tmp_path, str(Path(sys.executable).with_name("fairwins-mcp")))
    assert served(entry) == SERVED
    assert Path(entry["command"]).is_absolute() is (client != "claude-code")


def test_the_archive_is_started(tmp_path: Path) -> None:
    script = ROOT / "tools/release/zipapp.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, capture_output=True, timeout=60)
    archive = tmp_path / "fairwins-mcp.pyz"
    entry = write("cursor", tmp_path, sys.executable, str(archive))
    assert entry["args"] == [str(archive)]
    assert served(entry) == SERVED


def test_the_module_is_started(tmp_path: Path) -> None:
    entry = write("cursor", tmp_path, sys.executable, "-m", "fairwins_mcp")
    assert entry["args"] == ["-m", "fairwins_mcp"]
    assert served(entry) == SERVED
