"""Real servers, as recorded: import, generate, serve the stubs, and compare."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from bound_stubs import bound
from served import served_in_thread
from starter import ROOT, Outcome, counterfoil

from counterfoil.contract.canonical import dump
from counterfoil.contract.reading import read_contract
from counterfoil.names import package_name
from counterfoil.scaffold.cases import generated_cases

RECORDED = {path.stem: path for path in sorted((ROOT / "tests/data/peers").glob("*.json"))}
# The project begins with this one: its nested objects have no titles, which the project then bears.
FIRST = "memory"
CONTRACT, PACKAGE = "contract/contract.json", f"{FIRST}_bindings"


def test_the_servers_that_the_project_was_tried_on_are_all_recorded() -> None:
    named = {"everything", "fetch", "filesystem", "git", "memory", "sequential-thinking", "time"}
    assert RECORDED.keys() == named


def test_stubs_of_imported_servers_serve_what_the_servers_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One contract for all of them: each is imported by itself, and the rest is done once.
    imported(tmp_path)
    assert_nothing_is_lost(tmp_path)
    write_cases(tmp_path)
    for command in ("generate", "validate", "check"):
        outcome = counterfoil(command, *["--no-cache"] * (command == "check"), cwd=tmp_path)
        assert outcome.status == 0, outcome.out + outcome.err
    monkeypatch.syspath_prepend(tmp_path / "src")
    url = ""
    with ExitStack() as stack, (tmp_path / "pyproject.toml").open("a", encoding="utf-8") as config:
        for server in RECORDED:
            app = bound(PACKAGE, package_name(server)).streamable_http_app(
                json_response=True, stateless_http=True
            )
            url = stack.enter_context(served_in_thread(app))
            config.write(f'\n[[tool.counterfoil.server]]\nid = "{server}"\nurl = "{url}"\n')
        config.flush()
        outcome = counterfoil("parity", "--format", "json", cwd=tmp_path)
        other = ("--server", "fetch", "--url", url)
        mistaken = counterfoil("parity", "--format", "json", *other, cwd=tmp_path)
    assert {"CF301", "CF302", "CF307"} <= set(mistaken.codes)
    assert outcome.status == 0, outcome.out + outcome.err
    assert [each for each in outcome.findings if each["code"].startswith("CF3")] == []


def imported(root: Path) -> None:
    """Begin a project with one server, and import the others into its contract."""
    first = (str(RECORDED[FIRST]), "--server", FIRST)
    assert_is_clean(counterfoil("init", "--from", *first, cwd=root))
    for server in sorted(RECORDED.keys() - {FIRST}):
        words = (str(RECORDED[server]), "--server", server, "--output", CONTRACT)
        assert_is_clean(counterfoil("import", *words, cwd=root))


def assert_is_clean(outcome: Outcome) -> None:
    """Insist that an import lost nothing."""
    assert outcome.status == 0, outcome.err
    assert "parity with what was read: nothing differs" in outcome.err
    assert "not represented" not in outcome.err


def assert_nothing_is_lost(root: Path) -> None:
    """Insist that every member of every entry stands in the contract, and nothing else does."""
    servers = json.loads((root / CONTRACT).read_text("utf-8"))["servers"]
    assert servers.keys() == RECORDED.keys()
    for server, path in RECORDED.items():
        given: dict[str, Any] = json.loads(path.read_text("utf-8"))
        for kind, identity in (("tools", "name"), ("resources", "uri"), ("prompts", "name")):
            kept = {each[identity]: each for each in servers[server].get(kind, ())}
            for entry in given.get(kind, ()):
                ours = kept.pop(entry[identity])
                for key, value in entry.items():
                    if value:
                        assert ours[key] == value, (server, entry[identity], key)
            assert kept == {}


def write_cases(root: Path) -> None:
    """Write what `counterfoil init --from` would for each server; every tool can have cases."""
    contract = read_contract(root / CONTRACT, CONTRACT).contract
    assert contract is not None
    for server in contract.servers:
        for tool in server.tools:
            cases = generated_cases(tool, contract.defs)
            assert cases is not None, tool.name
            path = root / "contract/cases" / server.id / f"{tool.name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dump(cases), "utf-8")
