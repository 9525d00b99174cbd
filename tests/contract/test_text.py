"""Characters that no target can be trusted with."""

from __future__ import annotations

import json
from typing import Any

import pytest

from counterfoil.contract.report import Report
from counterfoil.contract.text import is_suspect, judge_text


def pointers(data: Any) -> list[str]:
    report = Report("contract.json", json.dumps(data))
    judge_text(data, report)
    findings = report.findings()
    assert {finding.code for finding in findings} <= {"CF106"}
    return sorted(finding.pointer for finding in findings)


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\x07",
        "\r",
        "\x1b",
        "\x7f",
        "\x85",
        "\x9f",
        "\ud800",
        "\u202e",
        "\u2066",
        "\u2069",
        "\u200e",
        "\u061c",
        "\u200b",
        "\u200c",
        "\u200d",
        "\u2060",
        "\ufeff",
        "\xad",
        "\ufff9",
        "\ufffb",
        "\U000e0000",
        "\U000e0041",
        "\U000e007f",
        "\u3164",
        "\ufe0f\ufe0e",
        "\U000e0101\U000e0102",
    ],
)
def test_a_hostile_character_is_reported_in_values_and_in_keys(character: str) -> None:
    assert pointers({"a": [f"x{character}y"]}) == ["/a/0"]
    assert pointers({f"x{character}": 1}) == [f"/x{character}"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "tab\tand\nline",
        "ä",
        "\u2028",
        "\U0001f600",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0d9a\u0dca\u200d\u0dc2",
        "\U0001f469\u200d\U0001f4bb",
        "\u2764\ufe0f\u200d\U0001f525",
        "1\ufe0f\u20e3",
        "\u845b\U000e0100",
        "*/ ''' \"\"\"",
        "${x} {{x}} <script>",
        "\u0e33",
        "e\u0301",
    ],
)
def test_other_text_passes(text: str) -> None:
    assert pointers({text: {"a": [text, {"b": text}]}}) == []


def test_each_text_is_reported_once_by_its_first_character() -> None:
    report = Report("contract.json", '["x"]')
    judge_text(["\u202e\x00\u202e"], report)
    (finding,) = report.findings()
    assert finding.message == "text holds U+202E, a bidirectional control"


def test_the_quick_look_stops_at_every_character_that_is_refused() -> None:
    refused = [
        character
        for character in map(chr, range(0x110000))
        if pointers_of(f"x{character}y") or pointers_of(f"\ufe00{character}")
    ]
    assert {"\u200b", "\u200d", "\U000e0041", "\U000e0100"} <= set(refused)
    for character in refused:
        for raw in (True, False):
            assert is_suspect(json.dumps(character, ensure_ascii=raw)), hex(ord(character))


def pointers_of(text: str) -> bool:
    report = Report("contract.json", "")
    judge_text(text, report)
    return bool(report)


def test_the_quick_look_passes_the_text_of_most_contracts() -> None:
    assert not is_suspect(json.dumps({"a": 'x\ny "z" \\ ä \U0001f600'}, ensure_ascii=False))
