"""`action.yml`: its scripts, run as GitHub's runner runs them, on a repository of somebody else.

The step that installs the toolchain is tried by `nox -s adoption`; here it is installed already.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from composite_action import Run, Runner, read_action
from foreign_repository import CONTRACT, FOLDER, Upstream
from starter import ROOT

ACTION = read_action(ROOT / "action.yml")
SCRIPTS = {step["id"]: step for step in ACTION["runs"]["steps"] if "run" in step}


def write_program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


class Job:
    """A job that uses the action, with the event that began it."""

    def __init__(self, upstream: Upstream, folder: Path, ref: str, event_name: str) -> None:
        folder.mkdir()
        self.folder = folder
        self.workspace = upstream.check_out(folder / "workspace", ref)
        self.github: dict[str, Any] = {
            "event_name": event_name,
            "ref": ref,
            "repository": "somebody/something",
            "token": "the-token",
            "base_ref": "",
            "event": {"repository": {"default_branch": "main"}},
        }
        self.environment: dict[str, str] = {}

    def run(self, **inputs: str) -> Run:
        temporary = self.folder / "temporary"
        temporary.mkdir()
        python = shlex.quote(sys.executable)
        command = write_program(self.folder / "cf", f'exec {python} -m counterfoil "$@"')
        prefix = inputs.get("working_directory", ".")
        provided = {
            "python": {"python-path": sys.executable},
            "install": {
                "counterfoil": str(command),
                "prefix": "" if prefix == "." else f"{prefix}/",
                "report": str(temporary / "report.md"),
            },
        }
        runner = Runner(
            ACTION, ROOT, self.workspace, temporary, self.github, self.environment, provided
        )
        return runner.run(**inputs)


@pytest.fixture
def pull_request(proposed: Upstream, tmp_path: Path) -> Job:
    """Return the job of a pull request that breaks callers and leaves generated files stale."""
    job = Job(proposed, tmp_path / "job", "refs/pull/1/merge", "pull_request")
    job.github["base_ref"] = "main"
    job.github["event"]["pull_request"] = {"number": 1}
    # A push to a pull request has this, too; it is not what the change is compared with.
    job.github["event"]["before"] = "1" * 40
    return job


def test_a_pull_request_is_annotated_summed_up_and_refused(pull_request: Job) -> None:
    run = pull_request.run(working_directory=FOLDER)
    assert (run.status, run.outputs["check"], run.outputs["breaking"]) == (1, "found", "found")
    annotated = set(re.findall(r"^::error file=([^,]*),title=(CF\d+)", run.log, re.MULTILINE))
    assert (CONTRACT, "CF401") in annotated
    assert (f"{FOLDER}/src/notes_bindings/notes/stubs.py", "CF203") in annotated
    assert all(path.startswith(f"{FOLDER}/") for path, _ in annotated)
    for part in ("### The contract, and what", "CF203", "### What this changes", "search_notes"):
        assert part in run.summary
    assert Path(run.outputs["report"]).read_text("utf-8") == run.summary
    assert re.fullmatch("[0-9a-f]{40}", run.outputs["against"])


def test_a_change_that_breaks_nothing_passes(upstream: Upstream, tmp_path: Path) -> None:
    upstream.git("checkout", "-q", "-b", "work")
    (upstream.root / "README.md").write_text("Notes.\n", "utf-8")
    upstream.commit()
    upstream.pull()
    job = Job(upstream, tmp_path / "job", "refs/pull/1/merge", "pull_request")
    job.github["base_ref"] = "main"
    run = job.run(working_directory=FOLDER, comment="false")
    assert (run.status, run.outputs["check"], run.outputs["breaking"]) == (0, "clean", "clean")
    assert "::error" not in run.log
    assert "comment" not in run.ran


def test_only_what_is_asked_for_is_run(pull_request: Job) -> None:
    run = pull_request.run(working_directory=FOLDER, command="breaking", level="wire")
    assert (run.outputs["check"], run.outputs["breaking"]) == ("skipped", "found")
    assert not {"check"} & set(run.ran)


def test_a_push_to_main_is_compared_with_what_was_there(upstream: Upstream, tmp_path: Path) -> None:
    before = upstream.git("rev-parse", "HEAD")
    upstream.withdraw()
    job = Job(upstream, tmp_path / "job", "refs/heads/main", "push")
    job.github["event"]["before"] = before
    run = job.run(working_directory=FOLDER, command="breaking")
    assert (run.status, run.outputs["against"]) == (1, before)


@pytest.mark.parametrize(
    ("against", "found"),
    [("v1", "v1"), ("release", "origin/release"), ("origin/release", "origin/release")],
)
def test_a_revision_that_a_shallow_checkout_lacks_is_fetched(
    against: str, found: str, proposed: Upstream, tmp_path: Path
) -> None:
    job = Job(proposed, tmp_path / "job", "refs/heads/work", "schedule")
    run = job.run(working_directory=FOLDER, command="breaking", against=against)
    assert (run.status, run.outputs["breaking"]) == (1, "found"), run.log
    assert run.outputs["against"] == found
    assert "CF401" in run.summary


def test_what_cannot_run_is_never_taken_for_clean(upstream: Upstream, tmp_path: Path) -> None:
    job = Job(upstream, tmp_path / "job", "refs/heads/main", "schedule")
    run = job.run(command="check breaking", against="no-such-revision")
    assert (run.status, run.outputs["check"], run.outputs["breaking"]) == (2, "failed", "failed")
    assert "counterfoil init" in run.summary
    assert "no-such-revision" in run.summary


GH = """
printf '%s\\n' "$GH_TOKEN" "$@" >> "$GH_LOG"
case "$*" in
  *--paginate*) printf '%s' "$GH_KNOWN"; [ -z "$GH_FAILS" ] ;;
  *--field*)
    for word in "$@"; do
      case $word in body=@*) cat "${word#body=@}" >> "$GH_BODY" ;; esac
    done
    ;;
