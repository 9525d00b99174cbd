"""``counterfoil doctor``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from counterfoil.cli.command import CLEAN, FOUND, Command, json_option, project_options
from counterfoil.cli.output import say, show
from counterfoil.errors import CounterfoilError

_FORMATS = ("text", "json")
_SECONDS = 10.0
_LONGEST = 600.0


def _options(parser: argparse.ArgumentParser) -> None:
    project_options(parser)
    parser.add_argument(
        "--offline", action="store_true", help="ask no server, and start no command"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=_SECONDS,
        metavar="SECONDS",
        help="wait so long for each answer of a server, if its own timeout is not shorter; "
        f"default: {_SECONDS:g}, at most {_LONGEST:g}",
    )
    parser.add_argument(
        "--format", choices=_FORMATS, default="text", help="how to print; default: text"
    )
    json_option(parser)
    parser.add_argument(
        "--strict", action="store_true", help="let warnings fail the command as failures do"
    )


def _run(arguments: argparse.Namespace) -> int:
    from counterfoil.diagnosis.diagnosis import FAILURE, WARNING, Diagnosis
    from counterfoil.diagnosis.examination import Examination, examine
    from counterfoil.diagnosis.formats import as_json, as_text, count

    if not 0 < arguments.timeout <= _LONGEST:
        raise CounterfoilError(
            f"must be above 0 and at most {_LONGEST:g}",
            place="--timeout",
            hint="give seconds, such as 10",
        )
    how = Examination(
        folder=Path(arguments.project or ".").resolve(),
        is_root=arguments.project is not None,
        cached=not arguments.no_cache,
        offline=arguments.offline,
        seconds=arguments.timeout,
    )
    found: list[Diagnosis] = []
    for diagnosis in examine(how):
        found.append(diagnosis)
        if arguments.format == "text":
            show(as_text(diagnosis))
    if arguments.format == "json":
        sys.stdout.write(as_json(found))
    failures, warnings = count(found, FAILURE), count(found, WARNING)
    say(f"{_counted(failures, 'failure')}, {_counted(warnings, 'warning')}")
    return FOUND if failures or (arguments.strict and warnings) else CLEAN


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'s' * (count != 1)}"


COMMAND = Command(
    name="doctor",
    summary="say what keeps a project from working on this machine, and what to do",
    description=(
        "Look at versions, configuration, contract, generated files, history, secrets, servers\n"
        "and locks, and say of each how it is: ok, a warning, a failure, or skipped because\n"
        "something else has to be mended first. One failure hides no other. Nothing is changed;\n"
        "the servers of the configuration are started or asked."
    ),
    examples=(
        "counterfoil doctor",
        "counterfoil doctor --offline --strict",
        "counterfoil doctor --format json",
    ),
    options=_options,
    run=_run,
    statuses=(
        ("0", "nothing fails; there may be warnings"),
        ("1", "something fails; with --strict also warnings"),
    ),
    see=("counterfoil explain --help",),
)
