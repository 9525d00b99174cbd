"""Every command of every page is run, and prints what the page shows.

How a page says what is to be run and what it prints is written at the top of
``tests/support/walkthrough.py``. Run one page, and see all it prints, with
``python tests/support/walkthrough.py docs/guides/change-a-tool.md``.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import walkthrough
from walkthrough import ROOT

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [
        ROOT / "README.md",
        *ROOT.glob("docs/guides/*.md"),
    ]
)

# What no test can run, by page and first line of the fence; the page says why.
NOT_RUN = {
    ("README.md", "python3 -m venv .venv"),
    ("README.md", "nox -s demo"),
    ("README.md", "nox -s develop"),
    ("docs/guides/deploy.md", "docker build --tag fairwins-mcp servers/fairwins"),
    ("docs/guides/deploy.md", "for port in 8321 8322; do"),
    ("docs/guides/deploy.md", "python3 -m venv /opt/mcp"),
    ("docs/guides/deploy.md", "for port in 8791 8792; do"),
    (
        "docs/guides/deploy.md",
        "echo 'set server fairwins/a state drain' | socat stdio /run/haproxy/admin.sock",
    ),
    ("docs/guides/set-up.md", "git clone ADDRESS counterfoil"),
    ("docs/guides/set-up.md", "python3 -m venv .venv"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_does_what_it_says(name: str, tmp_path: Path) -> None:
    page = walkthrough.read(ROOT / name)
    missing = [program for program in page.needs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}")
    outcomes = list(walkthrough.run(page, tmp_path))
    faults = [
        f"{name}:{outcome.step.line}: {outcome.fault}\n{outcome.step.text}\n{outcome.printed}"
        for outcome in outcomes
        if outcome.fault
    ]
    assert not faults, "\n\n".join(faults)
    assert len(outcomes) == len(page.steps) - len(page.left_out)


def test_what_is_not_run_is_listed() -> None:
    found = {
        (name, step.text.splitlines()[0].partition("  #")[0].rstrip())
        for name in PAGES
        for step in walkthrough.read(ROOT / name).left_out
    }
    assert found == NOT_RUN
