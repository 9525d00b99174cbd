"""The contract's outbound lists against what wrappers really permit, in both directions."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from parity_bench import ROOT, Bench, only

from counterfoil.cli import main

Entries = list[dict[str, Any]]
CONTRACT = json.loads((ROOT / "contract/contract.json").read_text("utf-8"))
OUTBOUND: Entries = CONTRACT["servers"]["ga4"]["outbound"]
PRINT = "import pathlib; print(pathlib.Path('list.json').read_text())"
WAIT = "import threading; threading.Event().wait()"
BY_PATH = 'path = "list.json"'
BY_COMMAND = f"command = {json.dumps([sys.executable, '-c', PRINT])}"


@pytest.fixture
def wrapper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    """Return a project whose wrapper permits what its contract says."""
    shutil.copyfile(ROOT / "contract/contract.json", tmp_path / "contract.json")
    made = Bench(tmp_path, lambda: capsys.readouterr().out)
    made.edit("contract.json", only("ga4"))
    made.edit("contract.json", lambda contract: contract.pop("wording"))
    configure(made, BY_PATH)
    listed(made, OUTBOUND)
    return made


def configure(bench: Bench, lines: str, server: str = "ga4") -> None:
    text = (
        f'[tool.counterfoil]\ncontract = "contract.json"\n\n[[tool.counterfoil.allowlist]]\n{lines}'
    )
    (bench.root / "pyproject.toml").write_text(f'{text}\nid = "{server}"\n', "utf-8")


def listed(bench: Bench, entries: object) -> None:
    (bench.root / "list.json").write_text(json.dumps(entries), "utf-8")


def sent(entries: Entries) -> Entries:
    return [{key: entry[key] for key in ("method", "origin", "pathPattern")} for entry in entries]


@pytest.mark.parametrize("lines", [BY_PATH, BY_COMMAND])
def test_a_list_that_agrees_is_clean_in_any_order(wrapper: Bench, lines: str) -> None:
    configure(wrapper, lines)
    listed(wrapper, sent(OUTBOUND)[::-1])
    assert wrapper.run("parity") == (0, [])


@pytest.mark.parametrize("lines", [BY_PATH, BY_COMMAND])
def test_an_entry_that_the_wrapper_lacks_is_named_at_its_place(wrapper: Bench, lines: str) -> None:
    configure(wrapper, lines)
    listed(wrapper, OUTBOUND[1:])
    status, (finding,) = wrapper.run("parity")
    assert (status, finding["code"]) == (1, "CF360")
    assert finding["pointer"] == "/servers/ga4/outbound/0"
    assert finding["message"] == (
        "the wrapper ga4 does not permit POST https://oauth2.googleapis.com/token"
    )


@pytest.mark.parametrize("lines", [BY_PATH, BY_COMMAND])
def test_an_entry_that_only_the_wrapper_has_is_named(wrapper: Bench, lines: str) -> None:
    configure(wrapper, lines)
    listed(wrapper, [*OUTBOUND, {**sent(OUTBOUND)[0], "pathPattern": "/*"}])
    status, (finding,) = wrapper.run("parity")
    assert (status, finding["code"], finding["pointer"]) == (1, "CF361", "/servers/ga4")
    assert "permits POST https://oauth2.googleapis.com/*, which" in finding["message"]


def test_an_entry_that_differs_is_named_from_both_sides(wrapper: Bench) -> None:
    listed(wrapper, [{**OUTBOUND[0], "method": "GET"}, *OUTBOUND[1:]])
    assert wrapper.codes("parity") == {"CF360", "CF361"}


def test_an_entry_that_stands_twice_is_named(wrapper: Bench) -> None:
    listed(wrapper, [*OUTBOUND, OUTBOUND[1]])
    _, (finding,) = wrapper.run("parity")
    assert (finding["code"], finding["pointer"]) == ("CF361", "/servers/ga4/outbound/1")
    assert finding["message"].endswith(" 2 times")


def test_a_server_that_the_contract_does_not_have_is_named(wrapper: Bench) -> None:
    configure(wrapper, BY_PATH, server="ga5")
    assert wrapper.codes("parity") == {"CF350"}


def test_offline_no_command_is_started_and_files_are_read(wrapper: Bench) -> None:
    configure(wrapper, 'command = ["nowhere-to-be-found"]')
    assert wrapper.run("parity", "--offline") == (0, [])
    configure(wrapper, BY_PATH)
    listed(wrapper, [])
    assert wrapper.codes("parity", "--offline") == {"CF360"}


def test_one_server_is_compared_when_it_is_named(wrapper: Bench) -> None:
    text = (wrapper.root / "pyproject.toml").read_text("utf-8")
    live = '\n[[tool.counterfoil.server]]\nid = "other"\ncommand = ["x"]\n'
    (wrapper.root / "pyproject.toml").write_text(text + live, "utf-8")
    listed(wrapper, [])
    assert wrapper.codes("parity", "--server", "other", "--offline") == set()


UNREAD = {
    "no file": (BY_PATH, None, "list.json: cannot be read"),
    "no JSON": (BY_PATH, "[", "list.json: is no JSON"),
    "a key twice": (BY_PATH, '[{"method": "GET", "method": "POST"}]', "has the key 'method' twice"),
    "no list": (BY_PATH, "{}", "is no list"),
    "another entry": (BY_PATH, '[{"origin": "https://a.example"}]', "entry 0 is no entry"),
    "more in an entry": (
        BY_PATH,
        json.dumps([{**sent(OUTBOUND)[0], "redirects": True}]),
        "entry 0 is no entry",
    ),
    "a member of another type": (
        BY_PATH,
        json.dumps([{**sent(OUTBOUND)[0], "origin": 1}]),
        "entry 0 has a member that is no text",
    ),
    "no command": ('command = ["nowhere-to-be-found"]', "[]", "could not be started"),
    "no folder": (f'{BY_COMMAND}\ncwd = "nowhere"', "[]", "could not be started"),
    "a failure": (
        f"command = {json.dumps([sys.executable, '-c', 'raise SystemExit(3)'])}",
        "[]",
        "ended with exit status 3",
    ),
    "a wait": (
        f"command = {json.dumps([sys.executable, '-c', WAIT])}\ntimeout = 0.01",
        "[]",
        "did not end within 0.01 s",
    ),
}


@pytest.mark.parametrize("name", UNREAD)
def test_a_list_that_cannot_be_read_is_an_error(
    wrapper: Bench, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, text, said = UNREAD[name]
    configure(wrapper, lines)
    path = wrapper.root / "list.json"
    path.unlink()
    if text is not None:
        path.write_text(text, "utf-8")
    assert main(["parity", "--project", str(wrapper.root)]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert "hint: " in shown.err


def test_a_failing_command_shows_what_it_said_without_secrets(
    wrapper: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "import os, sys; sys.exit('no luck with ' + os.environ['NOTES_TOKEN'])"
    command = json.dumps([sys.executable, "-c", code])
    configure(wrapper, f'command = {command}\nenv = {{ NOTES_TOKEN = "s3cr3t-of-the-test" }}')
    assert main(["parity", "--project", str(wrapper.root)]) == 2
    shown = capsys.readouterr().err
    assert "no luck with [hidden]" in shown
    assert "s3cr3t" not in shown


FAULTS = ["", f"{BY_PATH}\n{BY_COMMAND}", 'path = "../list.json"', 'paths = "list.json"']


@pytest.mark.parametrize("lines", FAULTS)
def test_a_table_that_is_not_understood_is_refused(
    wrapper: Bench, lines: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(wrapper, lines)
    assert main(["parity", "--project", str(wrapper.root)]) == 2
    assert "pyproject.toml [tool.counterfoil.allowlist.0]" in capsys.readouterr().err
