"""The wrappers of this repository, and the examples of the documentation, under the same checks."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_wrapper_scaffold.lint.judging import lint
from mcp_wrapper_scaffold.lint.rules import RULES
from mcp_wrapper_scaffold.lint.settings import Settings, find_settings
from mcp_wrapper_scaffold.scan.judging import scan

ROOT = Path(__file__).parents[4]
WRAPPERS = ["ga4", "lemonsqueezy"]
README = (ROOT / "servers/wrapper/README.md").read_text("utf-8")


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_has_nothing_that_leads_past_its_gate(name: str) -> None:
    package = ROOT / f"servers/{name}/src/{name}_mcp"
    settings = find_settings(package)
    assert settings.root == ROOT / f"servers/{name}"
    assert lint([package], settings) == []


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_needs_permits_for_nothing_but_its_bindings_and_their_models(name: str) -> None:
    found = lint([ROOT / f"servers/{name}/src/{name}_mcp"], Settings())
    assert {finding.code for finding in found} <= {"MW105"}
    foreign = {finding.message.split(" ")[0].partition(".")[0] for finding in found}
    assert foreign <= {"counterfoil_bindings", "pydantic"}


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_has_nothing_hidden_in_what_is_built_of_it(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("the builder hatchling is not installed")
    member = ROOT / f"servers/{name}"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", tmp_path],
        cwd=member,
        capture_output=True,
        timeout=120,
        check=True,
    )
    built = sorted(tmp_path.iterdir())
    assert len(built) == 2
    for path in built:
        made = scan(path, find_settings(member))
        assert (made.findings, made.notes) == ((), ())


def test_the_first_example_of_the_documentation_needs_no_permit(tmp_path: Path) -> None:
    example = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    (tmp_path / "orders_mcp.py").write_text(example, "utf-8")
    assert lint([tmp_path / "orders_mcp.py"], Settings()) == []


def test_the_documentation_names_no_code_that_there_is_not() -> None:
    assert set(re.findall(r"MW[0-9]{3}", README)) <= set(RULES)
