"""``counterfoil breaking``."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from typing import TYPE_CHECKING

from counterfoil.cli.command import CLEAN, FOUND, Command, json_option
from counterfoil.cli.comparing import LEVELS, comparing_options, open_pair
from counterfoil.cli.output import say, show
from counterfoil.cli.progress import progress
from counterfoil.config import CLASSES
from counterfoil.editions import FORMS, AbsentFile
from counterfoil.errors import CounterfoilError
from counterfoil.findings import ERROR, WARNING
from counterfoil.review.formats import FORMATS

if TYPE_CHECKING:
    from counterfoil.cli.comparing import Pair
    from counterfoil.review import Review

_CLASSES = """\
Classes of change:
  breaking   what worked is refused, or its result cannot be read
  security   more is allowed than was
  undecided  neither could be shown, and it is never taken for safe
  behaviour  valid as before, and may mean something else
  additive   only more than before

By default the first three are errors, behaviour is a warning, and additive is a note."""
_FAILING = (
    "a change of a class in --fail-on that nobody has accepted, or that "
    "[[tool.counterfoil.breaking.severity]] or [tool.counterfoil.severity] makes an error; "
    "with --strict also warnings"
)
_STATUSES = (
    ("0", "no change of a class in --fail-on, or all of them are accepted"),
    ("1", _FAILING),
    ("2", "it could not run; a base that cannot be read is never taken for the same"),
)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target", nargs="?", metavar="TARGET", help="what is new; default: the project's contract"
    )
    comparing_options(parser)
    parser.add_argument(
        "--level",
        choices=LEVELS,
        help="report only what concerns these: whoever sends what it sent before (wire), typed "
        "clients made from the contract (generated), models that read schemas each time (agent)",
    )
    parser.add_argument(
        "--fail-on",
        metavar="CLASSES",
        help="classes of change that make the exit status 1, with commas between them, or none; "
        f"default: {','.join(CLASSES[:3])}",
    )
    parser.add_argument(
        "--format", choices=tuple(FORMATS), default="text", help="how to print; default: text"
    )
    json_option(parser)
    parser.add_argument(
        "--strict", action="store_true", help="let warnings fail the command as errors do"
    )
    parser.add_argument(
        "--allow-new",
        action="store_true",
        help="end with 0 when the revision to compare with does not hold the file yet",
    )


def _run(arguments: argparse.Namespace) -> int:
    from counterfoil.review import weigh

    fail_on = None if arguments.fail_on is None else _classes(arguments.fail_on)
    try:
        with progress("reading what is compared"):
            pair = open_pair(arguments, arguments.level)
    except AbsentFile as error:
        if not arguments.allow_new:
            raise
        say(f"{error}: it is new, and nothing was compared")
        return CLEAN
    weighing = pair.weighing
    if fail_on is not None:
        policy = dataclasses.replace(weighing.policy, fail_on=fail_on)
        weighing = dataclasses.replace(weighing, policy=policy)
    with progress("comparing"):
        review = weigh(pair.base, pair.target, weighing)
    text = FORMATS[arguments.format](review)
    if arguments.format == "text":
        show(text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()
    _tell(review, pair, named=bool(arguments.against))
    failing = {ERROR, WARNING} if arguments.strict else {ERROR}
    found = {verdict.severity for verdict in review.verdicts}
    found |= {finding.severity for finding in review.findings}
    return FOUND if found & failing else CLEAN


def _tell(review: Review, pair: Pair, *, named: bool) -> None:
    """Say what was compared, and what was not."""
    from counterfoil.review.formats import sentences

    changed = "" if review.verdicts or review.hidden else ": nothing changed for callers"
    say(f"{review.target.shown} against {review.base.shown}{changed}")
    for each in sentences.remarks(review):
        say(f"  {each}")
    for each in review.uncompared:
        say(f"  not compared: {each}")
    if not named and pair.base.text == pair.target.text:
        say("  both are the same text; on the main branch, name the last release with --against")


def _classes(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, (name.strip() for name in text.split(","))))
    if names == ("none",):
        return ()
    for name in names:
        if name not in CLASSES:
            raise CounterfoilError(
                f"{name!r} is no class of change",
                place="--fail-on",
                hint=f"classes: {', '.join(CLASSES)}; or none",
            )
    return names


COMMAND = Command(
    name="breaking",
    summary="say what a change of the contract breaks for callers, with a call that shows it",
    description=(
        "Compare TARGET with BASE, and say of each change what it means for those who rely on\n"
        "BASE. A breaking change of a schema is shown by a call that worked before.\n\n"
        f"{FORMS}\n\n{_CLASSES}"
    ),
    statuses=_STATUSES,
    environment=(
        (
            "SOURCE_DATE_EPOCH",
            "seconds since 1970: the day on which acceptances are judged; default: today",
        ),
    ),
    files=(
        ("pyproject.toml", "[tool.counterfoil.breaking]: the base, and how changes are weighed"),
        ("contract/accepted.json", "changes that are accepted, unless `accepted` names another"),
    ),
    see=("counterfoil accept --help", "counterfoil explain CF410", "counterfoil lock --help"),
    examples=(
        "counterfoil breaking",
        "counterfoil breaking --against v1.2.0 --level generated",
        "counterfoil breaking --against main:contract/contract.json contract/contract.json",
        "counterfoil breaking --against tools.json http://127.0.0.1:8000/mcp",
        'counterfoil breaking --against server:my-server "stdio:python -m my_server"',
        "counterfoil breaking --format markdown > comment.md",
    ),
    options=_options,
    run=_run,
)
