"""``counterfoil watch``."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from counterfoil.cli.command import CLEAN, Command, open_project, project_options
from counterfoil.cli.generate import Generation, regenerate
from counterfoil.cli.output import change_line, say, say_error
from counterfoil.config import read_config
from counterfoil.errors import CounterfoilError
from counterfoil.findings.formats import FORMATS
from counterfoil.project import Project
from counterfoil.tree import Change
from counterfoil.watching import Sources, wakings

_QUIET = 100
_LONGEST = 60_000
_NAMED = 3  # saved files that a line names


def _options(parser: argparse.ArgumentParser) -> None:
    project_options(parser)
    parser.add_argument(
        "--debounce",
        metavar="MS",
        type=int,
        default=_QUIET,
        help="begin when so many milliseconds have passed without another save; "
        f"default: {_QUIET}, at most {_LONGEST}",
    )


def _run(arguments: argparse.Namespace) -> int:
    quiet: int = arguments.debounce
    if not 0 < quiet <= _LONGEST:
        raise CounterfoilError(
            f"must be above 0 and at most {_LONGEST} milliseconds",
            place="--debounce",
            hint="give milliseconds",
        )
    root, cached = open_project(arguments).root, not arguments.no_cache
    sources = Sources(root)
    _generate(root, cached, ["at the start"])
    with contextlib.suppress(KeyboardInterrupt):  # that is how it ends; no file is half written
        say(f"watching {', '.join(sources.names)}; Ctrl-C ends it")
        for _ in wakings(sources, quiet):
            saved = sources.renew()
            if saved:
                _generate(root, cached, saved)
    return CLEAN


def _generate(root: Path, cached: bool, saved: Sequence[str]) -> None:
    """Generate once, and tell how it went; what cannot be done now is waited for."""
    try:
        project = Project(read_config(root), cached=cached)
        made = regenerate(project, tell=_tell_loss)
    except CounterfoilError as error:
        say_error(error)
    except OSError as error:
        place = str(error.filename or root)
        hint = "check what is at that path; the next change is waited for"
        say_error(CounterfoilError(error.strerror or str(error), place=place, hint=hint))
    else:
        _tell(made, saved)


def _tell_loss(change: Change) -> None:
    if change.act == "replaced":
        say(change_line(change))


def _tell(made: Generation, saved: Sequence[str]) -> None:
    sys.stdout.write(FORMATS["text"](made.findings, "watch"))
    sys.stdout.flush()
    shown = ", ".join(saved[:_NAMED])
    more = f" and {len(saved) - _NAMED} more" if len(saved) > _NAMED else ""
    say(f"{shown}{more}: {made.summary}")


COMMAND = Command(
    name="watch",
    summary="write every binding again whenever the contract is saved",
    description=(
        "Generate once, then again whenever the contract, a case or the configuration is saved,\n"
        "with a line for each time. What is wrong is reported as `counterfoil validate` does, and\n"
        "nothing is written until it is mended. Files that counterfoil did not make are kept."
    ),
    examples=("counterfoil watch", "counterfoil watch --project path/to/repository"),
    options=_options,
    run=_run,
    statuses=(("0", "ended by Ctrl-C"),),
    environment=(
        ("WATCHFILES_FORCE_POLLING", "when true: look at each file, on disks that report nothing"),
    ),
    see=("counterfoil generate --help",),
)
