"""`counterfoil breaking` and `counterfoil accept`, as people use them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from history import CONTRACT, History, begin, contract, require, tool
from starter import Outcome, counterfoil

SCRIPTED = Path(__file__).parents[1] / "wire" / "servers" / "scripted.py"
ACCEPTED = "contract/accepted.json"
posix = pytest.mark.skipif(os.name == "nt", reason="redirects as a POSIX shell does")


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Return a project on a branch, whose contract is as main has it."""
    made = begin(tmp_path / "project")
    made.git("switch", "--quiet", "--create", "change")
    return made


def run(history: History, *words: str, **env: str) -> Outcome:
    return counterfoil(*words, cwd=history.root, env=env)


def changes(outcome: Outcome) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(outcome.out)["changes"]
    return found


@pytest.mark.parametrize("command", ["breaking", "accept"])
def test_help_shows_examples_and_what_fails(command: str, tmp_path: Path) -> None:
    outcome = counterfoil(command, "--help", cwd=tmp_path)
    assert outcome.status == 0
    assert f"  counterfoil {command}" in outcome.out
    assert "exit status:\n  0 " in outcome.out
    if command == "breaking":
        assert "a base that cannot be read is never" in outcome.out
        assert "REV:PATH" in outcome.out


def test_a_branch_is_compared_with_where_it_left_main(history: History) -> None:
    clean = run(history, "breaking")
    assert (clean.status, clean.out) == (0, "")
    assert "where main was left): nothing changed for callers" in clean.err
    assert "both are the same text" in clean.err
    history.write(require(contract()))
    before = history.state()
    broken = run(history, "breaking")
    assert broken.status == 1
    assert f"{CONTRACT}:" in broken.out
    assert "CF410 (breaking; for wire, generated) notes tool search: " in broken.out
    assert '    call that worked: search {"query": ' in broken.out
    assert '    refused now: lacks "region"' in broken.out
    assert history.state() == before


def test_a_change_that_breaks_nobody_ends_with_0(history: History) -> None:
    made = contract("export", "search", "share")
    made["servers"]["notes"]["version"] = "1.1.0"
    history.write(made)
    outcome = run(history, "breaking", "--strict")
    assert outcome.status == 0
    assert "(additive) notes tool share: is new" in outcome.out


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ([], 0),
        (["--strict"], 1),
        (["--fail-on", "breaking,behaviour"], 1),
        (["--fail-on", "none"], 0),
        (["--fail-on", "none", "--strict"], 1),
        (["--level", "wire", "--strict"], 0),
        (["--level", "agent", "--strict"], 1),
    ],
)
def test_what_fails_is_chosen(history: History, words: list[str], status: int) -> None:
    made = contract()
    made["servers"]["notes"]["version"] = "1.0.1"
    made["servers"]["notes"]["tools"][0]["description"] = "Do something else."
    history.write(made)
    assert run(history, "breaking", *words).status == status


def test_the_configuration_names_base_severities_and_file(history: History) -> None:
    history.git("tag", "v1.0.0")
    history.write(require(contract()))
    history.commit()
    history.git("switch", "--quiet", "main")
    history.git("merge", "--quiet", "change")
    assert run(history, "breaking").status == 0
    config = history.root / "pyproject.toml"
    text = config.read_text("utf-8") + '[tool.counterfoil.breaking]\nagainst = "v1.0.0"\n'
    config.write_text(text, "utf-8")
    assert run(history, "breaking").status == 1
    weight = '[[tool.counterfoil.breaking.severity]]\nat = "notes/tool/*"\nseverity = "warning"\n'
    config.write_text(text + weight, "utf-8")
    assert run(history, "breaking").status == 0
    assert run(history, "breaking", "--strict").status == 1


