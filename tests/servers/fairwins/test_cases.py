"""The contract's example calls and answers: the server must judge each as the contract does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairwins_mcp.answers import Answer
from fairwins_mcp.errors import ApiError, ArgumentError
from fairwins_mcp.surface import load_snapshot
from fairwins_mcp.tools import Tool

SNAPSHOT = load_snapshot()
CASES = Path(__file__).parents[3] / "contract" / "cases" / "fairwins"
SERVED = {tool["name"]: tool for tool in SNAPSHOT["tools"] if "mcp" in tool["surfaces"]}


def list_cases(kind: str) -> list[Any]:
    """Return (tool name, accepted?, case) parameters; kind is arguments or results."""
    found: list[Any] = []
    for name in SERVED:
        cases: Any = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
        chosen = cases if kind == "arguments" else cases.get("results", {})
        for verdict in ("accepted", "refused"):
            found += [
                pytest.param(name, verdict == "accepted", case, id=f"{name}-{case['name']}")
                for case in chosen.get(verdict, [])
            ]
    return found


@pytest.mark.parametrize(("name", "accepted", "case"), list_cases("arguments"))
def test_arguments_are_judged_as_the_contract_says(name: str, accepted: bool, case: Any) -> None:
    tool = Tool(SERVED[name], SNAPSHOT)
    if accepted:
        assert tool.plan(case["arguments"]).target.startswith("/")
    else:
        with pytest.raises(ArgumentError):
            tool.plan(case["arguments"])


@pytest.mark.parametrize(("name", "accepted", "case"), list_cases("results"))
def test_answers_are_judged_as_the_contract_says(name: str, accepted: bool, case: Any) -> None:
    tool = Tool(SERVED[name], SNAPSHOT)
    answer = Answer(json.dumps(case["value"]), case["value"])
    if accepted:
        tool.check(answer)
    else:
        with pytest.raises(ApiError, match="invalid_response"):
            tool.check(answer)
