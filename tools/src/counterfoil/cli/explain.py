"""``counterfoil explain``, and what ``counterfoil rules CODE`` prints."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

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
    json_option(parser)


def _run(arguments: argparse.Namespace) -> int:
    return explain(arguments.codes, as_json=arguments.json)


def json_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that prints rules for programs."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print {rules: [{code, title, severity, why, example, mend}]} as JSON",
    )


def explain(given: Sequence[str], *, as_json: bool = False) -> int:
    """Print the rules that people mean, each once, and return the exit status.

    Args:
        given: what people have of the rules: codes, findings, words.
        as_json: print the rules for programs; every text has to mean a rule then, too.

    Raises:
        CounterfoilError: a text means no rule.
    """
    meant = [_piped() if text == "-" else _meant(text) for text in given]
    if as_json:
        rules = dict.fromkeys(rule for group in meant for rule in group.rules)
        listed = [dataclasses.asdict(rule) for rule in rules]
        print(json.dumps({"rules": listed}, ensure_ascii=False, indent=2))
    else:
        show("\n".join(dict.fromkeys(part for group in meant for part in group.parts)))
    return CLEAN


@dataclass(frozen=True)
class _Meant:
    """The rules that one text means, and whether each of them is printed in full."""

    rules: Sequence[Rule]
    is_full: bool

    @property
    def parts(self) -> list[str]:
        if self.is_full:
            return [section(rule) for rule in self.rules]
        return ["".join(map(line, self.rules))]


def _piped() -> _Meant:
    """Return what is piped in, which may be the silence of a check that found nothing."""
    rules = find_rules(read_input("counterfoil").decode("utf-8", "replace"))
    if not rules:
        say("standard input names no finding code, so there is nothing to explain")
    return _Meant(rules, is_full=True)


def _meant(text: str) -> _Meant:
    rules = find_rules(text)
    if not rules:
        raise _unknown(text)
    is_named = all(rule.code in text.upper() for rule in rules)
    return _Meant(rules, len(rules) <= _MEANT or is_named)


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
