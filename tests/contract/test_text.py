"""Characters that no target can be trusted with."""

from __future__ import annotations

import json
from typing import Any

import pytest

from counterfoil.contract.report import Report
from counterfoil.contract.text import judge_text


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
        "\u200d",
        "\ufeff",
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
