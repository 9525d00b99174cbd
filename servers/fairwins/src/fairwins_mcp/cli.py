"""The command ``fairwins-mcp``: set up one process and serve it, over stdio unless told."""

from __future__ import annotations

import os
import signal
import sys
import time
from _thread import start_new_thread
from io import BufferedReader, FileIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from fairwins_mcp.stdio import Connection
    from fairwins_mcp.surface import Surface

MAX_NOTE_LENGTH = 300
READ_SIZE = 1 << 16
STOP_SECONDS = 0.8  # for the last answers to leave after a signal


def main(arguments: list[str] | None = None) -> int:
    """Run the server until its input ends, or over HTTP until a signal; return the exit status.

    Status 0 after serving, 1 when it cannot serve, 2 for wrong arguments.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    # After the handlers, so that a signal during these imports already ends the process quietly.
    from fairwins_mcp.errors import SnapshotError
    from fairwins_mcp.surface import Surface, load_snapshot

    words = sys.argv[1:] if arguments is None else arguments
    try:
        if words:
            from fairwins_mcp.console import carry_out

            return carry_out("fairwins-mcp", lambda: _run(words))
        _serve(Surface(load_snapshot()))
    except SnapshotError as error:
        note(str(error))
        return 1
    return 0


def _run(words: list[str]) -> int:
    if words[0] == "client-config":
        from fairwins_mcp.clients.command import configure_client

        return configure_client(words[1:], os.environ)
    from fairwins_mcp.options import read_options

    options = read_options(words, os.environ)
    if options.checks:
        from fairwins_mcp.diagnosis import diagnose

        report, is_sound = diagnose(options, os.environ)
        sys.stdout.write(report)
        return 0 if is_sound else 1
    if options.http is not None:
        sys.stdout = sys.stderr  # nothing here is meant for standard output
        from fairwins_mcp.http.service import serve_http

        return serve_http(options.surface, options.http, os.environ, note)
    _serve(options.surface)
    return 0


def _end(number: int, frame: FrameType | None) -> None:
    """End at once, as a shell reports a signal. Nothing is buffered that could get lost.

    An explicit handler, since the first process of a container ignores signals without one.
    """
    os._exit(128 + number)


def _stop_on_signals(connection: Connection) -> Callable[[], bool]:
    """Let SIGINT and SIGTERM stop a connection; a second one ends the process at once.

    The handler runs between two steps of a thread that may hold locks, so others do the work.
    Return a function that tells whether a signal has come.
    """
    has_come = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal has_come
        if has_come:
            _end(number, frame)
        has_come = True
        try:
            start_new_thread(end, (number, lambda: time.sleep(STOP_SECONDS)))
            start_new_thread(end, (number, connection.stop))
        except RuntimeError:  # the system has no thread to spare
            _end(number, frame)

    def end(number: int, prepare: Callable[[], object]) -> None:
        try:
            prepare()
        finally:
            _end(number, None)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return lambda: has_come


def _serve(surface: Surface) -> None:
    from fairwins_mcp.caller import Caller
    from fairwins_mcp.protocol import Protocol
    from fairwins_mcp.settings import Settings
    from fairwins_mcp.stdio import Connection

    protocol = Protocol(surface, Settings.from_environment(os.environ), note)
    caller = Caller.from_environment(os.environ)
    if caller.has_unusable_token:
        note(caller.token_gap)
    try:
        # By number, not by sys.stdin: those are text, and None when a parent closed them.
        source = BufferedReader(FileIO(0, "rb", closefd=False), READ_SIZE)
        output = FileIO(1, "wb", closefd=False)
        if hasattr(os, "set_blocking"):  # some parents hand over pipes in non-blocking mode
            os.set_blocking(0, True)
            os.set_blocking(1, True)
    except OSError:
        note("standard input or output is closed: there is no one to serve")
        return
    sys.stdout = sys.stderr  # a stray print must not end up between the messages
    with source, output:
        connection = Connection(protocol, caller, output, note, os._exit)
        is_stopping = _stop_on_signals(connection)
        connection.serve(source)
        if is_stopping():
            time.sleep(1)  # the thread that answers what was cut off ends the process


def note(sentence: str) -> None:
    """Write one line for the operator. It never holds content of messages or credentials."""
    try:
        os.write(2, f"fairwins-mcp: {sentence[:MAX_NOTE_LENGTH]}\n".encode("utf-8", "replace"))
    except OSError:
        return  # nobody listens, and that is no reason to stop serving
