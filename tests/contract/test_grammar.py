"""The grammar of a contract, and what is said when it is broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.contract.grammar import grammar, grammar_text, judge_grammar
from counterfoil.contract.report import Report
from counterfoil.findings import Finding

ROOT = Path(__file__).parents[2]
TOOL: dict[str, Any] = {
    "name": "t",
    "title": "T",
    "description": "T.",
    "auth": "none",
    "surfaces": ["mcp"],
    "inputSchema": {"type": "object"},
    "exec": {"kind": "handler"},
}


def judged(data: Any) -> tuple[Finding, ...]:
    report = Report("contract.json", json.dumps(data))
    kept = judge_grammar(data, report)
    findings = report.findings()
    assert kept is (findings == ())
    return findings


def with_tool(smallest: dict[str, Any], **changes: Any) -> dict[str, Any]:
    tool = {key: value for key, value in {**TOOL, **changes}.items() if value is not ...}
    smallest["servers"]["a"]["tools"] = [tool]
    return smallest


def test_the_smallest_contract_keeps_the_grammar(smallest: dict[str, Any]) -> None:
    assert judged(smallest) == ()
    assert judged(with_tool(smallest)) == ()


def test_the_shipped_copy_is_the_packaged_grammar() -> None:
    shipped = json.loads((ROOT / "contract/contract.schema.json").read_text("utf-8"))
    del shipped["$comment"]
    assert shipped == grammar() == json.loads(grammar_text())


@pytest.mark.parametrize("data", [None, [], 1, "x", {}])
def test_what_is_no_contract_at_all_is_reported(data: Any) -> None:
    findings = judged(data)
    assert {finding.code for finding in findings} == {"CF103"}
    assert {finding.pointer for finding in findings} == {""}


def test_a_slip_in_a_name_is_placed_and_guessed(smallest: dict[str, Any]) -> None:
    data = with_tool(smallest, ouputSchema={"type": "object"})
    (finding,) = judged(data)
    assert finding.pointer == "/servers/a/tools/0/ouputSchema"
    assert finding.message == '"ouputSchema" is not known here'
    assert finding.hint.startswith('did you mean "outputSchema"? known here: _meta, annotations')


def test_every_breach_is_reported_in_one_run(smallest: dict[str, Any]) -> None:
    data = with_tool(smallest, name="a b", auth="maybe", surfaces=[], title="", exec={})
    data["servers"]["a"]["version"] = ""
    assert sorted(finding.pointer for finding in judged(data)) == [
        "/servers/a/tools/0/auth",
        "/servers/a/tools/0/exec",
        "/servers/a/tools/0/name",
        "/servers/a/tools/0/surfaces",
        "/servers/a/tools/0/title",
        "/servers/a/version",
    ]


@pytest.mark.parametrize(
    ("changes", "tail"),
    [
        ({"auth": "local", "surfaces": ["assistant"]}, "exec/kind"),
        ({"exec": {"kind": "local"}}, "auth"),
        ({"scope": "read"}, "auth"),
        ({"exec": {"kind": "route"}}, "exec"),
        ({"exec": {"kind": "handler", "route": "x"}}, "exec/route"),
        ({"inputSchema": {}}, "inputSchema"),
        ({"inputSchema": {"type": "array"}}, "inputSchema/type"),
        ({"outputSchema": {"type": "string"}}, "outputSchema"),
        ({"auth": ...}, ""),
        ({"surfaces": ["mcp", "mcp"]}, "surfaces"),
        ({"deprecated": {"date": "soon"}}, "deprecated/date"),
        ({"annotations": {"readOnly": True}}, "annotations/readOnly"),
    ],
)
def test_a_tool_that_does_not_agree_with_itself_is_reported(
    changes: dict[str, Any], tail: str, smallest: dict[str, Any]
) -> None:
    pointers = {finding.pointer for finding in judged(with_tool(smallest, **changes))}
    assert f"/servers/a/tools/0/{tail}".rstrip("/") in pointers


def test_an_outbound_list_is_for_wrappers_only(smallest: dict[str, Any]) -> None:
    smallest["servers"]["a"]["outbound"] = []
    (finding,) = judged(smallest)
    assert (finding.pointer, finding.message) == ("/servers/a/outbound", "this is not allowed here")
    smallest["servers"]["a"]["binding"] = "wrapper"
    assert judged(smallest) == ()
    del smallest["servers"]["a"]["outbound"]
    assert [finding.pointer for finding in judged(smallest)] == ["/servers/a"]


@pytest.mark.parametrize("name", ["A", "a_b", "-a", "a--b", "a-", "1a", "", "a" * 65])
def test_a_bad_id_of_a_server_is_reported(name: str, smallest: dict[str, Any]) -> None:
    smallest["servers"] = {name: smallest["servers"]["a"]}
    assert {finding.pointer for finding in judged(smallest)} == {"/servers"}


def test_a_long_value_does_not_make_a_long_message(smallest: dict[str, Any]) -> None:
    findings = judged(with_tool(smallest, name="x" * 100_000))
    assert max(len(finding.message) for finding in findings) <= 300
