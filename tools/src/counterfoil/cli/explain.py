"""``counterfoil explain``, and what ``counterfoil rules CODE`` prints."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence

from counterfoil.cli.command import CLEAN, Command
from counterfoil.cli.output import say, show
from counterfoil.console import read_input
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Rule
from counterfoil.findings.lookup import find_rules, near_codes
from counterfoil.findings.page import section

_FINGERPRINT = re.compile("[0-9a-f]{6,12}")
_MEANT = 3  # so many rules are printed in full when a part of a code or a word means several


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "codes",
        nargs="+",
        metavar="CODE",
        help="a code (cf104 will do), the beginning of one, a pasted finding, or words of a "
        "title; - reads standard input",
    )


def _run(arguments: argparse.Namespace) -> int:
    return explain(arguments.codes)


def explain(given: Sequence[str]) -> int:
    """Print the rules that people mean, each once, and return the exit status.

    Raises:
        CounterfoilError: a text means no rule.
    """
    parts = [part for text in given for part in (_piped() if text == "-" else _parts(text))]
    show("\n".join(dict.fromkeys(parts)))
    return CLEAN


def _piped() -> Iterator[str]:
    """Explain what is piped in, which may be the silence of a check that found nothing."""
    text = read_input("counterfoil").decode("utf-8", "replace")
    rules = find_rules(text)
    if not rules:
        say("standard input names no finding code, so there is nothing to explain")
    yield from map(section, rules)


def _parts(text: str) -> Iterator[str]:
    rules = find_rules(text)
    if not rules:
        raise _unknown(text)
    if len(rules) <= _MEANT or all(rule.code in text.upper() for rule in rules):
        yield from map(section, rules)
    else:
        yield "".join(map(line, rules))


def line(rule: Rule) -> str:
    """Return a rule as a line of a list."""
    return f"{rule.code}  {rule.title}\n"


def _unknown(text: str) -> CounterfoilError:
    shown = " ".join(text.split())
    if _FINGERPRINT.fullmatch(shown):
        return CounterfoilError(
            "is the fingerprint of one change, and not the code of a rule",
            place=shown,
            hint="`counterfoil breaking` prints the change with its code",
        )
    near = near_codes(shown)
    suggested = f"near: {', '.join(near)}; " if near else ""
    return CounterfoilError(
        f"{shown or repr(text)} is no finding code",
        hint=f"{suggested}`counterfoil rules` lists them all",
    )


COMMAND = Command(
    name="explain",
    summary="explain a finding: what it means, why it matters, and the mend",
    description=(
        "Print what a finding code means, why it matters, an example, and the mend. A part of a\n"
        "code, or words that many titles have, print the list of what they mean."
    ),
    examples=(
        "counterfoil explain CF104",
        "counterfoil explain cf10",
        'counterfoil explain "edited by hand"',
        "counterfoil check | counterfoil explain -",
    ),
    options=_options,
    run=_run,
)
