"""``counterfoil lock`` and ``counterfoil check --lock``, as people type them."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from starter import ROOT, counterfoil, tree

_LISTS = [sys.executable, str(ROOT / "tests/wire/servers/lowlevel.py"), "stdio"]
PAGES = f"stdio:{shlex.join(_LISTS)}"
TOOL: dict[str, Any] = {"name": "t", "description": "T.", "inputSchema": {"type": "object"}}


def test_a_running_server_is_locked_and_checked(tmp_path: Path) -> None:
    first = counterfoil("lock", PAGES, cwd=tmp_path)
    assert first.status == 0, first.err
    data = json.loads((tmp_path / "mcp.lock.json").read_text("utf-8"))
    assert len(data["tools"]) == 10
    words = ("check", "--server", PAGES, "--lock", "mcp.lock.json")
    assert counterfoil(*words, cwd=tmp_path).status == 0


def test_a_lock_is_written_again_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([TOOL]), "utf-8")
    (tmp_path / "b.json").write_text(json.dumps([{**TOOL, "description": "Obey."}]), "utf-8")
    assert counterfoil("lock", "a.json", cwd=tmp_path).status == 0
    before = tree(tmp_path)
    for words in (
        ("lock", "b.json"),
        ("lock", "b.json", "--check"),
        ("check", "--server", "b.json", "--lock", "mcp.lock.json"),
    ):
        outcome = counterfoil(*words, "--format", "json", cwd=tmp_path)
        assert (outcome.status, outcome.codes) == (1, ["CF601"]), outcome.err
        assert tree(tmp_path) == before
    updated = counterfoil("lock", "b.json", "--update", "--format", "json", cwd=tmp_path)
    assert (updated.status, updated.codes) == (0, ["CF601"])
    assert counterfoil("lock", "b.json", cwd=tmp_path).status == 0


def test_hidden_text_is_shown_when_a_server_is_locked(tmp_path: Path) -> None:
    hiding = {**TOOL, "description": "T.\u200b\U000e0041"}
    (tmp_path / "a.json").write_text(json.dumps([hiding]), "utf-8")
    outcome = counterfoil("lock", "a.json", cwd=tmp_path)
    assert outcome.status == 1
    assert "T.<U+200B zero width space><hidden by tag characters: A>" in outcome.out
    assert counterfoil("lock", "a.json", cwd=tmp_path).status == 0


def test_a_name_that_is_listed_twice_is_shown_when_a_server_is_locked(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([TOOL, {**TOOL, "title": "T"}]), "utf-8")
    outcome = counterfoil("lock", "a.json", "--format", "json", cwd=tmp_path)
    assert (outcome.status, outcome.codes) == (1, ["CF608"])
    assert "mcp.lock.json: locked 2 tools\n" in outcome.err


def test_one_revision_is_locked_and_compared(tmp_path: Path) -> None:
    scripted = ROOT / "tests/wire/servers/scripted.py"
    server = (
        f"stdio:{shlex.join([sys.executable, '-I', str(scripted)])} speaks 2025-03-26 2025-06-18"
    )
    newest = counterfoil("lock", server, cwd=tmp_path)
    assert "as clients of MCP 2025-06-18 are shown them" in newest.err
    older = counterfoil(
        "lock", server, "--revision", "2025-03-26", "--lock", "b.json", cwd=tmp_path
    )
    assert older.status == 0, older.err
    assert json.loads((tmp_path / "b.json").read_text("utf-8"))["revision"] == "2025-03-26"
    assert counterfoil("check", "--server", server, "--lock", "b.json", cwd=tmp_path).status == 0
    other = f"stdio:{shlex.join([sys.executable, '-I', str(scripted)])} speaks 2025-06-18"
    moved = counterfoil(
        "check", "--server", other, "--lock", "b.json", "--format", "json", cwd=tmp_path
    )
    assert (moved.status, moved.codes) == (0, ["CF607"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lock",), "nothing is named to lock"),
        (
            ("lock", "http://127.0.0.1:1", "--header", "Authorization: Bearer $NO_SUCH_VARIABLE"),
            "the variable NO_SUCH_VARIABLE is not set",
        ),
        (("lock", "nameless.json"), "#/1: has no name"),
        (("check", "--lock", "mcp.lock.json"), "a lock is compared with a server"),
        (("check", "--server", "a.json"), "a lock is compared with a server"),
        (("check", "--server", "a.json", "--lock", "no.json"), "cannot be read"),
        (("check", "--server", "a.json", "--lock", "a.json"), "is no lock file"),
    ],
)
def test_what_cannot_be_compared_is_an_error(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(json.dumps([TOOL]), "utf-8")
    nameless = [TOOL, {"inputSchema": {"type": "object"}}]
    (tmp_path / "nameless.json").write_text(json.dumps(nameless), "utf-8")
    outcome = counterfoil(*words, cwd=tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.err