def test_two_files_are_compared_without_any_project(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.write([tool("search")], "old.json")
    history.write({"result": {"tools": []}}, "new.json")
    outcome = run(history, "breaking", "--against", "old.json", "new.json", "--format", "json")
    assert outcome.status == 1
    [change] = changes(outcome)
    assert (change["code"], change["at"]) == ("CF401", "tool/search")
    assert change["target"] == {"pointer": "/result/tools", "line": 3, "column": 5}


def test_a_list_may_come_from_standard_input(history: History) -> None:
    command = [sys.executable, "-m", "counterfoil", "breaking", "-", "--format", "json"]
    done = subprocess.run(
        command,
        cwd=history.root,
        input=json.dumps([tool("search")]).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["target"]["path"] == "<stdin>"
    assert [each["at"] for each in document["changes"]] == ["notes/tool/export"]
    assert document["uncompared"]
    assert "not compared: " in done.stderr.decode()


def test_a_running_server_is_compared_with_the_contract(history: History) -> None:
    line = shlex.join((sys.executable, "-I", str(SCRIPTED)))
    outcome = run(history, "breaking", f"stdio:{line}", "--format", "json")
    assert outcome.status == 1
    found = {each["at"]: each for each in changes(outcome)}
    assert found["notes/tool/search"]["code"] in ("CF401", "CF402")
    place = found["notes/tool/search"]["target"]
    assert (place["line"], place["column"]) == (0, 0)


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit", "markdown"])
def test_every_form_ends_with_the_same_status(history: History, form: str) -> None:
    history.write(require(contract()))
    outcome = run(history, "breaking", "--format", form)
    assert outcome.status == 1
    assert "region" in outcome.out


UNREADABLE = [
    (["--against", "v9"], "v9: is no file, and no revision"),
    (["--against", "nowhere.json"], "nowhere.json: is no file, and no revision"),
    (["--against", "main:nowhere.json"], "the revision main does not hold the file"),
    (["--against", "broken.json"], "broken.json:1:2: cannot be read as JSON"),
    (["--against", "empty.json"], "empty.json:1:1 #: is neither a contract nor a recorded list"),
    (["--against", "partial.json"], "has a nextCursor"),
    (["--against", "old.json"], "is written in grammar 0 of contracts"),
    (["--against", "stdio:no-such-program-here"], "no-such-program-here"),
    (["--against", "server:notes"], "no [[tool.counterfoil.server]] has the id 'notes'"),
    (["--against", "-", "-"], "standard input cannot be both editions"),
    (["--against", "tools.json", "broken.json"], "broken.json:1:2: cannot be read as JSON"),
    (["--server", "other"], "there is no server 'other' on either side"),
    (["--fail-on", "everything"], "'everything' is no class of change"),
    (["--level", "all"], "invalid choice"),
    (["--project", "contract"], "pyproject.toml"),
]


@pytest.mark.parametrize(("words", "said"), UNREADABLE)
def test_what_cannot_be_read_is_never_clean(history: History, words: list[str], said: str) -> None:
    (history.root / "broken.json").write_text("{", "utf-8")
    history.write({}, "empty.json")
    history.write([tool("search")], "tools.json")
    history.write({"tools": [], "nextCursor": "n"}, "partial.json")
    history.write({**contract(), "counterfoil": 0}, "old.json")
    outcome = run(history, "breaking", *words, "--format", "sarif")
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.err


def test_a_contract_that_is_new_is_an_error_unless_that_is_allowed(tmp_path: Path) -> None:
    history = begin(tmp_path / "project", change=lambda root: (root / "x").write_text("x"))
    history.git("rm", "--quiet", "--cached", CONTRACT)
    history.commit([tool("x")], "tools.json")
    history.git("rm", "--quiet", CONTRACT)
    history.commit()
    history.write(contract())
    refused = run(history, "breaking")
    assert refused.status == 2
    assert "--allow-new" in refused.err
    allowed = run(history, "breaking", "--allow-new")
    assert (allowed.status, allowed.out) == (0, "")
    assert "it is new, and nothing was compared" in allowed.err
    assert run(history, "breaking", "--allow-new", "--against", "v9").status == 2


@posix
@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_closed_pipe_is_no_traceback_and_not_clean(history: History, form: str) -> None:
    history.write(require(contract()))
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m counterfoil breaking --format {form} >&-"],
        cwd=history.root,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_change_is_accepted_shown_and_found_stale(history: History) -> None:
    history.write(require(contract()))
    [change] = changes(run(history, "breaking", "--format", "json"))
    told = run(history, "accept", change["fingerprint"], "--reason", "nobody\n  calls it")
    assert (told.status, told.out) == (0, "")
    assert "+ notes/tool/search inputSchema region required: " in told.err
    assert json.loads((history.root / ACCEPTED).read_text("utf-8")) == {
        "accepted": [
            {
                "at": change["at"],
                "code": "CF410",
                "fingerprint": change["fingerprint"],
                "reason": "nobody calls it",
            }
        ],
        "version": 1,
    }
    accepted = run(history, "breaking")
    assert accepted.status == 0
    assert "CF410 (breaking, accepted; for wire, generated)" in accepted.out
    assert "  accepted: nobody calls it" in accepted.out
    assert accepted.out.endswith("1 accepted\n")
    history.write(contract())
    stale = run(history, "breaking")
    assert stale.status == 0
    assert f"{ACCEPTED}:3:5 #/accepted/0: CF495 (warning)" in stale.out
    assert run(history, "breaking", "--strict").status == 1
    assert run(history, "accept", "--prune").status == 0
    assert run(history, "breaking", "--strict").status == 0


def test_an_acceptance_is_told_to_programs(history: History) -> None:
    history.write(require(contract()))
    [change] = changes(run(history, "breaking", "--format", "json"))
    words = ("accept", change["fingerprint"], "--reason", "nobody calls it", "--json")
    told = json.loads(run(history, *words).out)
    entry = {"at": change["at"], "code": "CF410", "fingerprint": change["fingerprint"]}
    added = told.pop("added")
    assert [{key: each[key] for key in entry} for each in added] == [entry]
    assert 'argument "region"' in added[0]["change"]
    assert told == {
        "version": 1, "command": "accept", "file": ACCEPTED, "written": True, "removed": [],
    }  # fmt: skip
    assert json.loads(run(history, *words).out)["written"] is False
    history.write(contract())
    pruned = json.loads(run(history, "accept", "--prune", "--json").out)
    assert (pruned["added"], pruned["removed"], pruned["written"]) == ([], [entry], True)


def test_an_acceptance_ends_and_is_taken_out(history: History) -> None:
    history.write(require(contract()))
    [change] = changes(run(history, "breaking", "--format", "json"))
    words = ("accept", change["fingerprint"][:6], "--reason", "later", "--until", "2026-01-31")
    january, february = {"SOURCE_DATE_EPOCH": "1769817600"}, {"SOURCE_DATE_EPOCH": "1769904000"}
    late = run(history, *words, **february)
    assert late.status == 2
    assert "--until: 2026-01-31 has passed" in late.err
    assert run(history, *words, **january).status == 0
    assert run(history, "breaking", **january).status == 0
    over = run(history, "breaking", **february)
    assert over.status == 1
    assert "CF496" in over.out
    assert run(history, "accept", "--prune", **february).status == 0
    assert json.loads((history.root / ACCEPTED).read_text("utf-8"))["accepted"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no fingerprint is given"),
        (["0" * 12], "--reason: is missing"),
        (["0" * 12, "--reason", " "], "--reason: is missing"),
        (["0" * 12, "--reason", "x"], f"{'0' * 12}: is no change of {CONTRACT} against "),
        (["", "--reason", "x"], "is no fingerprint"),
        (["0" * 4, "--reason", "x"], "is no fingerprint"),
        (["0" * 12, "--reason", "x", "--until", "soon"], "--until: 'soon' is no date"),
        (["--prune", "--against", "list.json"], "only a part was compared"),
        (["--prune", "--server", "notes"], "only a part was compared"),
    ],
)
def test_what_cannot_be_accepted_changes_nothing(
    history: History, words: list[str], said: str
) -> None:
    history.write(require(contract()))
    history.write([tool("search")], "list.json")
    outcome = run(history, "accept", *words)
    assert outcome.status == 2
    assert said in outcome.err
    assert not (history.root / ACCEPTED).exists()


def test_nothing_can_be_accepted_without_a_project(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.write([tool("search")], "old.json")
    history.write([], "new.json")
    words = ("--against", "old.json", "--target", "new.json", "--reason", "x")
    outcome = run(history, "accept", "0" * 12, *words)
    assert outcome.status == 2
    assert "there is no project" in outcome.err


def test_a_file_of_accepted_changes_that_is_broken_is_an_error(history: History) -> None:
    history.write({"accepted": [{}], "version": 1}, ACCEPTED)
    outcome = run(history, "breaking")
    assert (outcome.status, outcome.out) == (2, "")
    assert f"{ACCEPTED} #/accepted/0" in outcome.err


def test_a_run_needs_no_generator_template_or_network(history: History) -> None:
    history.write(require(contract()))
    loaded = (
        "import sys; from counterfoil.cli import main; main();"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    outcome = counterfoil("breaking", cwd=history.root, entry=loaded)
    modules = set(outcome.err.split("\n")[-2].split())
    assert "jsonschema_rs" in modules
    assert not modules & {"jinja2", "datamodel_code_generator", "pydantic", "http", "ssl"}


def test_a_base_that_names_nothing_is_an_error(history: History) -> None:
    outcome = run(history, "breaking", "--against", "")
    assert outcome.status == 2
    assert "--against: names nothing" in outcome.err


def test_what_a_level_leaves_out_is_not_called_nothing(history: History) -> None:
    history.write(require(contract()))
    outcome = run(history, "breaking", "--level", "agent")
    assert (outcome.status, outcome.out) == (0, "")
    assert "nothing changed" not in outcome.err
    assert "1 change is left out: of another level" in outcome.err
    told = run(history, "breaking", "--level", "agent", "--format", "markdown").out
    assert "nothing that is shown" in told
    summary = json.loads(run(history, "breaking", "--level", "agent", "--format", "json").out)
    assert summary["summary"]["hidden"] == 1


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        (("1.2.0", "1.3.0"), "the version needs a major step, has minor: 1.2.0 to 1.3.0"),
        (("1.2.0", "2.0.0"), "the version of notes needs major, has major: 1.2.0 to 2.0.0"),
        (("0.2.0", "0.3.0"), "the version of notes needs minor, has minor: 0.2.0 to 0.3.0"),
        (("", "May"), "needs major; the versions (none and May) do not say what it has"),
    ],
)
def test_the_step_that_changes_ask_for_is_always_said(
    versions: tuple[str, str], said: str, history: History
) -> None:
    base, target = contract(), require(contract())
    for made, version in zip((base, target), versions, strict=True):
        if version:
            made["servers"]["notes"]["version"] = version
        else:
            made["servers"]["notes"].pop("version", None)
    history.write(base)
    history.commit(base)
    history.write(target)
    outcome = run(history, "breaking", "--against", "HEAD")
    assert said in outcome.out + outcome.err
    [told] = json.loads(run(history, "breaking", "--against", "HEAD", "--format", "json").out)[
        "versions"
    ]
    assert told["needs"] in said
    assert (told["has"] is None) is ("do not say" in said)
