"""Real servers, running: `nox -s peers` installs them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nodejs import find_node
from starter import ROOT, counterfoil

pytestmark = pytest.mark.peers

SERVE = ROOT / "tests/support/bound_stubs.py"
SCRIPTS = ROOT / "tests/peers/node_modules/@modelcontextprotocol"
PROGRAMS = ROOT / "build/peers" / ("Scripts" if sys.platform == "win32" else "bin")


def script(name: str) -> list[str]:
    package = SCRIPTS / f"server-{name}/package.json"
    if not package.is_file():
        pytest.skip("the servers are not there: run `nox -s peers`")
    [entry] = json.loads(package.read_text("utf-8"))["bin"].values()
    return [find_node(), str(package.parent / entry)]


def program(name: str, *words: str) -> list[str]:
    path = PROGRAMS / f"mcp-server-{name}"
    if not path.with_suffix(".exe" if sys.platform == "win32" else "").exists():
        pytest.skip("the servers are not there: run `nox -s peers`")
    return [str(path), *words]


def repository(root: Path) -> list[str]:
    subprocess.run(["git", "init", "--quiet", str(root / "repository")], check=True)
    return program("git", "--repository", str(root / "repository"))


PEERS: dict[str, Callable[[Path], list[str]]] = {
    "everything": lambda _: script("everything"),
    "filesystem": lambda root: [*script("filesystem"), str(root)],
    "memory": lambda _: script("memory"),
    "sequential-thinking": lambda _: script("sequential-thinking"),
    "fetch": lambda _: program("fetch"),
    "git": repository,
    "time": lambda _: program("time", "--local-timezone", "Europe/Berlin"),
}


@pytest.mark.parametrize("name", PEERS)
def test_a_real_server_is_imported_generated_served_and_compared(name: str, tmp_path: Path) -> None:
    line = shlex.join(PEERS[name](tmp_path))
    room = tmp_path / "project"
    made = counterfoil(
        "init", str(room), "--from", f"stdio:{line}", "--server", "peer", "--timeout", "60",
        cwd=tmp_path,
    )  # fmt: skip
    assert made.status == 0, made.err
    assert "parity with what was read: nothing differs" in made.err
    stubs = shlex.join([sys.executable, str(SERVE), str(room / "src"), "peer_bindings", "peer"])
    for served in (line, stubs):
        outcome = counterfoil(
            "parity", "--format", "json", "--server", "peer", "--command", served, cwd=room
        )
        assert outcome.status == 0, outcome.out + outcome.err
        assert [each for each in outcome.codes if each.startswith("CF3")] == []


@pytest.mark.parametrize("name", PEERS)
def test_a_real_server_is_locked_and_is_as_it_was(name: str, tmp_path: Path) -> None:
    words = ("--lock", "peer.lock.json", "--timeout", "60")
    source = f"stdio:{shlex.join(PEERS[name](tmp_path))}"
    assert counterfoil("lock", source, *words, cwd=tmp_path).status == 0
    outcome = counterfoil("check", "--server", source, *words, cwd=tmp_path)
    assert outcome.status == 0, outcome.out
