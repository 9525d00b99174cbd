"""Every command of the repository, and what its parsers say of it."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

# The module of each command's parser, and where in it the parser is made.
_MAKERS = {
    "counterfoil": ("counterfoil.cli.main", "make_parser"),
    "fairwins-gateway": ("fairwins_gateway.cli", "make_parser"),
    "fairwins-mcp": ("fairwins_mcp.options", "make_parser"),
    "ga4-mcp": ("ga4_mcp.cli", "PROGRAM.make_parser"),
    "haia-trace-mcp": ("haia_trace_mcp.cli.main", "make_parser"),
    "lemonsqueezy-mcp": ("lemonsqueezy_mcp.cli", "PROGRAM.make_parser"),
    "mcp-wrapper": ("mcp_wrapper_scaffold.cli.main", "make_parser"),
}
# Words that a program looks for before any parser is made.
_FIRST_WORDS = {"fairwins-mcp client-config": ("fairwins_mcp.clients.command", "make_parser")}


@dataclass(frozen=True)
class Page:
    """The help of one command.

    Attributes:
        name: of the program, and the words of the command.
        parser: is asked for the help.
    """

    name: str
    parser: argparse.ArgumentParser

    @property
    def options(self) -> list[argparse.Action]:
        """Return what it takes, but not its own commands."""
        actions: list[argparse.Action] = self.parser._actions  # pyright: ignore[reportPrivateUsage]  # argparse shows them nowhere else
        return [action for action in actions if action.nargs != argparse.PARSER]

    def section(self, name: str) -> list[str]:
        """Return the lines of a section at the end of the page."""
        lines = self.parser.format_help().splitlines()
        if f"{name}:" not in lines:
            return []
        rest = lines[lines.index(f"{name}:") + 1 :]
        return rest[: rest.index("")] if "" in rest else rest


def console_scripts() -> dict[str, str]:
    """Return the commands that the workspace's members install, with their entry points."""
    scripts: dict[str, str] = {}
    for path in (ROOT / "tools/pyproject.toml", *ROOT.glob("servers/*/pyproject.toml")):
        scripts |= tomllib.loads(path.read_text("utf-8"))["project"].get("scripts", {})
    return scripts


def programs() -> list[str]:
    """Return the names of all commands that have a parser."""
    return sorted(_MAKERS)


@cache
def pages() -> dict[str, Page]:
    """Return the help pages of all commands, and of the commands below them, by name."""
    found: dict[str, Page] = {}
    for name, (module, place) in (_MAKERS | _FIRST_WORDS).items():
        made: Any = importlib.import_module(module)
        for part in place.split("."):
            made = getattr(made, part)
        found |= {page.name: page for page in _below(name, made())}
    return dict(sorted(found.items()))


def _below(name: str, parser: argparse.ArgumentParser) -> Iterator[Page]:
    yield Page(name, parser)
    actions: list[argparse.Action] = parser._actions  # pyright: ignore[reportPrivateUsage]  # argparse shows them nowhere else
    for action in actions:
        if action.nargs == argparse.PARSER and isinstance(action.choices, dict):
            for word, below in action.choices.items():
                yield from _below(f"{name} {word}", below)


def words_of(example: str) -> list[str]:
    """Return the words of a line of a shell, without what is for the shell."""
    inner = re.search(r"\$\(([^)]*)\)", example)
    words = shlex.split(inner[1] if inner else example, comments=True)
    ends = [index for index, word in enumerate(words) if word in ("<", ">", "|")]
    return words[: ends[0]] if ends else words
