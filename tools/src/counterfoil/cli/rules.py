"""``counterfoil rules``."""

from __future__ import annotations

import argparse
import sys

from counterfoil.cli.command import CLEAN, Command
from counterfoil.cli.explain import explain, json_option, line
from counterfoil.cli.output import show
from counterfoil.findings import RULES
from counterfoil.findings.page import page


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "codes",
        nargs="*",
        metavar="CODE",
        help="explain these, as `counterfoil explain` does; default: list all",
    )
    parser.add_argument("--markdown", action="store_true", help="print the page of all rules")
    json_option(parser)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.markdown:
        sys.stdout.write(page())
        return CLEAN
    if arguments.codes or arguments.json:
        return explain(arguments.codes or list(RULES), as_json=arguments.json)
    show("".join(map(line, RULES.values())))
    return CLEAN


COMMAND = Command(
    name="rules",
    summary="list all finding codes",
    description="List every finding code with its title, or print the page of all rules.",
    examples=("counterfoil rules", "counterfoil rules CF104", "counterfoil rules --markdown"),
    options=_options,
    run=_run,
)
