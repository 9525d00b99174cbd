"""Parse the command line, run a subcommand, and end with its status."""

from __future__ import annotations

import argparse
import errno
import gc
import importlib
import os
import sys
from collections.abc import Mapping, Sequence

from counterfoil import __version__
from counterfoil.cli.command import STATUSES, Command
from counterfoil.cli.output import say_error
from counterfoil.console import FAILED, carry_out
from counterfoil.errors import CounterfoilError
from counterfoil.manual import TERMINAL, Parser, sections, statuses

# Each is a module of this package with a COMMAND, and is imported when it is asked for: what the
# others need takes longer to import than some commands take to run.
_GROUPS = {
    "begin": ("init", "new", "import"),
    "every change": ("validate", "generate", "watch", "check", "parity"),
    "what a change means for callers": ("breaking", "accept"),
    "servers of others": ("lock",),
    "look up": ("rules", "explain", "doctor", "completion"),
}
_COMMANDS = tuple(name for names in _GROUPS.values() for name in names)
_MODULES = {"import": "importing"}  # a word of Python names no module
# A contract is a tree of many small objects that are needed to the end. Looking for cycles among
# them after every 700 new ones finds none, and takes a sixteenth of a run.
_UNCOLLECTED = 100_000
_ASKED = "_ARGCOMPLETE"  # set by the script that `counterfoil completion` prints


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``counterfoil`` and return its exit status.

    Args:
        argv: the arguments; default: those of the process.
    """
    gc.set_threshold(_UNCOLLECTED)
    if _ASKED in os.environ:
        _complete()
    return carry_out("counterfoil", lambda: _status(argv))


def _complete() -> None:
    """Answer a shell that asks what can stand on its line, and end the process."""
    from counterfoil.cli.completion import asked_command, complete

    complete(make_parser(asked_command()))


def _status(argv: Sequence[str] | None) -> int:
    words = sys.argv[1:] if argv is None else argv
    arguments = make_parser(words[0] if words else "").parse_args(words)
    try:
        status: int = arguments.run(arguments)
        return status
    except CounterfoilError as error:
        say_error(error)
    except OSError as error:
        if not error.filename or error.errno == errno.EBADF:
            raise  # it is a stream
        say_error(_explained(error))
    return FAILED


def _explained(error: OSError) -> CounterfoilError:
    """Turn what the system refused, and nobody foresaw, into an error for people."""
    hint = "check what is at that path, and its permissions"
    return CounterfoilError(
        error.strerror or str(error), place=os.fsdecode(error.filename), hint=hint
    )


def make_parser(word: str = "") -> Parser:
    """Return a parser that knows the command of a name, or all where it is the name of none."""
    commands = {name: _command(name) for name in ([word] if word in _COMMANDS else _COMMANDS)}
    parser = Parser(
        prog="counterfoil",
        description="Keep one JSON contract for MCP tools, and every binding a counterfoil of it.",
        epilog=sections(
            exit_status=statuses(STATUSES),
            environment=TERMINAL,
            files=(
                ("pyproject.toml", "[tool.counterfoil] says what is generated, and where"),
                ("contract/contract.json", "the contract, unless the configuration names another"),
            ),
            examples=("counterfoil init my-project", "counterfoil generate --help"),
            see_also=(
                "counterfoil COMMAND --help",
                "counterfoil rules",
            ),
        ),
    )
    parser.add_argument("--version", action="version", version=f"counterfoil {__version__}")
    added = parser.add_subparsers(
        title="commands",
        description=_listed(commands),
        metavar="COMMAND",
        required=True,
        help=argparse.SUPPRESS,  # the description lists them, by what they are for
    )
    for command in commands.values():
        command.add(added)
    return parser


def _command(name: str) -> Command:
    found: Command = importlib.import_module(f"counterfoil.cli.{_MODULES.get(name, name)}").COMMAND
    return found


def _listed(commands: Mapping[str, Command]) -> str:
    width = max(map(len, commands))
    lines: list[str] = []
    for title, names in _GROUPS.items():
        known = [commands[name] for name in names if name in commands]
        lines += [f"{title}:", *(f"  {each.name:{width}}  {each.summary}" for each in known), ""]
    return "\n".join(lines[:-1])
