"""Parse the command line, run a subcommand, and end with its status."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from counterfoil import __version__
from counterfoil.cli import check, generate, init, parity, rules, validate
from counterfoil.cli.command import EXITS, FAILED
from counterfoil.cli.output import say, say_error
from counterfoil.errors import CounterfoilError

_COMMANDS = (
    init.COMMAND,
    validate.COMMAND,
    generate.COMMAND,
    check.COMMAND,
    parity.COMMAND,
    rules.COMMAND,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``counterfoil`` and return its exit status.

    Args:
        argv: the arguments; default: those of the process.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except CounterfoilError as error:
        say_error(error)
        return FAILED
    except KeyboardInterrupt:
        say("counterfoil: interrupted")
        return 130
    except BrokenPipeError:
        # The reader is gone; the interpreter must not complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="counterfoil",
        description="One JSON contract for MCP tools, and every binding a counterfoil of it.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"counterfoil {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add(commands)
    return parser
