"""``counterfoil completion``, and what it completes.

The script asks the command itself at each press of the key, so it knows the options of the
version that is installed, and the servers of the project one is in.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import argcomplete
from argcomplete.completers import DirectoriesCompleter, FilesCompleter, SuppressCompleter
from argcomplete.shell_integration import shellcode

from counterfoil.cli.command import CLEAN, Command
from counterfoil.config import CLASSES, read_config, seek_project
from counterfoil.contract.values import is_object, members
from counterfoil.errors import CounterfoilError
from counterfoil.findings import RULES

_LINE = "COMP_LINE"
_SHELLS = ("bash", "fish", "zsh")

Completer = Callable[..., Iterable[str]]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=", ".join(_SHELLS))


def _run(arguments: argparse.Namespace) -> int:
    sys.stdout.write(shellcode(["counterfoil"], shell=arguments.shell).lstrip())
    return CLEAN


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the script that asks for completions, and end the process."""
    attach(parser)
    argcomplete.autocomplete(parser)


def asked_command(environment: Mapping[str, str] = os.environ) -> str:
    """Return the word at which a command stands in the line that is completed."""
    words = environment.get(_LINE, "").split()
    return words[1] if len(words) > 1 else ""


def attach(parser: argparse.ArgumentParser) -> None:
    """Say of every option of a parser and its commands what can stand there."""
    for action in _actions(parser):
        if action.nargs != 0 and action.choices is None:
            completer = completers()[str(action.metavar or action.dest)]
            setattr(action, "completer", completer)  # noqa: B010  # argparse declares no such name


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]  # they are nowhere else
        if is_object(action.choices):  # the commands, by name
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action


def completers() -> dict[str, Completer]:
    """Return what completes each kind of value, by its metavar (or name, without one)."""
    files, folders, nothing = FilesCompleter(), DirectoriesCompleter(), SuppressCompleter()
    return {
        "BASE": _editions,
        "CLASSES": _classes,
        "CODE": _codes,
        "DATE": nothing,
        "DIR": folders,
        "FILE": files,
        "FINGERPRINT": nothing,
        "ID": _servers,
        "LINE": nothing,
        "MODULE:NAME": nothing,
        "MS": nothing,
        "NAME": nothing,
        "NAME: VALUE": nothing,
        "NAME=VALUE": nothing,
        "PATH": files,
        "SECONDS": nothing,
        "SOURCE": files,
        "TAG": nothing,
        "TARGET": _editions,
        "TEXT": nothing,
        "URL": nothing,
        "folder": folders,
    }


def _codes(**_: object) -> dict[str, str]:
    """Return the finding codes, each with the title that some shells show beside it."""
    return {code: rule.title for code, rule in RULES.items()}


def _classes(**_: object) -> tuple[str, ...]:
    return (*CLASSES, "none")


def _servers(**_: object) -> list[str]:
    """Return the servers of the project's contract and configuration."""
    root = seek_project(Path.cwd())
    if root is None:
        return []
    config = read_config(root)
    contract = members(json.loads((root / config.contract).read_bytes()))
    return sorted({*members(contract.get("servers")), *(live.id for live in config.live)})


def _editions(prefix: str, **_: object) -> list[str]:
    """Return files, and the branches and tags of git."""
    from counterfoil.editions.git import Repository  # most completions do without it

    files = list(FilesCompleter()(prefix))
    try:
        return files + Repository(Path.cwd()).names
    except CounterfoilError:
        return files


COMMAND = Command(
    name="completion",
    summary="print the script with which a shell completes commands, options and names",
    description=(
        "Print the script for a shell. It completes commands, options and their values: finding\n"
        "codes, the servers of the project, branches and tags, files. It asks the command itself,\n"
        "so it need not be made again for another version.\n\n"
        "A file is read when a shell starts; eval is for the shell that runs."
    ),
    examples=(
        "counterfoil completion bash > ~/.local/share/bash-completion/completions/counterfoil",
        "counterfoil completion fish > ~/.config/fish/completions/counterfoil.fish",
        'counterfoil completion zsh > "${fpath[1]}/_counterfoil"',
        'eval "$(counterfoil completion bash)"',
    ),
    options=_options,
    run=_run,
)
