"""``counterfoil accept``."""

from __future__ import annotations

import argparse
import datetime
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfoil.cli.command import CLEAN, Command
from counterfoil.cli.comparing import Pair, comparing_options, open_pair
from counterfoil.cli.output import print_document, say
from counterfoil.errors import CounterfoilError
from counterfoil.review.acceptances import Acceptance, read_date
from counterfoil.review.weighing import name_of

if TYPE_CHECKING:
    from counterfoil.breaking import Change

_FINGERPRINT = re.compile("[0-9a-f]{6,12}")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "fingerprints",
        nargs="*",
        metavar="FINGERPRINT",
        help="changes to accept, as `counterfoil breaking` prints them; six digits will do",
    )
    parser.add_argument("--reason", metavar="TEXT", help="why callers can live with it")
    parser.add_argument(
        "--until", metavar="DATE", help="last day on which it is accepted, YYYY-MM-DD"
    )
    parser.add_argument(
        "--prune", action="store_true", help="take out entries that match no change, and old ones"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print {file, written, added: [{at, code, fingerprint, change}], removed: "
        "[{at, code, fingerprint}]} as JSON",
    )
    parser.add_argument("--target", metavar="TARGET", help="as for `counterfoil breaking`")
    comparing_options(parser)


def _run(arguments: argparse.Namespace) -> int:
    from counterfoil.breaking import compare
    from counterfoil.review import write_accepted

    reason, until = _checked(arguments)
    pair = open_pair(arguments)
    if until and datetime.date.fromisoformat(until) < pair.weighing.today:
        raise CounterfoilError(
            f"{until} has passed, so that nothing would be accepted",
            place="--until",
            hint="give a day that is to come, or leave the option out",
        )
    accepted = pair.weighing.accepted
    if not accepted.path:
        raise CounterfoilError(
            "there is no project that could keep what is accepted", hint="run `counterfoil init`"
        )
    day = pair.weighing.today.isoformat()
    changes = compare(pair.base.surface, pair.target.surface, today=day)
    entries = dict(accepted.by_fingerprint)
    added: list[dict[str, str]] = []
    removed: list[dict[str, str]] = []
    for change in [_find(each, changes, pair) for each in arguments.fingerprints]:
        entry = Acceptance(name_of(change.spot), change.code, change.fingerprint, reason, until)
        entries[change.fingerprint] = entry
        added.append({**_named(entry), "change": change.sentence})
        say(f"+ {entry.at}: {change.sentence}  ({entry.code}, {entry.fingerprint})")
    if arguments.prune:
        removed = [_named(entry) for entry in _prune(entries, changes, pair)]
    written = entries != accepted.by_fingerprint
    if not written:
        say(f"{accepted.path} stays as it is")
    else:
        write_accepted(pair.root, accepted.path, entries.values())
        say(f"wrote {accepted.path}; it is reviewed as the contract is")
    if arguments.json:
        document = {"file": accepted.path, "written": written, "added": added, "removed": removed}
        print_document("accept", document)
    return CLEAN


def _named(entry: Acceptance) -> dict[str, str]:
    return {"at": entry.at, "code": entry.code, "fingerprint": entry.fingerprint}


def _checked(arguments: argparse.Namespace) -> tuple[str, str]:
    """Return reason and last day.

    Raises:
        CounterfoilError: the options do not say what to accept, or why.
    """
    reason = " ".join((arguments.reason or "").split())
    if not arguments.fingerprints and not arguments.prune:
        raise CounterfoilError(
            "no fingerprint is given", hint="`counterfoil breaking` prints one with each change"
        )
    if arguments.fingerprints and not reason:
        raise CounterfoilError(
            "is missing: say why callers can live with it",
            place="--reason",
            hint='write --reason "nobody has called it since May"',
        )
    return reason, read_date(arguments.until, "--until") if arguments.until else ""


def _find(given: str, changes: Sequence[Change], pair: Pair) -> Change:
    """Return the change that a fingerprint, or the beginning of one, means.

    Raises:
        CounterfoilError: none, or several.
    """
    if not _FINGERPRINT.fullmatch(given.lower()):
        raise CounterfoilError(
            "is no fingerprint: these are 6 to 12 of the digits 0 to 9 and a to f",
            place=given,
            hint="copy it from what `counterfoil breaking` prints",
        )
    found = [change for change in changes if change.fingerprint.startswith(given.lower())]
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        raise CounterfoilError(
            f"{len(found)} changes begin so", place=given, hint="give more of the fingerprint"
        )
    raise CounterfoilError(
        f"is no change of {pair.target.shown} against {pair.base.shown}",
        place=given,
        hint="give the fingerprint, and --against, as `counterfoil breaking` had them",
    )


def _prune(
    entries: dict[str, Acceptance], changes: Sequence[Change], pair: Pair
) -> list[Acceptance]:
    """Take out entries that match nothing, and those whose last day has passed; return them.

    Raises:
        CounterfoilError: only a part was compared.
    """
    from counterfoil.breaking import uncompared

    if uncompared(pair.base.surface, pair.target.surface) or pair.weighing.server:
        raise CounterfoilError(
            "only a part was compared, so it is not known which entries match nothing",
            place="--prune",
            hint="compare two contracts, without --server",
        )
    found = {change.fingerprint for change in changes}
    today = pair.weighing.today
    gone = [each for key, each in entries.items() if key not in found or each.is_over(today)]
    for entry in gone:
        del entries[entry.fingerprint]
        say(f"- {entry.at}  ({entry.code}, {entry.fingerprint})")
    return gone


COMMAND = Command(
    name="accept",
    summary="accept a change that breaks callers, with a reason, in a file that people review",
    description=(
        "Write an entry for a change into the file of accepted changes, by default\n"
        "contract/accepted.json ([tool.counterfoil.breaking] accepted). `counterfoil breaking`\n"
        "goes on showing the change, as accepted, and no longer fails for it. It reports entries\n"
        "that match nothing, and counts a change again when the last day of its entry has passed.\n"
        "BASE has to be the one for which the fingerprint was printed."
    ),
    examples=(
        'counterfoil accept 0123456789ab --reason "nobody has called it since May"',
        'counterfoil accept 012345 6789ab --reason "agreed in the review" --until 2027-01-31',
        "counterfoil accept --prune",
        "counterfoil accept --prune --json",
    ),
    options=_options,
    run=_run,
)
