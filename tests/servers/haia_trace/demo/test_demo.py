"""The demo as people run it, and what it does when something is not as it should be."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

ALTERED = """
import sys
from haia_trace_mcp.demo.play import make_sellers, play
reliable, silent = make_sellers()
{change}
sys.exit(play(reliable, silent))
"""
WITHOUT = """
import sys
sys.modules[{name!r}] = None
from haia_trace_mcp.cli import main
sys.exit(main(["demo"]))
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-W", "error", *words]
    return subprocess.run(line, capture_output=True, encoding="utf-8", timeout=120, check=False)


def test_the_demo_ends_as_it_should_and_says_what_happened() -> None:
    done = run("-m", "haia_trace_mcp", "demo")
    assert (done.returncode, done.stderr) == (0, "")
    for told in (
        "(Seller A) -> 200",
        "(Seller B) -> 504",
        "x402.payment.responded",
        '"decision": "review"',
        '"rule": "open_partial"',
        '"status": "pending"',
        "human$ haia-trace-mcp review reject",
        "every line is as it was written",
        '"status": "rejected"',
        "Money may have moved",
        "Everything was as it should be. Only the money was simulated.",
    ):
        assert told in done.stdout
    assert done.stdout.count("x402.payment.submitted") >= 2
    assert "signature" not in done.stdout


def test_a_kept_demo_leaves_the_review_to_the_reader_and_says_how_it_is_decided(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "a new folder"
    done = run("-m", "haia_trace_mcp", "demo", "--keep", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert "You do, with approve or reject" in done.stdout
    told = [line for line in done.stdout.splitlines() if line.startswith("  haia-trace-mcp ")]
    for line, answer in zip(told, ("pending", "It never answered"), strict=True):
        decided = run("-m", "haia_trace_mcp", *shlex.split(line)[1:])
        assert (decided.returncode, decided.stderr) == (0, "")
        assert answer in decided.stdout


def test_a_folder_with_something_in_it_is_not_taken_for_the_demo(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    done = run("-m", "haia_trace_mcp", "demo", "--keep", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"there is something in {tmp_path}; name a new folder" in done.stderr


def test_the_demo_fails_when_the_silent_seller_settles() -> None:
    done = run("-c", ALTERED.format(change="silent.settles = True"))
    assert done.returncode == 1
    assert "DEMO FAILED: it was expected that Seller B answers 504" in done.stdout


def test_the_demo_fails_when_the_guard_has_nothing_against_a_seller() -> None:
    change = "silent.settles = True; reliable.settles = False"
    done = run("-c", ALTERED.format(change=change))
    assert done.returncode == 1
    assert "DEMO FAILED: it was expected that Seller A answers 200" in done.stdout


def test_without_its_extra_the_demo_says_what_to_install() -> None:
    for name in ("x402", "eth_account"):
        done = run("-c", WITHOUT.format(name=name))
        assert (done.returncode, done.stdout) == (2, "")
        assert "pip install 'haia-trace-mcp[demo]'" in done.stderr
        assert "Traceback" not in done.stderr
