"""Every command of every page is run, and prints what the page shows.

How a page says what is to be run and what it prints is written at the top of
``tests/support/walkthrough.py``. Run one page, and see all it prints, with
``python tests/support/walkthrough.py docs/guides/change-a-tool.md``.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import walkthrough
from walkthrough import ROOT

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("docs/guides/*.md"),
        *ROOT.glob("servers/*/README.md"),
        ROOT / "tools" / "README.md",
    ]
)

# What no test can run, by page and first line of the fence; the page says why.
NOT_RUN = {
    ("CONTRIBUTING.md", "python3 -m venv .venv && . .venv/bin/activate"),
    (
        "servers/fairwins/README.md",
        "fairwins-mcp client-config",
    ),
    ("servers/fairwins/README.md", "fairwins-mcp --http"),
    ("servers/fairwins/README.md", "cd servers/fairwins"),
    ("servers/fairwins/README.md", "docker build -t fairwins-mcp servers/fairwins"),
    ("servers/ga4/README.md", "pip install ./generated ./servers/wrapper ./servers/ga4"),
    ("servers/ga4/README.md", "export MCP_AGENT_TOKEN=$(openssl rand -hex 32)"),
    ("servers/ga4/README.md", "docker build --file servers/ga4/Dockerfile --tag ga4-mcp ."),
    (
        "servers/gateway/README.md",
        "pip install ./servers/gateway",
    ),
    (
        "servers/gateway/README.md",
        "fairwins-gateway token issue --account 0x00000000000000000000000000000000000a11ce",
    ),
    ("servers/gateway/README.md", "export FAIRWINS_API_URL=http://127.0.0.1:8780"),
    (
        "servers/gateway/README.md",
        "fairwins-gateway serve --admin-port 8781 --fault chain-unreadable=63",
    ),
    ("servers/gateway/README.md", "curl -s http://127.0.0.1:8780/v1/member/fees > offer.json"),
    ("servers/haia_trace/README.md", "pip install ./generated './servers/haia_trace[demo]'"),
    (
        "servers/haia_trace/README.md",
        "docker build --file servers/haia_trace/Dockerfile --tag haia-trace-mcp .",
    ),
    ("servers/haia_trace/README.md", "haia-trace-mcp --dir .trace --http 127.0.0.1:3000 \\"),
    (
        "servers/lemonsqueezy/README.md",
        "pip install ./generated ./servers/wrapper ./servers/lemonsqueezy",
    ),
    ("servers/lemonsqueezy/README.md", "export MCP_AGENT_TOKEN=$(openssl rand -hex 32)"),
    (
        "servers/lemonsqueezy/README.md",
        "docker build --file servers/lemonsqueezy/Dockerfile --tag lemonsqueezy-mcp .",
    ),
    (
        "servers/wrapper/README.md",
        "AGENT_TOKEN=$(openssl rand -hex 32) LS_API_KEY=… python orders_mcp.py",
    ),
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


OURS = ("counterfoil", "fairwins-gateway", "fairwins-mcp", "ga4-mcp", "haia-trace-mcp",
        "lemonsqueezy-mcp", "mcp-wrapper")  # fmt: skip


def commands_of_ours(name: str) -> Iterator[list[str]]:
    """Yield the words of commands that are not run, and whose program is in this repository."""
    for step in walkthrough.read(ROOT / name).left_out:
        for line in step.text.replace("\\\n", " ").splitlines():
            try:
                words = shlex.split(line, comments=True)
            except ValueError:  # a line of something that is longer
                continue
            if words and words[0] in OURS:
                yield words


@pytest.mark.parametrize("name", PAGES)
def test_what_is_not_run_has_only_options_that_the_command_knows(name: str) -> None:
    unknown = [
        f"{' '.join(words)}: {word}"
        for words in commands_of_ours(name)
        for word in words
        if word.startswith("--") and word.partition("=")[0] not in help_of(*subcommand(words))
    ]
    assert unknown == []


def subcommand(words: list[str]) -> list[str]:
    """Return the program and the words behind it that change what its help says."""
    chosen = words[:1]
    for word in words[1:]:
        if not re.fullmatch("[a-z]+(-[a-z]+)*", word) or help_of(*chosen, word) == help_of(*chosen):
            break
        chosen.append(word)
    return chosen


@cache
def help_of(*words: str) -> str:
    done = subprocess.run(
        [*words, "--help"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout
