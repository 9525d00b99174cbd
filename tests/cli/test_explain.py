"""``counterfoil explain``, with what people have at hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from starter import counterfoil

from counterfoil.findings import RULES
from counterfoil.findings.lookup import find_rules

PASTED = "contract/contract.json:3:5 #/servers/notes: CF104 nested object has no title"


@pytest.mark.parametrize(
    "text", ["CF104", "cf104", "104", PASTED, f"  {PASTED}\n", "nested object"]
)
def test_a_rule_is_found_by_what_people_have(text: str, tmp_path: Path) -> None:
    outcome = counterfoil("explain", text, cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith("CF104: nested object has no title\n")
    assert outcome.out.count("Mend:") == 1


def test_a_part_of_a_code_lists_what_begins_so(tmp_path: Path) -> None:
    for text in ("cf10", "CF10x", "10"):
        lines = counterfoil("explain", text, cwd=tmp_path).out.splitlines()
        assert [line[:5] for line in lines] == [code for code in RULES if code.startswith("CF10")]


def test_rules_explains_the_same_way(tmp_path: Path) -> None:
    for words in (["CF104", "cf201"], ["10"]):
        told = counterfoil("rules", *words, cwd=tmp_path)
        assert told == counterfoil("explain", *words, cwd=tmp_path)


def test_every_code_finds_its_own_rule_alone() -> None:
    for code, rule in RULES.items():
        assert find_rules(f"a.json: {code.lower()} (warning) x") == (rule,)


@pytest.mark.parametrize(
    "text", ["XCF104", "CF1040", "CF", "", "CF999", "no title has these words"]
)
def test_what_means_no_rule_finds_none(text: str) -> None:
    assert find_rules(text) == ()


def piped(text: bytes, cwd: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "counterfoil", "explain", "-"],
        cwd=cwd,
        env=os.environ,
        input=text,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_what_a_check_prints_is_explained_once_a_code(tmp_path: Path) -> None:
    status, out, _ = piped(b"\xff: CF204 x\na: CF104 y\nb: CF204 z\n2 errors\n", tmp_path)
    assert status == 0
    assert [line[:6] for line in out.splitlines() if line[:2] == "CF"] == ["CF204:", "CF104:"]


def test_the_silence_of_a_clean_check_is_no_error(tmp_path: Path) -> None:
    status, out, err = piped(b"", tmp_path)
    assert (status, out) == (0, "")
    assert "nothing to explain" in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("XX104", "near: CF104"),
        ("0123456789ab", "is the fingerprint of one change"),
        ("", "'' is no finding code"),
    ],
)
def test_what_means_nothing_ends_with_two_and_says_where_to_look(
    text: str, said: str, tmp_path: Path
) -> None:
    outcome = counterfoil("explain", text, cwd=tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.err
