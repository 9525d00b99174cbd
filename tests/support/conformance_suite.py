"""The official conformance suite: what it can ask, its verdicts, and what is expected of them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nodejs import find_package, run_node

LINE = re.compile(r"^  - (\S+) \[(.+)\]$", re.MULTILINE)
FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
EXTENSION = "extension"  # in place of revisions, for what no revision holds
SUCCESS, INFO = "SUCCESS", "INFO"
FORMAL = "wire-schema-valid"  # a check of every scenario, whatever it is about


@dataclass(frozen=True)
class Check:
    """One verdict of a runner."""

    id: str
    status: str
    message: str


Results = Mapping[str, Sequence[Check]]


@dataclass(frozen=True)
class Allowance:
    """A check that is not expected to succeed, in a scenario and a revision where it is run."""

    scenario: str
    revision: str
    check: str
    status: str


@dataclass(frozen=True)
class Plan:
    """What is expected of a server: ``scenarios.toml`` in the folder of the tests, read.

    ``shipped`` holds the scenarios that the server passes as it is, ``prepared`` those that ask
    for tools, prompts and resources of given names, ``excluded`` the rest with a reason for each.
    """

    runners: Mapping[str, Sequence[str]]
    shipped: Sequence[str]
    prepared: Sequence[str]
    excluded: Mapping[str, str]
    allowed: Sequence[Allowance]

    @classmethod
    def parse(cls, text: str) -> Plan:
        """Read a plan, and refuse one that names a scenario twice or gives no reason."""
        document: dict[str, Any] = tomllib.loads(text)
        excluded = document.get("excluded", [])
        allowed = document.get("allowed", [])
        assert all(entry["reason"] for entry in [*excluded, *allowed]), "an entry has no reason"
        plan = cls(
            document["runners"],
            document["shipped"],
            document["prepared"],
            {name: entry["reason"] for entry in excluded for name in entry["scenarios"]},
            [
                Allowance(entry["scenario"], revision, check, entry["status"])
                for entry in allowed
                for revision in entry["revisions"]
                for check in entry["checks"]
            ],
        )
        names = [*plan.shipped, *plan.prepared]
        names += [name for entry in excluded for name in entry["scenarios"]]
        assert len(names) == len(set(names)), "a scenario is named twice"
        return plan

    @property
    def scenarios(self) -> set[str]:
        """Return every scenario that is named."""
        return {*self.shipped, *self.prepared, *self.excluded}

    @property
    def runs(self) -> list[tuple[str, str]]:
        """Return every runner with every revision that it knows."""
        return [(runner, revision) for runner, names in self.runners.items() for revision in names]

    def judge(self, expected: Iterable[str], revision: str, results: Results) -> list[str]:
        """Say where results are not as expected.

        Scenarios in ``expected`` succeed but for what is allowed, and what is allowed does happen.
        All others fail, or their place in the plan is out of date.
        """
        wanted = set(expected)
        complaints: list[str] = []
        for scenario, checks in results.items():
            if scenario not in self.scenarios:
                complaints.append(f"{scenario}: is not in the plan")
            elif scenario in wanted:
                complaints.extend(self._judge_expected(scenario, revision, checks))
            elif _passes(checks):
                complaints.append(f"{scenario}: succeeds, and the plan says that it does not")
        return complaints

    def _judge_expected(
        self, scenario: str, revision: str, checks: Sequence[Check]
    ) -> Iterator[str]:
        allowed = {
            (entry.check, entry.status)
            for entry in self.allowed
            if (entry.scenario, entry.revision) == (scenario, revision)
        }
        if not any(check.status == SUCCESS for check in checks) and not allowed:
            yield f"{scenario}: shows nothing"
        for check in checks:
            key = (check.id, check.status)
            if check.status not in (SUCCESS, INFO) and key not in allowed:
                yield f"{scenario}: {check.id}: {check.status}: {check.message}"
        happened = {(check.id, check.status) for check in checks}
        for name, status in sorted(allowed - happened):
            yield f"{scenario}: {name}: is allowed as {status}, and that did not happen"


def _passes(checks: Sequence[Check]) -> bool:
    about = [check.status for check in checks if check.id != FORMAL]
    return SUCCESS in about and set(about) <= {SUCCESS, INFO}


@cache
def list_scenarios(runner: str) -> dict[str, set[str]]:
    """Ask a runner for its server scenarios, each with the revisions that it is for."""
    done = run_node(_find_entry(runner), "list", "--server")
    assert done.returncode == 0, done.stderr
    return {name: set(revisions.split(",")) for name, revisions in LINE.findall(done.stdout)}


def run_suite(runner: str, revision: str, url: str, folder: Path) -> dict[str, list[Check]]:
    """Run every scenario of a revision against the server at ``url``; return the verdicts."""
    done = run_node(
        _find_entry(runner), "server", "--url", url, "--suite", "all",
        "--spec-version", revision, "--output-dir", folder,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr  # 1: a check failed
    results: dict[str, list[Check]] = {}
    for path in sorted(folder.glob("*/checks.json")):
        named = FOLDER.fullmatch(path.parent.name)
        assert named is not None, path
        checks = json.loads(path.read_text("utf-8"))
        results[named[1]] = [
            Check(check["id"], check["status"], str(check.get("errorMessage", "")))
            for check in checks
        ]
    return results


def _find_entry(runner: str) -> Path:
    return find_package(runner) / "dist" / "index.js"
