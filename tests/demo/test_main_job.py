"""What the demo expects to be stale is what the check says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def main_job() -> ModuleType:
    path = ROOT / "tools" / "demo" / "main_job.py"
    spec = importlib.util.spec_from_file_location("main_job", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_check_names_each_file_that_is_made_from_the_edited_tool(
    main_job: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "repository"
    main_job.copy_repository(copy)
    main_job.tell_of_an_argument_more(copy)
    assert "and no other" in capsys.readouterr().out


def test_a_long_output_has_counts_in_the_place_of_differences(main_job: ModuleType) -> None:
    finding = ["a.json:1:1: CF203 (error) stale", "    -old", "    +new", "  hint: run it"]
    assert list(main_job.readable(finding)) == finding
    assert list(main_job.readable(finding * 6)) == [
        finding[0], "    … 2 lines of difference", finding[3],
    ] * 6  # fmt: skip
