"""The contract's outbound lists against those that wrappers really use."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from counterfoil.config import FILE, Allowlist
from counterfoil.contract.model import Contract, Server
from counterfoil.contract.report import Report
from counterfoil.contract.source import SourceError, decode, parse
from counterfoil.contract.values import is_array, is_object
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding, rule
from counterfoil.parity.live import Answers
from counterfoil.wire.redaction import Redaction, command_secrets, environment_secrets
from counterfoil.wire.targets import StdioTarget

_MEMBERS = ("method", "origin", "pathPattern")
_LARGEST = 4 * 1024 * 1024
_TAIL = 500  # characters of what a failed command said last
_SHAPE = 'print a JSON list of {"method": …, "origin": …, "pathPattern": …}'


def judge_allowlists(contract: Contract, entries: Iterable[Allowlist], root: Path) -> Answers:
    """Read each list and report every difference, in both directions.

    CF360 is an entry that the wrapper does not have, CF361 one that only the wrapper has, CF350
    a server that the contract does not have. A list that cannot be read does not keep the
    others from being compared.
    """
    known = {server.id: server for server in contract.servers}
    found: list[Finding] = []
    errors: list[CounterfoilError] = []
    for entry in entries:
        if entry.id not in known:
            message = f"[[tool.counterfoil.allowlist]]: the contract has no server {entry.id!r}"
            found.append(_finding("CF350", FILE, message))
            continue
        try:
            names = _names(entry, root)
        except CounterfoilError as error:
            errors.append(error)
            continue
        report = Report(contract.path, contract.text)
        _compare(known[entry.id], names, report)
        found += report.findings()
    return Answers(tuple(found), tuple(errors))


def _compare(server: Server, names: Sequence[str], report: Report) -> None:
    ours = {part.name: part for part in server.parts("outbound")}
    theirs = Counter(names)
    for name in sorted(ours.keys() - theirs.keys()):
        message = f"the wrapper {server.id} does not permit {name}"
        report.add("CF360", ours[name].pointer, message)
    for name in sorted(theirs.keys() - ours.keys()):
        message = f"the wrapper {server.id} permits {name}, which the contract does not"
        report.add("CF361", server.pointer, message)
    for name, count in sorted(theirs.items()):
        if count > 1 and name in ours:
            message = f"the wrapper {server.id} lists {name} {count} times"
            report.add("CF361", ours[name].pointer, message)


def _names(entry: Allowlist, root: Path) -> list[str]:
    """Return the entries of a list as the contract names them.

    Raises:
        CounterfoilError: it cannot be read.
    """
    place = entry.path or f"allowlist of {entry.id}"
    raw = _read(root / entry.path, place) if entry.path else _printed(entry, root, place)
    try:
        value, twice = parse(decode(raw))
    except SourceError as error:
        raise CounterfoilError(f"is no JSON: {error}", place=place, hint=_SHAPE) from error
    if twice:
        raise CounterfoilError(f"has the key {twice[0].key!r} twice", place=place, hint=_SHAPE)
    if not is_array(value):
        raise CounterfoilError("is no list", place=place, hint=_SHAPE)
    return [_name(each, index, place) for index, each in enumerate(value)]


def _name(entry: object, index: int, place: str) -> str:
    if not is_object(entry) or sorted(entry.keys() - {"description"}) != [*_MEMBERS]:
        raise CounterfoilError(f"entry {index} is no entry", place=place, hint=_SHAPE)
    if not all(isinstance(entry[key], str) for key in _MEMBERS):
        what = f"entry {index} has a member that is no text"
        raise CounterfoilError(what, place=place, hint=_SHAPE)
    return f"{entry['method']} {entry['origin']}{entry['pathPattern']}"


def _read(path: Path, place: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}", place=place, hint="correct the entry's path"
        ) from error


def _printed(entry: Allowlist, root: Path, place: str) -> bytes:
    """Return what a command prints."""
    target = StdioTarget(entry.command, str(root / entry.cwd), dict(entry.env), entry.timeout)
    redaction = Redaction(environment_secrets(target.environment))
    redaction.hide(*command_secrets(target.command))
    try:
        done = subprocess.run(
            target.command,
            cwd=target.cwd,
            env=target.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=target.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        what = f"the command did not end within {entry.timeout:g} s"
        raise CounterfoilError(what, place=place, hint="set a longer timeout") from error
    except (OSError, ValueError) as error:
        raise CounterfoilError(
            "the command could not be started", place=place, hint="correct command and cwd"
        ) from error
    if done.returncode:
        said = redaction.apply(done.stderr.decode("utf-8", "replace")).strip()[-_TAIL:]
        what = f"the command ended with exit status {done.returncode}"
        raise CounterfoilError(
            f"{what}: {json.dumps(said, ensure_ascii=False)}" if said else what,
            place=place,
            hint="run it by itself",
        )
    if len(done.stdout) > _LARGEST:
        raise CounterfoilError("the command printed too much", place=place, hint=_SHAPE)
    return done.stdout


def _finding(code: str, path: str, message: str) -> Finding:
    entry = rule(code)
    return Finding(path, 0, 0, "", entry.code, message, entry.mend, entry.severity)
