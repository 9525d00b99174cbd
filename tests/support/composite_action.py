"""Run a composite action of GitHub as its runner does, as far as ours needs it.

Only what the documentation of actions says of composite steps is done: conditions, expressions,
environment, outputs, working directories, and scripts by `bash --noprofile --norc -eo pipefail`.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_CALL = re.compile(r"contains\((?P<text>[^,]+),\s*(?P<part>[^)]+)\)")


def read_action(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return data


@dataclass
class Run:
    """How an action ended.

    Attributes:
        status: that of the first step that failed, else 0.
        log: what the steps printed.
        outputs: those of the action.
        summary: what the steps wrote into the summary of the job.
        ran: ids of the steps that ran.
    """

    status: int
    log: str
    outputs: dict[str, str]
    summary: str
    ran: list[str]


@dataclass
class Runner:
    """Run an action in a workspace.

    Attributes:
        action: what `action.yml` holds.
        folder: where the action is checked out.
        workspace: where the job's repository is checked out.
        temporary: the runner's folder for temporary files.
        github: the context of that name; `event` is a mapping in it.
        environment: variables of the job.
        provided: outputs of steps that are not run, by id.
    """

    action: Mapping[str, Any]
    folder: Path
    workspace: Path
    temporary: Path
    github: Mapping[str, Any]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    provided: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def run(self, **inputs: str) -> Run:
        """Run all steps; inputs have underscores for dashes, and the action's own defaults."""
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() <= self.action["inputs"].keys(), "an input that there is not"
        steps: dict[str, dict[str, Any]] = {}
        context: dict[str, Any] = {"github": self.github, "steps": steps, "inputs": {}}
        for name, entry in self.action["inputs"].items():
            value = given.get(name, entry.get("default", ""))
            context["inputs"][name] = expanded(value, context)
        summary = self.temporary / "summary.md"
        made = Run(0, "", {}, "", [])
        for step in self.action["runs"]["steps"]:
            if not truth(step.get("if", "true"), context):
                continue
            made.ran.append(step["id"])
            if step["id"] in self.provided:
                steps[step["id"]] = {"outputs": dict(self.provided[step["id"]])}
                continue
            outputs, made.status, log = self._run_step(step, context, summary)
            steps[step["id"]] = {"outputs": outputs}
            made.log += log
            if made.status:
                break
        if summary.exists():
            made.summary = summary.read_text("utf-8")
        for name, entry in self.action["outputs"].items():
            made.outputs[name] = expanded(entry["value"], context)
        return made

    def _run_step(
        self, step: Mapping[str, Any], context: Mapping[str, Any], summary: Path
    ) -> tuple[dict[str, str], int, str]:
        assert step["shell"] == "bash"
        name = step["id"]
        script, written = self.temporary / f"{name}.sh", self.temporary / f"{name}.out"
        script.write_text(expanded(step["run"], context), "utf-8")
        written.write_text("", "utf-8")
        own = {key: expanded(value, context) for key, value in step.get("env", {}).items()}
        event = {
            "GITHUB_ACTION_PATH": str(self.folder),
            "GITHUB_EVENT_NAME": self.github["event_name"],
            "GITHUB_OUTPUT": str(written),
            "GITHUB_REF": self.github["ref"],
            "GITHUB_REPOSITORY": self.github["repository"],
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temporary),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace / expanded(step.get("working-directory", "."), context),
            env={**os.environ, **self.environment, **event, **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        pairs = [line.partition("=") for line in written.read_text("utf-8").splitlines()]
        return {key: value for key, _, value in pairs}, done.returncode, done.stdout


def expanded(text: str, context: Mapping[str, Any]) -> str:
    """Return a text with its expressions replaced by their values."""
    return _EXPRESSION.sub(lambda found: value_of(found[1], context), str(text))


def value_of(expression: str, context: Mapping[str, Any]) -> str:
    """Return the value of alternatives, of which the first that is not empty counts."""
    for part in expression.split("||"):
        value = _operand(part.strip(), context)
        if value:
            return value
    return ""


def truth(condition: str, context: Mapping[str, Any]) -> bool:
    """Return whether a condition of comparisons and calls, joined by ``&&``, holds."""
    return all(_holds(part.strip(), context) for part in str(condition).split("&&"))


def _holds(part: str, context: Mapping[str, Any]) -> bool:
    call = _CALL.fullmatch(part)
    if call is not None:
        text, wanted = (_operand(call[name], context) for name in ("text", "part"))
        return wanted.lower() in text.lower()
    for operator, equal in (("==", True), ("!=", False)):
        left, found, right = part.partition(operator)
        if found:
            same = _operand(left.strip(), context) == _operand(right.strip(), context)
            return same is equal
    assert part == "true", f"a condition that is not understood here: {part}"
    return True


def _operand(text: str, context: Mapping[str, Any]) -> str:
    if text.startswith("'"):
        return text.strip("'")
    value: Any = context
    for key in text.split("."):
        value = value.get(key, "") if isinstance(value, Mapping) else ""
    return "" if isinstance(value, Mapping) else str(value)
