"""The hooks and the action, tried whole: environments are built, and the network is needed.

`nox -s adoption` runs these.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from composite_action import Runner, read_action
from foreign_repository import CONTRACT, FOLDER, Upstream
from history import History
from starter import ROOT, edit_json

pytestmark = pytest.mark.adoption
PROGRAMS = Path(sys.executable).parent


def call(*words: str, cwd: Path, env: Mapping[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Return this repository as somebody would clone it: the files that git would keep."""
    made = History(tmp_path_factory.mktemp("published"))
    listed = History(ROOT).git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for path in filter(None, listed.split("\0")):
        if (ROOT / path).is_file():
            (made.root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, made.root / path)
    made.git("init", "-q", "-b", "main")
    made.commit()
    return made


def test_hooks_refuse_a_stale_tree_and_pass_a_good_one(
    published: History, upstream: Upstream, tmp_path: Path
) -> None:
    hooks = ["validate", "generate", "check", "breaking"]
    listed = "".join(
        f"      - id: counterfoil-{each}\n        args: [--project, {FOLDER}]\n" for each in hooks
    )
    config = f"  - repo: {published.root}\n    rev: {published.git('rev-parse', 'HEAD')}\n"
    (upstream.root / ".pre-commit-config.yaml").write_text(f"repos:\n{config}    hooks:\n{listed}")
    upstream.commit()
    upstream.git("checkout", "-q", "-b", "work")
    env = {"PRE_COMMIT_HOME": str(tmp_path / "home")}

    def run(hook: str = "") -> tuple[int, str]:
        upstream.git("add", "--all")
        words = [f"counterfoil-{hook}"] if hook else ["--all-files"]
        return call(str(PROGRAMS / "pre-commit"), "run", *words, cwd=upstream.root, env=env)

    assert run()[0] == 0
    edit_json(upstream.root / CONTRACT, lambda each: each["servers"]["notes"].update(title="N"))
    status, said = run("check")
    assert (status, "CF203" in said) == (1, True), said
    status, said = run("generate")
    assert (status, "files were modified by this hook" in said) == (1, True), said
    assert run()[0] == 0
    upstream.withdraw()
    status, said = run("breaking")
    assert (status, "CF401" in said) == (1, True), said
    (upstream.root / CONTRACT).write_text("{", "utf-8")
    status, said = run("validate")
    assert (status, "CF101" in said) == (1, True), said


def test_the_action_installs_itself_and_judges_a_pull_request(
    published: History, upstream: Upstream, tmp_path: Path
) -> None:
    upstream.git("checkout", "-q", "-b", "work")
    upstream.withdraw()
    upstream.pull()
    workspace = upstream.check_out(tmp_path / "workspace", "refs/pull/1/merge")
    github = {
        "event_name": "pull_request",
        "ref": "refs/pull/1/merge",
        "repository": "somebody/something",
        "base_ref": "main",
        "event": {"repository": {"default_branch": "main"}},
    }
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    action = read_action(published.root / "action.yml")
    runner = Runner(
        action,
        published.root,
        workspace,
        temporary,
        github,
        provided={"python": {"python-path": sys.executable}},
    )
    run = runner.run(working_directory=f"./{FOLDER}")
    assert (run.status, run.outputs["check"], run.outputs["breaking"]) == (1, "found", "found")
    assert f"::error file={CONTRACT},title=CF401" in run.log
    assert f"::error file={FOLDER}/src/notes_bindings/notes/stubs.py,title=CF203" in run.log
    assert "search_notes" in run.summary


@pytest.mark.parametrize(
    "words",
    [
        ("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"),
        ("pre-commit", "validate-manifest", ".pre-commit-hooks.yaml"),
    ],
)
def test_the_files_are_what_their_schemas_say(words: tuple[str, ...]) -> None:
    status, said = call(str(PROGRAMS / words[0]), *words[1:], cwd=ROOT, env={})
    assert status == 0, said
