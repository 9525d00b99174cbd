"""Parse the command line, run a subcommand, and end with its status."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence

from counterfoil import __version__
from counterfoil.cli.command import EXITS, FAILED, Command
from counterfoil.cli.output import say, say_error
from counterfoil.errors import CounterfoilError

# Each is a module of this package with a COMMAND, and is imported when it is asked for: what the
# others need takes longer to import than some commands take to run.
_COMMANDS = (
    "init",
    "new",
    "import",
    "validate",
    "generate",
    "check",
    "parity",
    "breaking",
    "accept",
    "lock",
    "rules",
)
_MODULES = {"import": "importing"}  # a word of Python names no module
# A contract is a tree of many small objects that are needed to the end. Looking for cycles among
# them after every 700 new ones finds none, and takes a sixteenth of a run.
_UNCOLLECTED = 100_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``counterfoil`` and return its exit status.

    Args:
        argv: the arguments; default: those of the process.
    """
    gc.set_threshold(_UNCOLLECTED)
    _open_streams()
    if not _has_output():
        say("counterfoil: standard output is closed, and nothing can be reported")
        return FAILED
    return _delivered(_status(argv))


def _open_streams() -> None:
    if not isinstance(sys.stderr, io.TextIOBase):  # it is closed, and print would take stdout
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _has_output() -> bool:
    stream: object = sys.stdout  # None where the process was started with a closed one
    return stream is not None


def _status(argv: Sequence[str] | None) -> int:
    try:
        words = sys.argv[1:] if argv is None else argv
        arguments = _parser(words[0] if words else "").parse_args(words)
        status: int = arguments.run(arguments)
        return status
    except SystemExit as end:  # argparse has printed the help, or what is wrong
        return end.code if isinstance(end.code, int) else FAILED
    except CounterfoilError as error:
        say_error(error)
    except KeyboardInterrupt:
        say("counterfoil: interrupted")
        return 130
    except BrokenPipeError:
        pass  # the reader has what it wanted
    except OSError as error:
        say_error(_explained(error))
    return FAILED


def _explained(error: OSError) -> CounterfoilError:
    """Turn what the system refused, and nobody foresaw, into an error for people."""
    place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    hint = "check what is at that path, and its permissions" if place else ""
    return CounterfoilError(error.strerror or str(error), place=place, hint=hint)


def _delivered(status: int) -> int:
    """Return the status, or that of a failure when what was printed does not arrive."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # The interpreter must not complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError) and status != FAILED:
            say(f"counterfoil: standard output cannot be written: {error.strerror}")
        return FAILED
    return status


def _parser(word: str) -> argparse.ArgumentParser:
    """Return a parser that knows the command of a name, or all where it is the name of none."""
    parser = argparse.ArgumentParser(
        prog="counterfoil",
        description="One JSON contract for MCP tools, and every binding a counterfoil of it.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"counterfoil {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in [word] if word in _COMMANDS else _COMMANDS:
        module = _MODULES.get(name, name)
        command: Command = importlib.import_module(f"counterfoil.cli.{module}").COMMAND
        command.add(commands)
    return parser
