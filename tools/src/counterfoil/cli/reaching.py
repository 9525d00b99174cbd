"""How a command line names a server, or what was recorded of one."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from counterfoil.cli.progress import progress
from counterfoil.console import read_input
from counterfoil.errors import CounterfoilError

if TYPE_CHECKING:
    from counterfoil.importer.capture import Capture
    from counterfoil.wire import Target

FORMS = """\
SOURCE is one of:
  stdio:COMMAND       a server that is started; no shell reads the command
  http://…            a server that is asked over HTTP; https://… as well
  python:MODULE:NAME  a FastMCP or mcp server object in a Python module, or a function that makes
                      one; run by --interpreter
  PATH                what tools/list answered, recorded: an array of tools, {"tools": […]} with
                      resources, resourceTemplates and prompts beside them or not, the whole
                      answer, or an array of pages; file:PATH as well
  -                   the same on standard input"""
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_SECONDS = 20.0
_LONGEST = 600.0


@dataclass(frozen=True)
class Way:
    """How to reach what is imported or locked.

    Attributes:
        kind: ``stdio``, ``http``, ``python`` or ``file``.
        value: the command, URL, target or path.
    """

    kind: str
    value: str


def reaching_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a server is reached."""
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--command", metavar="LINE", help="short for stdio:LINE")
    ways.add_argument("--url", metavar="URL", help="ask a server at this address over HTTP")
    ways.add_argument("--python", metavar="MODULE:NAME", help="short for python:MODULE:NAME")
    parser.add_argument(
        "--env",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set a variable for a server that is started; may be repeated",
    )
    parser.add_argument(
        "--header",
        metavar="NAME: VALUE",
        action="append",
        default=[],
        help="send a header; $NAME in the value stands for a variable, so that a token need not "
        "stand on the command line; may be repeated",
    )
    parser.add_argument(
        "--cwd", metavar="DIR", help="folder to start a server in; default: this folder"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=_SECONDS,
        metavar="SECONDS",
        help=f"wait so long for each answer; default: {_SECONDS:g}, at most {_LONGEST:g}",
    )
    parser.add_argument(
        "--interpreter",
        metavar="PATH",
        help="runs python:MODULE:NAME; default: that of the active virtual environment, else the "
        "one that runs this command",
    )


def read_way(arguments: argparse.Namespace, source: str | None) -> Way | None:
    """Return what the options name, or ``None`` when they name nothing.

    Raises:
        CounterfoilError: they name two things.
    """
    flags = (("stdio", arguments.command), ("http", arguments.url), ("python", arguments.python))
    given = [Way(kind, value) for kind, value in flags if value]
    if source is not None:
        given.append(_of_word(source))
    if len(given) > 1:
        raise CounterfoilError("two sources are named", place="SOURCE", hint="name one")
    return given[0] if given else None


def _of_word(word: str) -> Way:
    scheme, _, rest = word.partition(":")
    if scheme in ("http", "https"):
        return Way("http", word)
    if scheme in ("file", "python", "stdio"):
        return Way(scheme, rest)
    return Way("file", word)


def capture(arguments: argparse.Namespace, way: Way, revision: str | None = None) -> Capture:
    """Read what is there, every page.

    Args:
        arguments: those of :func:`reaching_options`.
        way: where.
        revision: default: read every revision of MCP. Else the one to read; where it is empty or
            the server does not speak it, the newest.

    Raises:
        CounterfoilError: it cannot be reached or read.
    """
    from counterfoil.importer.capture import capture_one, capture_recording, capture_server

    if way.kind == "file":
        return capture_recording(_recording(way.value), way.value)
    target, shown = _target(arguments, way)
    with progress(f"asking {shown}"):
        if revision is None:
            return capture_server(target, shown, keyed=bool(arguments.header))
        return capture_one(target, shown, revision)


def _target(arguments: argparse.Namespace, way: Way) -> tuple[Target, str]:
    """Return the server to ask, and how people name it."""
    from counterfoil.wire import HttpTarget, StdioTarget

    if not 0 < arguments.timeout <= _LONGEST:
        raise CounterfoilError(
            "must be above 0 and at most 600 seconds",
            place="--timeout",
            hint="give seconds, such as 20",
        )
    if way.kind == "http":
        headers = dict(_header(each) for each in arguments.header)
        shown = urlsplit(way.value)._replace(query="", fragment="").geturl()
        return HttpTarget(way.value, headers, arguments.timeout), shown
    command = _command(arguments, way)
    variables = dict(_pair(each, "=", "--env") for each in arguments.env)
    # What runs a module is a program of ours, which is no name for it.
    name = f"python:{way.value}" if way.kind == "python" else ""
    shown = name or f"stdio:{Path(command[0]).name}"
    return StdioTarget(command, arguments.cwd, variables, arguments.timeout, name), shown


def counted(lists: Mapping[str, Sequence[Any]]) -> str:
    """Return how many entries there are, in words: ``2 tools, 1 prompt``; of none, nothing."""
    words = {"resourceTemplates": "resource templates"}
    return ", ".join(
        f"{len(entries)} {words.get(key, key)[: None if len(entries) > 1 else -1]}"
        for key, entries in lists.items()
        if entries
    )


def _recording(value: str) -> bytes:
    if value == "-":
        return read_input("counterfoil")
    try:
        return Path(value).read_bytes()
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}",
            place=value,
            hint="a command is written stdio:COMMAND, a Python object python:MODULE:NAME",
        ) from error


def _command(arguments: argparse.Namespace, way: Way) -> tuple[str, ...]:
    if way.kind == "python":
        module, _, name = way.value.partition(":")
        if not module or not name:
            raise CounterfoilError(
                f"{way.value!r} is no MODULE:NAME",
                place="--python",
                hint="write it as my_server.app:server",
            )
        runner = (resources.files("counterfoil.importer") / "runner.py").read_text("utf-8")
        return (arguments.interpreter or _interpreter(), "-c", runner, way.value)
    return command_line(way)


def command_line(way: Way) -> tuple[str, ...]:
    """Return the words of a command.

    Raises:
        CounterfoilError: it is empty, or a quote is not closed.
    """
    try:
        command = tuple(shlex.split(way.value))
    except ValueError as error:
        raise CounterfoilError(
            f"is no command line: {error}", place="--command", hint="close every quote"
        ) from error
    if not command:
        raise CounterfoilError("is empty", place="--command", hint="write what starts the server")
    return command


def _interpreter() -> str:
    """Return the interpreter of the active virtual environment, else our own."""
    folder = os.environ.get("VIRTUAL_ENV")
    inner = Path("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    found = Path(folder) / inner if folder else None
    return str(found) if found is not None and found.is_file() else sys.executable


def _header(text: str) -> tuple[str, str]:
    name, value = _pair(text, ":", "--header")
    for found in _VARIABLE.finditer(value):
        if (found[1] or found[2]) not in os.environ:
            raise CounterfoilError(
                f"the variable {found[1] or found[2]} is not set",
                place="--header",
                hint="set and export it, so that its value need not stand on the command line",
            )
    return name, os.path.expandvars(value)


def _pair(text: str, separator: str, option: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not found or not name.strip():
        # The text is not repeated: what is missing is the name, and the rest may be a secret.
        raise CounterfoilError(
            f"needs a name, {separator} and a value",
            place=option,
            hint=f"{option} NAME{separator}VALUE",
        )
    return name.strip(), value.strip()
