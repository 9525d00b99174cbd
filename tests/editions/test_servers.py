"""Running servers are read as editions, in the newest revision that both sides speak."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from counterfoil.config import Live
from counterfoil.editions import Edition, Room, open_edition
from counterfoil.errors import CounterfoilError

SCRIPTED = Path(__file__).parents[1] / "wire" / "servers" / "scripted.py"


def command(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-I", str(SCRIPTED), *words)


def read(word: str, folder: Path, *live: Live) -> Edition:
    return open_edition(word, Room(folder, folder, "", live), None)


@pytest.mark.parametrize("behaviour", ["good", "tools-only"])
def test_a_command_is_started_and_asked(tmp_path: Path, behaviour: str) -> None:
    edition = read(f"stdio:{shlex.join(command(behaviour))}", tmp_path)
    [server] = edition.surface.servers.values()
    assert set(server.entries) == {"tool", "resource", "template", "prompt"}
    assert server.entries["tool"]
    assert str(server.data["instructions"]).startswith("Grüße")
    assert edition.about == "MCP 2026-07-28"
    assert edition.text == ""
    assert edition.places(["/tools/0"]) == {}


def test_a_server_of_the_configuration_is_known_by_its_id(tmp_path: Path) -> None:
    entry = Live("mine", command=command(), cwd=".")
    edition = read("server:mine", tmp_path, entry)
    assert edition.shown == "server:mine (MCP 2026-07-28)"


def test_secrets_of_a_command_are_not_shown(tmp_path: Path) -> None:
    line = shlex.join((*command("good"), "--token", "abcd1234efgh"))
    edition = read(f"stdio:{line}", tmp_path)
    assert "abcd1234efgh" not in edition.shown
    assert "[hidden]" in edition.shown


@pytest.mark.parametrize(
    "word",
    [
        "stdio:no-such-program-here",
        f"stdio:{shlex.join((sys.executable, '-c', 'pass'))}",
        "http://127.0.0.1:9/mcp",
        "http://user:secret@127.0.0.1:9/mcp",
    ],
)
def test_a_server_that_cannot_be_asked_is_an_error(tmp_path: Path, word: str) -> None:
    with pytest.raises(CounterfoilError) as caught:
        read(word, tmp_path)
    assert "secret" not in str(caught.value)
