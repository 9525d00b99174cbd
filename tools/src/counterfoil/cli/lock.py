"""``counterfoil lock``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.cli.command import CLEAN, FOUND, Command, finding_options
from counterfoil.cli.output import report, say
from counterfoil.cli.reaching import FORMS, Way, capture, counted, reaching_options, read_way
from counterfoil.errors import CounterfoilError
from counterfoil.wire.messages import REVISIONS

if TYPE_CHECKING:
    from counterfoil.locking.lock import Lock

_FILE = "mcp.lock.json"


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", metavar="SOURCE", help="see below")
    reaching_options(parser)
    finding_options(parser)
    parser.add_argument(
        "--lock", metavar="FILE", default=_FILE, help=f"the lock file; default: {_FILE}"
    )
    parser.add_argument(
        "--revision",
        metavar="DATE",
        choices=REVISIONS,
        help="lock what clients of this MCP revision are shown; default: the newest",
    )
    does = parser.add_mutually_exclusive_group()
    does.add_argument(
        "--update", action="store_true", help="write the lock anew, after showing what changed"
    )
    does.add_argument(
        "--check",
        action="store_true",
        help="write nothing: `counterfoil check --server SOURCE --lock FILE` by another name",
    )


def _run(arguments: argparse.Namespace) -> int:
    way = read_way(arguments, arguments.source)
    if way is None:
        raise CounterfoilError(
            "nothing is named to lock",
            place="SOURCE",
            hint="name an address, stdio:COMMAND or a file",
        )
    path = Path(arguments.lock)
    if arguments.check or (path.exists() and not arguments.update):
        return check_lock(arguments, way, "lock")
    from counterfoil.locking.comparison import judge_listing

    before = _read(arguments.lock) if path.exists() else None
    seen = _seen(arguments, way, arguments.revision or (before.revision if before else ""))
    if before is not None:
        _compare(arguments, before, seen, "lock")
    _write(path, seen)
    shown = f", as clients of MCP {seen.revision} are shown them" if seen.revision else ""
    say(f"{arguments.lock}: locked {counted(seen.lists) or 'a server that lists nothing'}{shown}")
    return report(judge_listing(seen), arguments, "lock") if before is None else CLEAN


def check_lock(arguments: argparse.Namespace, way: Way, command: str) -> int:
    """Compare a server with a lock file, report every difference, and return the exit status.

    Raises:
        CounterfoilError: the lock or the server cannot be read.
    """
    before = _read(arguments.lock)
    seen = _seen(arguments, way, before.revision)
    status = _compare(arguments, before, seen, command)
    if status == FOUND:
        say("nothing was written; `counterfoil lock --update` accepts what the server lists now")
    return status


def _compare(arguments: argparse.Namespace, before: Lock, seen: Lock, command: str) -> int:
    from counterfoil.locking.comparison import judge_lock

    findings = judge_lock(before, seen)
    status = report(findings, arguments, command)
    if not findings:
        say(f"the server is as {arguments.lock} has it")
    return status


def _read(name: str) -> Lock:
    from counterfoil.locking.lock import read_lock

    try:
        return read_lock(Path(name).read_bytes(), name)
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}",
            place=name,
            hint="write it first with `counterfoil lock SOURCE`",
        ) from error


def _seen(arguments: argparse.Namespace, way: Way, revision: str) -> Lock:
    """Return what the server lists, in a revision or in the newest that it speaks."""
    from counterfoil.locking.lock import lock_of

    found = capture(arguments, way, revision)
    return lock_of(found.newest, arguments.lock, recorded=not found.spoken)


def _write(path: Path, lock: Lock) -> None:
    from counterfoil.cache import replace_file

    try:
        path.resolve().parent.mkdir(parents=True, exist_ok=True)
        replace_file(path.resolve(), lock.text.encode())
    except OSError as error:
        raise CounterfoilError(
            f"cannot be written: {error.strerror}", place=str(path), hint="check its folder"
        ) from error


COMMAND = Command(
    name="lock",
    summary="lock what somebody else's server lists, and notice when it lists something else",
    description=(
        "Write a lock file: every definition in full, with its digest (sha256 of RFC 8785). Where\n"
        "there is one, compare the server with it and write nothing, unless --update is given.\n"
        "A server may show clients of another MCP revision something else: one is locked, and the\n"
        "same one is compared.\n\n" + FORMS
    ),
    examples=(
        'counterfoil lock "stdio:npx -y @modelcontextprotocol/server-memory@2026.8.31"',
        "counterfoil lock https://example.com/mcp --lock example.lock.json",
        "counterfoil check --server https://example.com/mcp --lock example.lock.json",
        "counterfoil lock https://example.com/mcp --lock example.lock.json --update",
    ),
    options=_options,
    run=_run,
)
