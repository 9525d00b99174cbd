"""Lock files that `counterfoil lock` wrote: readable, and still true."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from counterfoil.diagnosis.diagnosis import FAILURE, OK, WARNING, Diagnosis, counted, guarded
from counterfoil.diagnosis.servers import Answer
from counterfoil.locking.comparison import judge_lock
from counterfoil.locking.lock import MARK, Lock, lock_of, read_lock
from counterfoil.parity.live import target_of
from counterfoil.wire import REVISIONS, read_one

_SUFFIX = ".lock.json"
_PASSED_OVER = frozenset({"__pycache__", "build", "dist", "node_modules"})
_MOST = 50_000  # files that are looked through; a project with more is no project
_RESTORE = "take the file from version control, or remove it and lock the server again"
_UPDATE = "look at the change, then run `counterfoil lock SOURCE --lock {path} --update`"


def find_locks(root: Path) -> Iterator[str]:
    """Yield the lock files of a project, relative to it; hidden folders are passed over.

    A file with the name of one and without the mark is somebody else's.
    """
    looked = 0
    for base, folders, names in os.walk(root):
        folders[:] = sorted(
            name for name in folders if name not in _PASSED_OVER and not name.startswith(".")
        )
        looked += len(names)
        if looked > _MOST:
            return
        for name in sorted(names):
            path = Path(base, name)
            if name.endswith(_SUFFIX) and MARK.encode() in path.read_bytes():
                yield path.relative_to(root).as_posix()


def examine_locks(root: Path, answers: Sequence[Answer]) -> Iterator[Diagnosis]:
    """Read every lock, and compare it with the server of its name among those that answered.

    A lock does not say where its server is: the place may hold a secret. One whose server is not
    in the configuration can only be read here.
    """
    for path in find_locks(root):
        subject = f"lock {path}"
        look = partial(_examine, root, path, subject, answers)
        yield from guarded(subject, look, _RESTORE)


def _examine(root: Path, path: str, subject: str, answers: Sequence[Answer]) -> Iterator[Diagnosis]:
    lock = read_lock((root / path).read_bytes(), path)
    name = lock.server.get("name")
    if lock.revision and lock.revision not in REVISIONS:
        what = f"was written in MCP {lock.revision}, which this counterfoil does not speak"
        yield Diagnosis(subject, WARNING, what, _UPDATE.format(path=path))
        return
    answer = next((each for each in answers if name and _named(each) == name), None)
    if answer is None:
        tools = (
            f"{counted(len(lock.lists['tools']), 'tool')} of {name or 'a server without a name'}"
        )
        what = f"can be read: {tools}; its server is none of the configuration"
        hint = f"run `counterfoil check --server SOURCE --lock {path}` to compare the two"
        yield Diagnosis(subject, OK, what, hint)
        return
    findings = judge_lock(lock, _seen(answer, lock, root))
    if findings:
        told = [f"{each.code} {each.message}" for each in findings]
        what = f"is stale: the server {name} lists something else"
        yield Diagnosis(subject, FAILURE, what, _UPDATE.format(path=path), "\n".join(told[:5]))
    else:
        yield Diagnosis(subject, OK, f"is what the server {name} lists")


def _named(answer: Answer) -> object:
    return answer.surface.server.get("name") if answer.surface else None


def _seen(answer: Answer, lock: Lock, root: Path) -> Lock:
    """Return what a server lists, in the revision of the lock where it still speaks it."""
    surface = answer.surface
    if surface is None or lock.revision not in ("", surface.revision):
        surface = read_one(target_of(answer.live, root), lock.revision)
    return lock_of(surface, lock.path, recorded=not lock.revision)
