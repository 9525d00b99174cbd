"""``counterfoil doctor``: what is wrong on this machine, and what to do."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from packaging.requirements import Requirement
from starter import ROOT, Outcome, counterfoil, edit_json

from counterfoil.cache import VARIABLE
from counterfoil.diagnosis.environment import examine_cache, judge_packages

SERVER = str(ROOT / "tests/wire/servers/lowlevel.py")
GET_NOTE = "src/notes_bindings/notes/models/get_note_input.py"
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
posix = pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")


def doctor(*words: str, cwd: Path, env: dict[str, str] | None = None) -> Outcome:
    return counterfoil("doctor", "--format", "json", *words, cwd=cwd, env=env)


def diagnoses(outcome: Outcome) -> dict[str, dict[str, Any]]:
    """Return the diagnoses by subject; of several about one, the gravest."""
    found: dict[str, dict[str, Any]] = {}
    order = ("ok", "skipped", "warning", "failure")
    listed = json.loads(outcome.out)["diagnoses"]
    for each in sorted(listed, key=lambda each: order.index(each["state"])):
        found[each["subject"]] = each
    return found


def states(outcome: Outcome) -> dict[str, str]:
    return {subject: each["state"] for subject, each in diagnoses(outcome).items()}


def configure(root: Path, text: str) -> None:
    with (root / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


def server(name: str, *command: str, more: str = "") -> str:
    return f'[[tool.counterfoil.server]]\nid = "{name}"\ncommand = {json.dumps(command)}\n{more}\n'


def commit(root: Path) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], [*author, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=root, check=True)


def test_a_sound_project_fails_nowhere(project: Path) -> None:
    commit(project)
    outcome = doctor("--strict", cwd=project, env={"PATH": PATH})
    assert outcome.status == 0, outcome.out
    assert set(states(outcome).values()) == {"ok"}
    assert {"python", "packages", "command", "cache", "contract", "outputs", "history"} <= set(
        states(outcome)
    )


def test_what_it_prints_is_what_its_schema_says(project: Path) -> None:
    schema = json.loads(
        (resources.files("counterfoil.diagnosis") / "doctor.schema.json").read_text("utf-8")
    )
    for words in ((), ("--project", str(project / "nowhere"))):
        outcome = doctor(*words, cwd=project)
        jsonschema.Draft202012Validator(schema).validate(json.loads(outcome.out))


def test_one_failure_hides_no_other(project: Path) -> None:
    (project / GET_NOTE).unlink()
    (project / "bad.lock.json").write_text('{"counterfoilLock": 1', "utf-8")
    (project / "other.lock.json").write_text("{of another program", "utf-8")
    (project / "contract/accepted.json").write_text("[]", "utf-8")
    dies = "import sys; print('no token is set', file=sys.stderr); sys.exit(3)"
    configure(project, server("notes", sys.executable, "-c", dies))
    outcome = doctor("--timeout", "30", cwd=project)
    assert outcome.status == 1
    found = diagnoses(outcome)
    failing = {subject for subject, each in found.items() if each["state"] == "failure"}
    assert failing == {"outputs", "accepted", "server notes", "lock bad.lock.json"}
    assert all(each["hint"] for each in found.values() if each["state"] == "failure")
    assert found["outputs"]["detail"] == GET_NOTE
    assert "no token is set" in found["server notes"]["detail"]
    assert "exit status 3" in found["server notes"]["message"]


def test_a_server_that_says_nothing_is_given_up_with_its_last_words(project: Path) -> None:
    mute = "import sys; print('still starting', file=sys.stderr, flush=True); sys.stdin.read()"
    configure(project, server("notes", sys.executable, "-c", mute))
    outcome = doctor("--timeout", "1.5", cwd=project)
    found = diagnoses(outcome)["server notes"]
    assert (outcome.status, found["state"]) == (1, "failure")
    assert "within 1.5 s" in found["message"]
    assert "still starting" in found["detail"]


def test_a_lock_is_compared_with_the_server_of_its_name(project: Path) -> None:
    listed = counterfoil(
        "lock", f"stdio:{shlex.join([sys.executable, str(SERVER), 'stdio'])}", cwd=project
    )
    assert listed.status == 0, listed.err
    shutil.copy(project / "mcp.lock.json", project / "good.lock.json")
    (project / "mcp.lock.json").unlink()
    configure(project, server("notes", sys.executable, SERVER, "stdio"))
    assert states(doctor(cwd=project))["lock good.lock.json"] == "ok"
    stale = json.loads((project / "good.lock.json").read_text("utf-8"))
    stale["tools"].pop()
    (project / "good.lock.json").write_text(json.dumps(stale), "utf-8")
    outcome = doctor(cwd=project)
    found = diagnoses(outcome)["lock good.lock.json"]
    assert (outcome.status, found["state"]) == (1, "failure")
    assert found["detail"].startswith("CF603")
    offline = diagnoses(doctor("--offline", cwd=project))
    assert offline["lock good.lock.json"]["state"] == "ok"
    assert "--lock good.lock.json" in offline["lock good.lock.json"]["hint"]
    assert offline["server notes"]["state"] == "skipped"


def test_a_broken_contract_is_counted_and_the_rest_is_looked_at(project: Path) -> None:
    edit_json(project / "contract/contract.json", lambda c: c["servers"]["notes"].pop("tools"))
    (project / "contract/contract.json").write_text("{", "utf-8")
    found = states(doctor("--offline", cwd=project))
    assert (found["contract"], found["outputs"]) == ("failure", "skipped")
    assert "secrets" in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.counterfoil]\nnope = 1\n", "is not known"),
        ("[tool.counterfoil", "is not TOML"),
        ('[[tool.counterfoil.output]]\ntarget = "modles"\npath = "x"\n', "modles"),
        (server("else", "python"), "the contract has no such server"),
    ],
)
def test_a_fault_of_the_configuration_is_named(text: str, said: str, project: Path) -> None:
    if text.startswith("[tool"):
        (project / "pyproject.toml").write_text(text, "utf-8")
    else:
        configure(project, text)
    outcome = doctor("--offline", "--project", str(project), cwd=project)
    found = diagnoses(outcome)["configuration"]
    assert (outcome.status, found["state"]) == (1, "failure")
    assert said in found["message"]
    others = {name for name, state in states(outcome).items() if state == "failure"}
    assert others == {"configuration"}


def test_outside_of_a_project_the_machine_is_looked_at(tmp_path: Path) -> None:
    outcome = doctor(cwd=tmp_path)
    found = states(outcome)
    assert (outcome.status, found["python"], found["packages"]) == (1, "ok", "ok")
    assert (found["configuration"], found["locks"]) == ("failure", "skipped")
    assert "counterfoil init" in diagnoses(outcome)["configuration"]["hint"]


def test_another_counterfoil_on_the_path_is_told(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "bin/counterfoil"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    path = f"{other.parent}{os.pathsep}{os.environ['PATH']}"
    found = diagnoses(doctor("--offline", cwd=project, env={"PATH": path}))["command"]
    assert found["state"] == "warning"
    assert str(other) in found["message"]


@posix
def test_a_cache_that_others_can_write_or_nobody_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv(VARIABLE, str(cache))
    assert [each.state for each in examine_cache(used=True)] == ["ok"]
    assert [each.state for each in examine_cache(used=False)] == ["skipped"]
    cache.chmod(0o777)
    (open_to_all,) = examine_cache(used=True)
    assert (open_to_all.state, open_to_all.hint) == ("warning", f"chmod go-w {cache}")
    cache.rmdir()
    cache.write_text("a file")
    (unwritable,) = examine_cache(used=True)
    assert (unwritable.state, VARIABLE in unwritable.hint) == ("warning", True)


def test_packages_that_are_not_as_asked_for_are_failures_with_a_command() -> None:
    wanted = map(Requirement, ["pydantic>=2", "jinja2<1", "no-such-distribution-here>=3"])
    old, missing = judge_packages(wanted)
    assert (old.state, missing.state) == ("failure", "failure")
    assert old.message.startswith("jinja2 ")
    assert old.hint == f'{sys.executable} -m pip install "jinja2<1"'
    assert missing.message == "no-such-distribution-here is not installed"


@posix
def test_secrets_are_found_where_they_do_not_belong_and_never_shown(project: Path) -> None:
    secret = "s3cr3t-0123456789-abcdef"
    key = project / "key.json"
    key.write_text(secret, "utf-8")
    key.chmod(0o644)
    (project / ".env").write_text(f"API_TOKEN={secret}", "utf-8")
    (project / ".env").chmod(0o600)
    more = f'env = {{API_TOKEN = "{secret}", GOOGLE_APPLICATION_CREDENTIALS = "{key}"}}'
    configure(project, server("notes", "python", "--api-key", secret, more=more))
    commit(project)
    outcome = counterfoil("doctor", "--offline", cwd=project)
    assert secret not in outcome.out + outcome.err
    for said in (
        "env holds what looks like a secret",
        "command holds what looks like a secret",
        ".env is kept in git",
        "key.json can be read by other users",
    ):
        assert said in outcome.out
    assert ".env can be read" not in outcome.out


def test_what_generated_code_imports_is_compared_with_what_is_asked_for(project: Path) -> None:
    configure(project, '[project]\nname = "x"\nversion = "1"\ndependencies = ["pydantic<2"]')
    listed = json.loads(doctor("--offline", cwd=project).out)["diagnoses"]
    told = [each["message"] for each in listed if each["subject"] == "bindings"]
    assert len(told) == 2
    assert "imports jsonschema, mcp, typing-extensions" in told[0]
    assert "asks for <2" in told[1]


def test_history_that_is_not_there_is_a_warning(project: Path) -> None:
    found = diagnoses(doctor("--offline", cwd=project))["history"]
    assert found["state"] == "warning"
    assert "nothing to compare with" in found["message"]
    configure(project, '[tool.counterfoil.breaking]\nagainst = "no-such-tag"')
    commit(project)
    found = diagnoses(doctor("--offline", cwd=project))["history"]
    assert (found["state"], "no-such-tag" in found["message"]) == ("warning", True)


@pytest.mark.parametrize("given", ["0", "601", "nan"])
def test_a_timeout_out_of_range_is_an_error(given: str, project: Path) -> None:
    outcome = doctor("--timeout", given, cwd=project)
    assert (outcome.status, outcome.out) == (2, "")
    assert "--timeout: must be above 0" in outcome.err


def test_each_line_for_people_says_how_it_is_in_words(project: Path) -> None:
    outcome = counterfoil("doctor", "--offline", cwd=project)
    heads = [line for line in outcome.out.splitlines() if not line.startswith(" ")]
    assert {line.split()[0] for line in heads} <= {"ok", "warning", "failure", "skipped"}
    assert outcome.err.endswith("no failures, 1 warning\n")
