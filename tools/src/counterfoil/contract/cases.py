"""Example calls and results of tools: a file for each tool, in a folder for each server."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.model import Contract
from counterfoil.contract.report import Report
from counterfoil.contract.source import SourceError, decode, escape, parse
from counterfoil.contract.values import items, members
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding, rule

GRAMMAR_FILE = "cases.schema.json"
Key = tuple[str, str]


@dataclass(frozen=True)
class CaseFile:
    """The cases of one tool.

    Attributes:
        path: the file as findings show it.
        text: its text with ``\\n`` line ends.
        data: the JSON object, which keeps the grammar of cases. Callers do not change it.
    """

    path: str
    text: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Cases(Mapping[Key, Mapping[str, object]]):
    """The cases of a contract's tools, by (server id, tool name).

    Attributes:
        files: the files that could be used.
        broken: tools that have a file which could not be used, and has a finding.
        folder: where they are, relative to the project, with forward slashes.
    """

    files: Mapping[Key, CaseFile] = field(default_factory=dict[Key, CaseFile])
    broken: frozenset[Key] = frozenset()
    folder: str = ""

    def __getitem__(self, key: Key) -> Mapping[str, object]:
        return self.files[key].data

    def __iter__(self) -> Iterator[Key]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


@functools.cache
def grammar_text() -> str:
    """Return the text of ``cases.schema.json`` as it ships with this package."""
    return (resources.files("counterfoil.contract") / GRAMMAR_FILE).read_text("utf-8")


def read_cases(root: Path, folder: str, contract: Contract) -> tuple[Cases, tuple[Finding, ...]]:
    """Read ``<folder>/<server>/<tool>.json`` for every tool of a contract.

    Only ``.json`` files are looked at. A tool without a file is no fault here.

    Args:
        root: the project's folder.
        folder: relative to it, with forward slashes.

    Returns:
        The cases, and what is wrong with files: sorted, each with its path and place.

    Raises:
        CounterfoilError: the folder is not there, or something in it cannot be read.
    """
    files: dict[Key, CaseFile] = {}
    broken: set[Key] = set()
    findings: list[Finding] = []
    known = {(server.id, tool.name) for server in contract.servers for tool in server.tools}
    servers = {server.id for server in contract.servers}
    for path in _json_files(root / folder, folder):
        shown = path.relative_to(root).as_posix()
        inner = path.relative_to(root / folder)
        key = (inner.parent.as_posix(), inner.stem)
        if key not in known:
            findings.append(_stale(shown, key, servers))
            continue
        case_file, faults = _read(path, shown)
        findings += faults
        if case_file is None:
            broken.add(key)
        else:
            files[key] = case_file
    return Cases(dict(sorted(files.items())), frozenset(broken), folder), tuple(sorted(findings))


def _json_files(path: Path, shown: str) -> list[Path]:
    if not path.is_dir():
        raise CounterfoilError(
            "there is no such folder",
            place=shown,
            hint="make it, or take `cases` out of [tool.counterfoil]",
        )
    # Compared by their parts, since the separator of paths differs between systems.
    return sorted(path.rglob("*.json"), key=lambda each: each.parts)


def _stale(shown: str, key: Key, servers: set[str]) -> Finding:
    server, tool = key
    if server == ".":
        message = "the file is in no server's folder"
    elif server not in servers:
        message = f'"{server}" is no server of the contract'
    else:
        message = f'"{tool}" is no tool of the server "{server}"'
    return Finding(shown, 0, 0, "", "CF189", message, rule("CF189").mend, rule("CF189").severity)


def _read(path: Path, shown: str) -> tuple[CaseFile | None, tuple[Finding, ...]]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}", place=shown, hint="check what is at that path"
        ) from error
    try:
        text = decode(raw)
        data, duplicates = parse(text)
    except SourceError as error:
        entry = rule("CF180")
        finding = Finding(
            shown, error.line, error.column, "", "CF180", error.what, entry.mend, entry.severity
        )
        return None, (finding,)
    report = Report(shown, text)
    for duplicate in duplicates:
        message = f'"{duplicate.key}" is given twice in one object'
        report.add("CF180", duplicate.pointer, message)
    for pointer in _halves(data, ""):
        report.add("CF180", pointer, "text holds half a character, which no UTF-8 can carry")
    if not report:
        _judge_grammar(data, report)
    return (None if report else CaseFile(shown, text, data)), report.findings()


def _judge_grammar(data: Any, report: Report) -> None:
    for error in _validator().iter_errors(data):
        pointer = "".join(f"/{escape(str(token))}" for token in error.instance_path)
        if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
            for name in error.kind.unexpected:
                report.add("CF181", f"{pointer}/{escape(name)}", f'"{name}" is not known here')
        else:
            report.add("CF181", pointer, bounded(error.message))


@functools.cache
def _validator() -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator(json.loads(grammar_text()), offline=True)


def _halves(value: Any, pointer: str) -> Iterator[str]:
    """Yield where a text, key or value, holds a lone surrogate."""
    if isinstance(value, str) and any("\ud800" <= each <= "\udfff" for each in value):
        yield pointer
    for key, member in members(value).items():
        broken = list(_halves(key, pointer))
        yield from broken or _halves(member, f"{pointer}/{escape(key)}")
    for index, member in enumerate(items(value)):
        yield from _halves(member, f"{pointer}/{index}")
