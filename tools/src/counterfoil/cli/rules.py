"""``counterfoil rules``."""

from __future__ import annotations

import argparse
import difflib
import sys

from counterfoil.cli.command import CLEAN, Command
from counterfoil.errors import CounterfoilError
from counterfoil.findings import RULES
from counterfoil.findings.page import page, section


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "codes", nargs="*", metavar="CODE", help="codes to explain; default: list all"
    )
    parser.add_argument("--markdown", action="store_true", help="print the page of all rules")


def _run(arguments: argparse.Namespace) -> int:
    if arguments.markdown:
        sys.stdout.write(page())
        return CLEAN
    codes: list[str] = arguments.codes
    for code in codes:
        if code.upper() not in RULES:
            near = difflib.get_close_matches(code.upper(), RULES, n=3, cutoff=0.5)
            raise CounterfoilError(
                f"{code} is no finding code",
                hint=f"{_near(near)}`counterfoil rules` lists them all",
            )
    if codes:
        print("\n".join(section(RULES[code.upper()]) for code in codes), end="")
    else:
        for rule in RULES.values():
            print(f"{rule.code}  {rule.title}")
    return CLEAN


def _near(codes: list[str]) -> str:
    return f"near: {', '.join(codes)}; " if codes else ""


COMMAND = Command(
    name="rules",
    summary="explain finding codes",
    description="Print what a finding code means, why it matters, an example, and the mend.",
    examples=("counterfoil rules", "counterfoil rules CF104", "counterfoil rules --markdown"),
    options=_options,
    run=_run,
)
