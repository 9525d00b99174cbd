"""The contract against vendored surfaces: the same in meaning, and byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from counterfoil.contract.model import Contract, Server
from counterfoil.contract.report import Report
from counterfoil.contract.values import is_array, is_object, items, members
from counterfoil.findings import Finding
from counterfoil.parity.fields import by_name, field_differences, name_of
from counterfoil.plan import Step
from counterfoil.schema.semantics import equal
from counterfoil.targets.paths import fill
from counterfoil.targets.snapshot import surface
from counterfoil.tree import read_file
from counterfoil.wire.messages import read_json

_HEADER = "$comment"


def judge_snapshots(contract: Contract, steps: Iterable[Step], root: Path) -> list[Finding]:
    """Report vendored surfaces that differ from the contract (CF320, CF321, CF330)."""
    report = Report(contract.path, contract.text)
    for step in steps:
        if step.target.name != "snapshot":
            continue
        planned = {file.path: file.content for file in step.target.plan(step.request)}
        for server in step.request.servers:
            path = fill(step.request.path, server)
            content = read_file(root, path)
            if content is None:
                report.add("CF320", server.pointer, f"{path} is missing")
            else:
                _judge(contract, server, path, content, planned[path], report)
    return list(report.findings())


def _judge(
    contract: Contract, server: Server, path: str, content: bytes, planned: bytes, report: Report
) -> None:
    try:
        theirs = read_json(content)
    except ValueError:
        theirs = None
    if not is_object(theirs):
        report.add("CF320", server.pointer, f"{path} is no JSON object, read strictly")
        return
    ours = surface(contract, server)
    before = len(report)
    _judge_lists(server, path, ours, theirs, report)
    _judge_routes(server, path, ours["routes"], theirs.get("routes"), report)
    for key in sorted(ours.keys() - theirs.keys()):
        report.add("CF320", server.pointer, f"{path} has no {key}")
    for key in sorted(theirs.keys() - ours.keys() - {_HEADER}):
        report.add("CF320", server.pointer, f"{path} has {key}, the contract does not")
    for key in ("server", "wording"):
        if key in theirs and not equal(ours[key], theirs[key]):
            report.add("CF320", server.pointer, f"{path}: {key} differs")
    if len(report) == before and content != planned:
        report.add("CF321", server.pointer, f"{path} differs in its bytes only")


def _judge_lists(
    server: Server, path: str, ours: Mapping[str, Any], theirs: Mapping[str, Any], report: Report
) -> None:
    for kind in ("tools", "resources", "resourceTemplates", "prompts"):
        pointers = {part.name: part.pointer for part in server.parts(kind)}
        listed = list(_entries(server, path, kind, theirs.get(kind, []), report))
        wanted, given = by_name(ours[kind]), by_name(listed)
        for name, count in sorted(Counter(map(name_of, listed)).items()):
            if count > 1:
                at = pointers.get(name, server.pointer)
                report.add("CF320", at, f"{path} has {name} {count} times in {kind}")
        for name in sorted(wanted.keys() - given.keys()):
            report.add("CF320", pointers[name], f"{path} does not have {name}")
        for name in sorted(given.keys() - wanted.keys()):
            report.add("CF320", server.pointer, f"{path} has {name}, the contract does not")
        for name in sorted(wanted.keys() & given.keys()):
            for each in field_differences(wanted[name], given[name]):
                at = f"{pointers[name]}/{each.field}"
                report.add("CF320", at, f"{path}: {name}: {each.what}")


def _entries(
    server: Server, path: str, kind: str, listed: Any, report: Report
) -> Iterator[dict[str, Any]]:
    """Yield the entries of a list that have a name; report the others."""
    if not is_array(listed):
        report.add("CF320", server.pointer, f"{path}: {kind} is no array")
    for index, entry in enumerate(items(listed)):
        if not is_object(entry):
            report.add("CF320", server.pointer, f"{path}: {kind}/{index} is no object")
        elif not name_of(entry):
            report.add("CF320", server.pointer, f"{path}: {kind}/{index} has no name")
        else:
            yield entry


def _judge_routes(
    server: Server, path: str, ours: Mapping[str, Any], theirs: Any, report: Report
) -> None:
    given = members(theirs)
    if not is_object(theirs):
        report.add("CF330", server.pointer, f"{path}: routes is no object")
    for key in sorted(ours.keys() | given.keys()):
        at = server.routes[key].pointer if key in server.routes else server.pointer
        if key not in given:
            report.add("CF330", at, f"{path} has no route {key}")
        elif key not in ours:
            report.add("CF330", at, f"{path} has a route {key} that no tool of the contract uses")
        elif not is_object(given[key]):
            report.add("CF330", at, f"{path}: route {key} is no object")
        else:
            for each in field_differences(ours[key], given[key]):
                report.add("CF330", at, f"{path}: route {key}: {each.what}")
