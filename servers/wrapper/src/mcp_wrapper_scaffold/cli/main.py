"""Parse the command line, run a subcommand, and end with its status."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from mcp_wrapper_scaffold import __version__
from mcp_wrapper_scaffold.cli import allowlist, lint, rules, scan
from mcp_wrapper_scaffold.cli.command import EXITS, FAILED, say
from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.lint.formats import shown

_COMMANDS = (lint.COMMAND, scan.COMMAND, allowlist.COMMAND, rules.COMMAND)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command; return the exit status.

    Args:
        arguments: the words; default: those of the process.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        given = _parser().parse_args(arguments)
        status: int = given.run(given)
        sys.stdout.flush()
    except SystemExit as end:  # argparse has printed the help, or what is wrong
        return end.code if isinstance(end.code, int) else FAILED
    except WrapperError as error:
        say(f"mcp-wrapper: {shown(str(error))}")
    except BrokenPipeError:
        # The reader has what it wanted; the interpreter must not complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        say(f"mcp-wrapper: {shown(f'{place}{error.strerror or error}')}")
    except KeyboardInterrupt:
        say("mcp-wrapper: interrupted")
        return 130
    else:
        return status
    return FAILED


def _parser() -> argparse.ArgumentParser:
    examples = "\n".join(f"  {command.examples[0]}" for command in _COMMANDS)
    parser = argparse.ArgumentParser(
        prog="mcp-wrapper",
        description="Check that a wrapper can only send the requests it declared.",
        epilog=f"examples:\n{examples}\n\n{EXITS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mcp-wrapper {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add(commands)
    return parser
