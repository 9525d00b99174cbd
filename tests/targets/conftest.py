"""Contracts for the targets' tests, and the plan that a configuration makes of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from counterfoil.cache import Cache
from counterfoil.config import Config, Output
from counterfoil.contract.canonical import arranged, dump
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract, read_contract_bytes
from counterfoil.plan import Step, plan, steps

Data = dict[str, Any]
Cases = Mapping[tuple[str, str], Mapping[str, object]]
MakeContract = Callable[[Data], Contract]
MakeSteps = Callable[..., list[Step]]
Make = Callable[..., dict[str, bytes]]

# Everything that has ended a string, a comment, a cell, a block or a script element somewhere.
HOSTILE = (
    'x */ " \' `y` ``z`` ``` """ \\ \\\\ {{ 7*7 }} {% raw %} ${1} #{1} | a | b |\n'
    "</script><script>alert(1)</script> <img src=x onerror=alert(1)> <!-- --> ]]> &lt; &#60;\n"
    "[a](javascript:alert(1)) ![b](data:x) <javascript:alert(1)> [c]: javascript:d\n"
    "# One\n## Tools\n### Tool `ghost`\n- item\n+ item\n1. one\n2) two\n> quote\n---\n===\n"
    "```\n~~~\n    code\n\n| a | b |\n| --- | --- |\n| c | d |\n<div>\n@ts-expect-error\n"
    "@deprecated {@link x} \u2028*/ alert(2) //\u2029 é 🌍 *b* _i_ __k__ ~~s~~ $m$ :x:"
)
_PROSE = frozenset(
    {"because", "description", "instructions", "meaning", "note", "text", "title", "whenAbsent"}
)


def soiled(value: Any) -> Any:
    """Return a contract in which every text for people is hostile."""
    if isinstance(value, list):
        return [soiled(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: HOSTILE if key in _PROSE and isinstance(each, str) else soiled(each)
        for key, each in value.items()
    }


def load(data: Data) -> Contract:
    reading = read_contract_bytes(dump(arranged(data)).encode(), "contract/contract.json")
    assert reading.contract is not None, reading.findings
    return reading.contract


@pytest.fixture(scope="session")
def make_contract() -> MakeContract:
    """Give a function that reads data as a contract."""
    return load


@pytest.fixture
def data() -> Data:
    """Give the data of a contract with three servers, free to be changed."""
    text = (Path(__file__).with_name("data") / "harbour.json").read_text("utf-8")
    found: Data = json.loads(text)
    return found


@pytest.fixture
def harbour(data: Data) -> Contract:
    """Give a contract with three servers: harbour has routes, gull is a wrapper."""
    return load(copy.deepcopy(data))


@pytest.fixture(scope="session")
def real() -> Contract:
    """Give the contract of this repository."""
    path = Path(__file__).parents[2] / "contract/contract.json"
    reading = read_contract(path, "contract/contract.json")
    assert reading.contract is not None, reading.findings
    return reading.contract


@pytest.fixture
def hostile(data: Data) -> Contract:
    """Give the same contract with texts, names and values that try to break out."""
    made: Data = soiled(copy.deepcopy(data))
    made["wording"] = {"unknown": HOSTILE}
    odd = {
        "type": "object",
        "properties": {
            HOSTILE: {"type": "string", "pattern": "^a*/ `|` [b]$"},
            "__proto__": {"enum": [HOSTILE, "`", "|", "</script>"]},
            "const": {"const": {HOSTILE: [HOSTILE]}},
            "default": {"type": "string", "default": HOSTILE},
        },
    }
    harbour = made["servers"]["harbour"]
    harbour["tools"][1]["inputSchema"]["properties"]["odd"] = odd
    harbour["routes"][0]["response"]["properties"]["odd"] = odd
    harbour["name"] = HOSTILE[:128]
    harbour["prompts"][0]["messages"][0]["text"] = HOSTILE
    made["servers"]["gull"]["outbound"][0]["pathPattern"] = f"/{HOSTILE.splitlines()[0]}"
    return load(made)


@pytest.fixture
def make_steps(tmp_path: Path) -> MakeSteps:
    """Give a function that returns the steps of outputs given as (target, path)."""

    def made(
        contract: Contract, *outputs: tuple[str, str], cases: Cases | None = None
    ) -> list[Step]:
        config = Config(tmp_path, outputs=tuple(Output(*each) for each in outputs))
        return list(steps(contract, config, Cache(None), cases or {}))

    return made


@pytest.fixture
def make(make_steps: MakeSteps) -> Make:
    """Give a function that returns the planned files of outputs: content by path."""

    def made(
        contract: Contract, *outputs: tuple[str, str], cases: Cases | None = None
    ) -> dict[str, bytes]:
        planned = plan(make_steps(contract, *outputs, cases=cases))
        return {path: file.content for path, file in planned.items()}

    return made
