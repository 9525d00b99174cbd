"""Real servers, as recorded: import, generate, serve the stubs, and compare."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from starter import ROOT, counterfoil

RECORDED = sorted((ROOT / "tests/data/peers").glob("*.json"))
SERVE = ROOT / "tests/support/bound_stubs.py"


def record(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_server_is_imported_whole(path: Path, tmp_path: Path) -> None:
    outcome = counterfoil("import", str(path), "--server", "peer", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert "parity with what was read: nothing differs" in outcome.err
    assert "not represented" not in outcome.err
    given, made = record(path), json.loads(outcome.out)["servers"]["peer"]
    for kind, identity in (("tools", "name"), ("resources", "uri"), ("prompts", "name")):
        kept = {each[identity]: each for each in made.get(kind, ())}
        for entry in given.get(kind, ()):
            ours = kept.pop(entry[identity])
            for key, value in entry.items():
                if value:
                    assert ours[key] == value, (entry[identity], key)
        assert kept == {}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_stubs_of_an_imported_server_serve_what_the_server_lists(
    path: Path, tmp_path: Path
) -> None:
    made = counterfoil("init", "--from", str(path), "--server", "peer", cwd=tmp_path)
    assert made.status == 0, made.err
    assert counterfoil("validate", cwd=tmp_path).status == 0
    assert counterfoil("check", "--no-cache", cwd=tmp_path).status == 0
    line = f"{sys.executable} {SERVE} {tmp_path / 'src'} peer_bindings peer"
    outcome = counterfoil(
        "parity", "--format", "json", "--server", "peer", "--command", line, cwd=tmp_path
    )
    assert outcome.status == 0, outcome.out
    assert [each for each in outcome.findings if each["code"].startswith("CF3")] == []
