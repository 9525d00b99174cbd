"""The shipped contract, and what linting costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterfoil.contract.cases import read_cases
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract
from counterfoil.lint import lint_cases, lint_contract

ROOT = Path(__file__).parents[2]
CONTRACT = "contract/contract.json"

QUIET = """
import sys
from pathlib import Path
from counterfoil.contract.reading import read_contract
from counterfoil.lint import lint_contract
contract = read_contract(Path(sys.argv[1]), "contract.json").contract
assert lint_contract(contract) == ()
print(sorted({name.partition(".")[0] for name in sys.modules} & {"jsonschema", "pydantic"}))
"""


def test_the_shipped_contract_and_its_cases_have_no_finding() -> None:
    reading = read_contract(ROOT / CONTRACT, CONTRACT)
    assert reading.findings == ()
    assert reading.contract is not None
    assert lint_contract(reading.contract) == ()
    cases, findings = read_cases(ROOT, "contract/cases", reading.contract)
    assert findings == ()
    assert lint_cases(reading.contract, cases) == ()


def test_a_clean_contract_is_judged_without_the_slow_libraries() -> None:
    done = subprocess.run(
        [sys.executable, "-c", QUIET, ROOT / CONTRACT],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def _with_tools(count: int, changed: Callable[..., dict[str, Any]]) -> Contract:
    data = changed()
    tools = data["servers"]["shop"]["tools"]
    model = tools[1]
    tools += [{**model, "name": f"get_item_n{index}"} for index in range(count)]
    return Contract("contract.json", json.dumps(data), data)


def _calls(contract: Contract) -> int:
    """Return how many functions a lint calls, which unlike seconds is always the same."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        findings = lint_contract(contract)
    finally:
        sys.setprofile(None)
    assert findings == ()
    return count


def test_the_work_grows_with_the_number_of_tools_and_no_faster(
    changed: Callable[..., dict[str, Any]],
) -> None:
    small, large = (_calls(_with_tools(count, changed)) for count in (50, 200))
    assert large < 4.4 * small