esac
"""


@pytest.mark.parametrize(
    ("known", "method", "target"),
    [("", "POST", "issues/1/comments"), ("7\n9\n", "PATCH", "issues/comments/7")],
)
def test_the_comment_of_a_pull_request_is_kept_up_to_date(
    known: str, method: str, target: str, pull_request: Job
) -> None:
    run, told, body = comment(pull_request, known)
    assert run.status == 1
    assert told[0] == "the-token"
    assert told[told.index("--method") + 1 : told.index("--method") + 3] == [
        method,
        f"repos/somebody/something/{target}",
    ]
    assert body.startswith(f"<!-- counterfoil: {FOLDER} -->\n")
    assert "### What this changes for callers: 1 breaking" in body


def test_a_comment_that_may_not_be_written_is_a_warning(pull_request: Job) -> None:
    run, _, body = comment(pull_request, "", fails="yes")
    assert "::warning title=counterfoil::the comment could not be written" in run.log
    assert (run.status, body) == (1, "")


def comment(job: Job, known: str, fails: str = "") -> tuple[Run, list[str], str]:
    """Run with a program in the place of GitHub's; return what it was told, and the body."""
    programs, log, body = (job.folder / name for name in ("programs", "log", "body"))
    programs.mkdir()
    write_program(programs / "gh", GH)
    body.write_text("")
    job.environment = {
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "GH_LOG": str(log),
        "GH_BODY": str(body),
        "GH_KNOWN": known,
        "GH_FAILS": fails,
    }
    run = job.run(working_directory=FOLDER, command="breaking", comment="true")
    return run, log.read_text("utf-8").splitlines(), body.read_text("utf-8")


def test_an_unknown_command_is_refused_before_anything_is_installed(
    upstream: Upstream, tmp_path: Path
) -> None:
    job = Job(upstream, tmp_path / "job", "refs/heads/main", "push")
    (tmp_path / "temporary").mkdir()
    runner = Runner(ACTION, ROOT, job.workspace, tmp_path / "temporary", job.github)
    run = runner.run(command="check; rm -rf /", python_version="")
    assert run.status == 2
    assert "::error title=counterfoil::command: only check and breaking are known" in run.log
    assert run.ran == ["install"]


def test_no_script_holds_the_text_of_an_input() -> None:
    for name, step in SCRIPTS.items():
        assert "${{" not in step["run"], name
        assert step["shell"] == "bash", name


def test_what_scripts_use_is_given_to_them_and_used() -> None:
    for name, step in SCRIPTS.items():
        given = set(step.get("env", {}))
        used = set(re.findall(r"\$\{?([A-Z_]+)", step["run"]))
        own = {
            each for each in used if each.startswith(("GITHUB_", "RUNNER_")) or each == "PIPESTATUS"
        }
        assert used - own == given - {"GH_TOKEN"}, name


def test_every_input_is_used_and_every_output_comes_from_a_step() -> None:
    text = json.dumps(ACTION["runs"])
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in text, name
    steps = {step["id"] for step in ACTION["runs"]["steps"]}
    for entry in ACTION["outputs"].values():
        assert set(re.findall(r"steps\.(\w+)\.", entry["value"])) <= steps
