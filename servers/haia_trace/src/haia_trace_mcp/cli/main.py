"""Read the words of a command line, and carry out what they say."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Final

from haia_trace_mcp import __version__
from haia_trace_mcp.cli import demo, index, policy, review, serve
from haia_trace_mcp.cli.terminal import say
from haia_trace_mcp.errors import HaiaTraceError

_DESCRIPTION: Final = """\
Serve an agent's own operation receipts over MCP, with an advisory guard before payments.
Without a command, it serves one client over standard input and output until that client goes.
Reviews are decided by people with "haia-trace-mcp review", and by nobody else."""
_STATUSES: Final = """\
exit status:
  0    done
  1    no: what was asked for is not there, was decided before, or is not as it should be
  2    it cannot be done: wrong words, or something that cannot be read or written
  130  interrupted"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command; return the exit status."""
    chosen = make_parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status: int = chosen.run(chosen)
        print(end="", flush=True)
    except HaiaTraceError as error:
        say(str(error))
        return 2
    except BrokenPipeError:  # whoever reads the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return 130
    return status


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; each one sets ``run``."""
    parser = argparse.ArgumentParser(
        prog="haia-trace-mcp",
        description=_DESCRIPTION,
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    serve.add_options(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (review, policy, index, demo):
        command.add_parser(commands)
    return parser
