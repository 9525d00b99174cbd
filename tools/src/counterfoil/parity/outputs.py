"""The contract against each generated output, as it lies in the tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from counterfoil.contract.model import Contract, Server
from counterfoil.contract.report import Report
from counterfoil.findings import Finding, rule
from counterfoil.names import class_name
from counterfoil.plan import Step
from counterfoil.render import COMMAND
from counterfoil.targets.target import Entry
from counterfoil.territory import Territory
from counterfoil.tree import generated_files

_LISTS = {
    "handler": "tools",
    "outbound": "outbound",
    "prompt": "prompts",
    "resource": "resources",
    "route": "routes",
    "template": "resourceTemplates",
    "tool": "tools",
}


def judge_outputs(contract: Contract, steps: Iterable[Step], territory: Territory) -> list[Finding]:
    """Report what outputs lack (CF310) and what they hold beyond the contract (CF311).

    Outputs are read back without the code that writes them.
    """
    files = generated_files(territory)
    report = Report(contract.path, contract.text)
    found: list[Finding] = []
    ordered = list(steps)
    claimed: dict[tuple[str, str], set[Entry]] = {}
    for step in ordered:
        # Two outputs may share a path, each for some of the servers.
        shared = claimed.setdefault((step.target.name, step.request.path), set())
        shared |= step.target.expected(step.request)
    for step in ordered:
        at_hand = _with_planned(files, step, territory.root)
        expected = step.target.expected(step.request)
        actual = step.target.found(step.request, at_hand)
        shown = f"{step.target.name} output {step.request.path}"
        for entry in sorted(expected - actual):
            message = f"{shown} has no {entry.kind} {entry.name}"
            report.add("CF310", pointer_of(contract, entry), message)
        unclaimed = actual - claimed[step.target.name, step.request.path]
        found += [_surplus(step, entry) for entry in sorted(unclaimed)]
    return [*report.findings(), *found]


def pointer_of(contract: Contract, entry: Entry) -> str:
    """Return the pointer to an entry in the contract, or to its server."""
    if not entry.server:
        return ""
    server = contract.server(entry.server)
    if entry.kind == "schema":
        return _schema_pointer(server, entry.name)
    for part in server.parts(_LISTS.get(entry.kind, "")):
        if part.name == entry.name:
            return part.pointer
    return server.pointer


def _schema_pointer(server: Server, name: str) -> str:
    """Return the pointer to the schema that a class is made of, or to its server."""
    for tool in server.tools:
        for key, part in (("inputSchema", "Input"), ("outputSchema", "Output")):
            if name == f"{class_name(tool.name)}{part}":
                return f"{tool.pointer}/{key}"
    return server.pointer


def _with_planned(files: Mapping[str, bytes], step: Step, root: Path) -> Mapping[str, bytes]:
    """Add a configured file that has lost its header, so that it is read all the same."""
    path = root / step.request.path
    if step.request.path in files or not path.is_file():
        return files
    return {**files, step.request.path: path.read_bytes()}


def _surplus(step: Step, entry: Entry) -> Finding:
    entry_of = f" of {entry.server}" if entry.server else ""
    return Finding(
        path=entry.path or step.request.path,
        line=0,
        column=0,
        pointer="",
        code="CF311",
        message=f"{step.target.name} output holds the {entry.kind} {entry.name}{entry_of}, "
        "which the contract does not have",
        hint=f"run `{COMMAND}`",
        severity=rule("CF311").severity,
    )
