"""The contract against all that repeats it: every kind of drift is planted and named."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from parity_bench import SNAPSHOT, Bench, Change

Surface = dict[str, Any]


def tool(surface: Surface, name: str) -> dict[str, Any]:
    return next(each for each in surface["tools"] if each["name"] == name)


def test_what_agrees_is_clean(bench: Bench) -> None:
    assert bench.run("parity") == (0, [])


def test_offline_asks_no_server(bench: Bench) -> None:
    (bench.root / "server/fairwins_mcp/__main__.py").write_text("raise SystemExit(3)\n")
    assert bench.run("parity", "--offline") == (0, [])


SPOILED: dict[str, tuple[Change, set[str], str]] = {
    "a tool too many": (
        lambda s: s["tools"].append({**tool(s, "get_fees"), "name": "drop_tables"}),
        {"CF302", "CF311", "CF320"},
        "drop_tables",
    ),
    "a tool too few": (
        lambda s: s["tools"].remove(tool(s, "get_fees")),
        {"CF301", "CF310", "CF320"},
        "get_fees",
    ),
    "another description": (
        lambda s: tool(s, "get_fees").update(description="Fees."),
        {"CF303", "CF320"},
        "get_fees: description",
    ),
    "a wider bound": (
        lambda s: tool(s, "get_wagers")["inputSchema"]["properties"]["first"].update(maximum=500),
        {"CF303", "CF320"},
        "maximum is 200 here and 500 there",
    ),
    "a hint turned over": (
        lambda s: tool(s, "get_fees")["annotations"].update(readOnlyHint=False),
        {"CF303", "CF320"},
        "annotations",
    ),
    "a resource too few": (
        lambda s: s["resources"].pop(),
        {"CF304", "CF310", "CF320"},
        "resource",
    ),
    "a prompt too many": (
        lambda s: s["prompts"].append({**s["prompts"][0], "name": "surprise"}),
        {"CF305", "CF311", "CF320"},
        "surprise",
    ),
    "another prompt argument": (
        lambda s: next(p for p in s["prompts"] if "arguments" in p)["arguments"][0].update(
            required=True
        ),
        {"CF306", "CF320"},
        "arguments",
    ),
    "another version": (
        lambda s: s["server"].update(version="9.9.9"),
        {"CF307", "CF320"},
        "9.9.9",
    ),
    "other instructions": (
        lambda s: s["server"].update(instructions="Ask me anything."),
        {"CF307", "CF320"},
        "instructions",
    ),
    "another path": (
        lambda s: s["routes"]["wagers"].update(path="/v1/wagers"),
        {"CF330"},
        "/v1/wagers",
    ),
    "another fixed sentence": (
        lambda s: s["wording"].update(unknown="Nothing found."),
        {"CF320"},
        "wording",
    ),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_spoiled_surface_is_named(bench: Bench, case: str) -> None:
    change, expected, named = SPOILED[case]
    bench.edit(SNAPSHOT, change)
    status, findings = bench.run("parity")
    assert status == 1
    assert {finding["code"] for finding in findings} == expected
    assert any(named in finding["message"] for finding in findings)
    for finding in findings:
        assert finding["line"] > 0 or finding["path"] == SNAPSHOT, finding


def test_a_reformatted_snapshot_is_equal_in_meaning_and_not_in_bytes(bench: Bench) -> None:
    path = bench.root / SNAPSHOT
    path.write_text(path.read_text("utf-8").replace("  ", "    "), "utf-8")
    assert bench.codes("parity") == {"CF321"}
    assert bench.codes("check") == {"CF204"}


@pytest.mark.parametrize("text", ["[]", "null", "{", '{"tools": 3}', "[" * 100_000])
def test_a_snapshot_that_is_none_is_named(bench: Bench, text: str) -> None:
    (bench.root / SNAPSHOT).write_text(text, "utf-8")
    assert "CF320" in bench.codes("parity", "--offline")


def test_a_file_that_rephrases_a_sentence_is_named(bench: Bench) -> None:
    path = bench.root / "guide.md"
    path.write_text(path.read_text("utf-8").replace("unknown", "unclear"), "utf-8")
    status, findings = bench.run("parity", "--offline")
    assert status == 1
    assert [(each["code"], each["path"]) for each in findings] == [("CF340", "guide.md")]


STALE = {
    "a sentence": ('[[tool.counterfoil.wording]]\nname = "gone"\npaths = ["guide.md"]\n', "CF342"),
    "a file": ('[[tool.counterfoil.wording]]\nname = "price"\npaths = ["gone.md"]\n', "CF342"),
    "a server": ('[[tool.counterfoil.server]]\nid = "gone"\ncommand = ["gone"]\n', "CF350"),
}


@pytest.mark.parametrize("case", STALE)
def test_a_stale_entry_of_the_configuration_is_named(bench: Bench, case: str) -> None:
    table, code = STALE[case]
    with (bench.root / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{table}")
    assert bench.codes("parity") == {code}


def test_a_sentence_that_nothing_uses_is_named(bench: Bench) -> None:
    path = bench.root / "pyproject.toml"
    text = path.read_text("utf-8").replace('target = "snapshot"', 'target = "reference"')
    path.write_text(text.replace(SNAPSHOT, "reference.md"), "utf-8")
    assert bench.codes("parity", "--offline") >= {"CF341"}


def test_an_output_without_a_tool_is_named_at_the_tool(bench: Bench) -> None:
    (bench.root / "openapi.json").unlink()
    status, findings = bench.run("parity", "--offline")
    assert status == 1
    assert {finding["code"] for finding in findings} == {"CF310"}
    assert any(finding["pointer"].startswith("/servers/fairwins/routes/") for finding in findings)


def test_a_server_that_does_not_start_is_an_error_and_no_finding(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"{sys.executable} -c raise(SystemExit(3))"
    words = ["parity", "--server", "fairwins", "--command", line]
    status, findings = bench.run(*words)
    assert (status, findings) == (2, [])


def test_a_broken_contract_is_reported_and_nothing_compared(bench: Bench) -> None:
    bench.edit("contract.json", lambda c: c["servers"]["fairwins"].update(binding="sdk"))
    status, findings = bench.run("parity")
    assert status == 1
    assert {finding["code"] for finding in findings} == {"CF103"}
