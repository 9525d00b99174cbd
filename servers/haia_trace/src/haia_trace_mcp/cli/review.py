"""Let a person look at reviews, and decide them."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from haia_trace_mcp.cli.options import Commands, add_folder, add_json, help_end, open_root
from haia_trace_mcp.cli.terminal import plain, plain_lines, print_table, print_value, say, show
from haia_trace_mcp.wording import counted

if TYPE_CHECKING:
    from haia_trace_mcp.reviews import Change, Review, Reviews, Verification

STATUSES: Final = ("pending", "approved", "rejected")
_HEADS: Final = (
    "STATUS",
    "OPENED",
    "DECIDED",
    "AMOUNT",
    "ASSET",
    "COUNTERPARTY",
    "RULES",
    "REVIEW",
)
_PARTY_LIMIT: Final = 64
_FILES: Final = (("guard/decisions.ndjson", "the review log, below the Trace root"),)
_EXAMPLES: Final = {
    "list": ("review list", "review list --status pending --json"),
    "show": ("review show REVIEW", "review show REVIEW --json"),
    "approve": ("review approve REVIEW", 'review approve REVIEW --note "it is a new seller"'),
    "reject": ('review reject REVIEW --note "paid twice"',),
    "verify": ("review verify", "review verify --json"),
    "watch": ("review watch", "review watch --json --interval 0.5"),
}


def add_parser(commands: Commands) -> None:
    """Add the command ``review`` with its own commands."""
    parser = commands.add_parser(
        "review",
        help="look at reviews and decide them",
        description="Look at the reviews that check_before_pay opened, and decide them. A review "
        "is decided once, and only here: no tool of the server can.",
        epilog=help_end(
            (
                "review list --status pending",
                "review show REVIEW",
                'review approve REVIEW --note "checked with the seller"',
            ),
            files=_FILES,
            see=("haia-trace-mcp review COMMAND --help",),
        ),
    )
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    listing = _action(actions, "list", _list, "list reviews, oldest first")
    listing.add_argument(
        "--status", choices=STATUSES, help="only those of this status; default: all"
    )
    showing = _action(actions, "show", _show, "show one review with its reasons")
    showing.add_argument("review_id", metavar="REVIEW", help="its id, as `review list` shows it")
    for name, text in (("approve", "approve a review for good"), ("reject", "reject it for good")):
        deciding = _action(actions, name, _decide, text)
        deciding.add_argument(
            "review_id", metavar="REVIEW", help="its id, as `review list` shows it"
        )
        deciding.add_argument(
            "--note", metavar="TEXT", default="", help="why; the agent reads it; default: none"
        )
        deciding.set_defaults(verdict=name)
    _action(actions, "verify", _verify, "look through the whole log; status 1 if it was changed")
    watching = _action(actions, "watch", _watch, "show what happens to reviews from now on")
    watching.add_argument(
        "--interval",
        type=_seconds,
        default=1.0,
        metavar="SECONDS",
        help="between two looks, 0.01 to 3600; default: 1",
    )


def _action(
    actions: Commands, name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    about = f"{text[0].upper()}{text[1:]}."
    end = help_end(_EXAMPLES[name], files=_FILES, see=("haia-trace-mcp review --help",))
    parser = actions.add_parser(name, help=text, description=about, epilog=end)
    add_folder(parser)
    add_json(parser)
    parser.set_defaults(run=run)
    return parser


def _list(chosen: argparse.Namespace) -> int:
    found = _reviews(chosen).list_reviews(chosen.status)
    if chosen.json:
        print_value([each.to_json() for each in found])
    elif found:
        print_table(_HEADS, map(_row, found))
    else:
        if chosen.status is None:
            say("there are no reviews; check_before_pay opens one when a rule asks for a person")
        else:
            say(f"none is {chosen.status}; `haia-trace-mcp review list` shows all")
    return 0


def _show(chosen: argparse.Namespace) -> int:
    from haia_trace_mcp.reviews import UnknownReviewError

    try:
        review = _reviews(chosen).show(chosen.review_id)
    except UnknownReviewError as error:
        say(str(error))
        return 1
    _print(review, chosen.json)
    return 0


def _decide(chosen: argparse.Namespace) -> int:
    from haia_trace_mcp.reviews import DecidedError, UnknownReviewError

    reviews = _reviews(chosen)
    decide = reviews.approve if chosen.verdict == "approve" else reviews.reject
    try:
        review = decide(chosen.review_id, chosen.note)
    except (DecidedError, UnknownReviewError) as error:
        say(str(error))
        return 1
    _print(review, chosen.json)
    return 0


def _verify(chosen: argparse.Namespace) -> int:
    found = _reviews(chosen).verify()
    if chosen.json:
        print_value(_facts(found))
    else:
        for line in _sentences(found):
            show(plain(line))
    return 0 if found.first_broken is None else 1


def _watch(chosen: argparse.Namespace) -> int:
    def pause() -> bool:
        time.sleep(chosen.interval)
        return True

    return watch(_reviews(chosen), pause, as_json=chosen.json)


def watch(reviews: Reviews, pause: Callable[[], bool], *, as_json: bool) -> int:
    """Print what happens to reviews, until ``pause`` returns false or nobody waits any more."""
    if not as_json:
        say(f"{len(reviews.list_reviews('pending'))} pending; waiting for more")
    for change in reviews.watch(pause):
        if as_json:
            print_value(change.review.to_json(), None)
        else:
            show(plain(_step(change)))
    return 0


def _reviews(chosen: argparse.Namespace) -> Reviews:
    from haia_trace_mcp.reviews import Reviews

    return Reviews.below(open_root(chosen))


def _row(review: Review) -> Sequence[str]:
    rules = [each.rule for each in review.reasons if each.rule != "history"]
    return (
        review.status,
        review.created_at,
        review.decided_at or "-",
        review.amount,
        _asset(review.asset),
        plain(review.counterparty, _PARTY_LIMIT),
        ",".join(rules),
        review.review_id,
    )


def _print(review: Review, as_json: bool) -> None:
    if as_json:
        print_value(review.to_json())
        return
    facts = {
        "review": review.review_id,
        "status": review.status,
        "opened": review.created_at,
        "decided": review.decided_at,
        "amount": f"{review.amount} {_asset(review.asset)}",
        "asset": review.asset,
        "counterparty": review.counterparty,
        "template": review.template,
    }
    for name, value in facts.items():
        if value is not None:
            show(f"{name + ':':14}{plain(value)}")
    if review.note:
        _print_block("note:", review.note)
    for reason in review.reasons:
        _print_block(f"{reason.rule}:", reason.detail)
        for each in reason.evidence:
            show(f"    run {plain(each.run_id)}, operation {plain(each.operation_id)}")


def _print_block(head: str, text: str) -> None:
    show(head)
    for line in plain_lines(text):
        show(f"  {line}")


def _step(change: Change) -> str:
    review = change.review
    what = f"{review.amount} {_asset(review.asset)} to {review.counterparty}"
    at = review.decided_at or review.created_at
    note = f" ({review.note})" if review.note else ""
    return f"{at}  {review.status:8}  {review.review_id}  {what}{note}"


def _asset(key: str) -> str:
    """Return what people call an asset, where that is known."""
    from haia_trace_mcp.money import Assets

    known = Assets().of_key(key)
    return key if known is None else f"{known.symbol} on {known.network}"


def _facts(found: Verification) -> dict[str, object]:
    return {
        "lines": found.lines,
        "reviews": found.reviews,
        "unlinked": found.unlinked,
        "torn": [
            {"line": each.line, "size": each.size, "is_record": each.is_record}
            for each in found.torn
        ],
        "unfinished": found.unfinished,
        "repeated": list(found.repeated),
        "problem": None if found.problem is None else str(found.problem),
        "first_broken": found.first_broken,
        "head": found.head,
    }


def _sentences(found: Verification) -> Iterable[str]:
    yield f"{counted(found.lines, 'line')}, {counted(found.reviews, 'review')}"
    if found.unlinked:
        without = counted(found.unlinked, "line")
        yield f"{without} from the start without a hash; the next hash is over all of it"
    for each in found.torn:
        told = f"line {each.line} is marked as cut off by a crash ({counted(each.size, 'byte')})"
        yield f"{told}, and counts for nothing"
        if each.is_record:
            yield f"line {each.line} lacks nothing but its end: look whether somebody marked it"
    if found.unfinished:
        yield f"{counted(found.unfinished, 'byte')} at the end without the end of a line"
    for line in found.repeated:
        yield f"line {line} decides a review that had been decided"
    if found.problem is not None:
        yield str(found.problem)
    if found.first_broken is None:
        yield f"every {'other ' if found.torn else ''}line is as it was written"
    yield f"head {found.head}"


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds") from error
    if not 0.01 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0.01 and 3600 seconds")
    return seconds
