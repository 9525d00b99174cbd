"""A wrapper's project as files: what is there is kept, what is missing is planned."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from counterfoil.config import FILE, read_config
from counterfoil.contract.canonical import canonical_text, dump
from counterfoil.contract.model import Contract, Server
from counterfoil.contract.reading import canonical_file
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding
from counterfoil.judging import Judged
from counterfoil.project import Project
from counterfoil.scaffold.setup import check_folders, lay
from counterfoil.scaffold.starter import starter_cases, starter_contract
from counterfoil.scaffold.wrapper.examples import examples
from counterfoil.scaffold.wrapper.layout import CASES, CONTRACT, Wrapper, wrapper_of
from counterfoil.scaffold.wrapper.pages import pages

_HINT = "write one with --server, or give another contract"


@dataclass(frozen=True)
class Sources:
    """What a project begins with.

    Attributes:
        files: the contract and its cases by path, where they are not in the project yet.
        contract, cases: where they are in the project; ``cases`` is empty for none.
        is_there: whether the project has a configuration, and they are what it names.
    """

    files: Mapping[str, bytes]
    contract: str = CONTRACT
    cases: str = ""
    is_there: bool = False


@dataclass(frozen=True)
class Start:
    """A project that can be written.

    Attributes:
        wrapper: what it is called.
        contract: its contract.
        server: the server of the contract that it is.
        files: every file that is written once, by path.
    """

    wrapper: Wrapper
    contract: Contract
    server: Server
    files: Mapping[str, bytes]


class RefusedContract(CounterfoilError):
    """Say that nothing can be made from a contract.

    Attributes:
        findings: what is wrong with it.
    """

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__("nothing was written: mend the contract first")
        self.findings = findings


def own_sources(root: Path) -> Sources | None:
    """Return what a project's configuration names, or ``None`` without one.

    Raises:
        ConfigError: it is not understood.
    """
    if not os.path.lexists(root / FILE):
        return None
    config = read_config(root)
    return Sources({}, config.contract, config.cases, is_there=True)


def given_sources(root: Path, path: Path) -> Sources:
    """Return a contract that was given by its path, and the cases beside it.

    One inside the project stays where it is; any other is copied, in its canonical form.

    Raises:
        CounterfoilError: it cannot be read.
    """
    beside = path.parent / "cases"
    if path.resolve().is_relative_to(root.resolve()):
        inside = path.resolve().relative_to(root.resolve())
        cases = (inside.parent / "cases").as_posix() if beside.is_dir() else ""
        return Sources({}, inside.as_posix(), cases)
    found = {
        f"{CASES}/{case.relative_to(beside).as_posix()}": _read(case)
        for case in sorted(beside.glob("*/*.json"))
    }
    return Sources({CONTRACT: _canonical(path), **found}, cases=CASES if found else "")


def starter_sources(server: str) -> Sources:
    """Return a small contract of one wrapper, with its cases."""
    files = {CONTRACT: canonical_text(starter_contract(server, "wrapper")).encode()}
    for tool, cases in starter_cases().items():
        files[f"{CASES}/{server}/{tool}.json"] = dump(cases).encode()
    return Sources(files, cases=CASES)


def start(root: Path, name: str, server: str, sources: Sources) -> Start:
    """Judge the sources and return what has to be written; nothing is.

    Args:
        root: the project's folder, which need not be there.
        name: of the distribution.
        server: the server's id; empty for the only wrapper of the contract.
        sources: the contract and its cases.

    Raises:
        RefusedContract: the contract has findings that forbid generating from it.
        CounterfoilError: it has no such server.
    """
    judged = _judged(root, sources)
    contract = judged.usable
    if contract is None:
        raise RefusedContract(judged.findings)
    chosen = _server(contract, server)
    wrapper = wrapper_of(name, chosen, sources.contract, sources.cases)
    made = {path: text.encode() for path, text in pages(wrapper, chosen).items()}
    arguments = examples(contract, chosen, judged.cases)
    return Start(wrapper, contract, chosen, {**sources.files, **made, **arguments})


def missing(root: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that are not there yet, having looked that each can be written.

    Raises:
        CounterfoilError: something that is no file is in the way.
    """
    wanted: dict[str, bytes] = {}
    for path, content in files.items():
        check_folders(root, path)
        target = root / path
        if not os.path.lexists(target):
            wanted[path] = content
        elif not target.is_file():
            raise CounterfoilError("is no file", place=path, hint="move it away")
    return wanted


def differs(root: Path, sources: Sources, path: Path) -> bool:
    """Say whether a contract that was given is another than the project's own."""
    return _canonical(root / sources.contract) != _canonical(path)


def _judged(root: Path, sources: Sources) -> Judged:
    """Judge the sources by the rules that the project will be judged by."""
    if sources.is_there:
        return Project(read_config(root), cached=False).judged
    lines = [f"[tool.counterfoil]\ncontract = {json.dumps(sources.contract)}"]
    lines += [f"cases = {json.dumps(sources.cases)}"] if sources.cases else []
    with TemporaryDirectory(prefix="counterfoil-") as folder:
        scratch = Path(folder)
        files = {FILE: "\n".join(lines).encode(), **sources.files}
        if sources.contract not in files:
            files[sources.contract] = _read(root / sources.contract)
        for _ in lay(scratch, files):
            pass
        if sources.cases and not (scratch / sources.cases).is_dir():
            shutil.copytree(root / sources.cases, scratch / sources.cases)
        return Project(read_config(scratch), cached=False).judged


def _server(contract: Contract, name: str) -> Server:
    wrappers = {server.id: server for server in contract.servers if server.binding == "wrapper"}
    if name in wrappers:
        return wrappers[name]
    listed = ", ".join(wrappers) or "none"
    if name:
        raise CounterfoilError(
            f"the contract has no wrapper {name!r}", place="--server", hint=f"wrappers: {listed}"
        )
    if len(wrappers) != 1:
        raise CounterfoilError(
            f"the contract has {len(wrappers)} servers with the binding wrapper",
            hint=f"{_HINT}; wrappers: {listed}",
        )
    return next(iter(wrappers.values()))


def _canonical(path: Path) -> bytes:
    """Return a contract's canonical form; one that has none comes as it is, for the judge."""
    raw = _read(path)
    return canonical_file(path, str(path)) or raw


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}", place=str(path), hint="correct the path"
        ) from error
