"""``mcp-wrapper rules``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from mcp_wrapper_scaffold.cli.command import CLEAN, Command
from mcp_wrapper_scaffold.console import fitted
from mcp_wrapper_scaffold.lint.ruff import as_toml
from mcp_wrapper_scaffold.lint.rules import RULES, Rule
from mcp_wrapper_scaffold.lint.settings import SettingsError


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "codes", nargs="*", metavar="CODE", help="codes to explain; default: list all"
    )
    parser.add_argument(
        "--ruff", action="store_true", help="print the part of them that ruff can hold, as TOML"
    )
    parser.add_argument(
        "--json", action="store_true", help="print code, title, why and mend of each as JSON"
    )


def _run(arguments: argparse.Namespace) -> int:
    if arguments.ruff:
        print(as_toml(), end="")
        return CLEAN
    codes: list[str] = arguments.codes
    found = [_rule(code) for code in codes] or list(RULES.values())
    if arguments.json:
        print(json.dumps({"rules": [dataclasses.asdict(rule) for rule in found]}, indent=2))
    elif codes:
        pages = (f"{each.code}: {each.title}\n\n{each.why}\n\nMend: {each.mend}" for each in found)
        print(fitted("\n\n".join(pages), sys.stdout))
    else:
        print(fitted("\n".join(f"{each.code}  {each.title}" for each in found), sys.stdout))
    return CLEAN


def _rule(code: str) -> Rule:
    """Return the rule of a code.

    Raises:
        SettingsError: there is none.
    """
    rule = RULES.get(code.upper())
    if rule is None:
        raise SettingsError(f"{code} is no code; `mcp-wrapper rules` lists them all")
    return rule


COMMAND = Command(
    name="rules",
    summary="explain finding codes",
    description="Print what a finding code means, how it leads past the gate, and the mend.",
    examples=("mcp-wrapper rules MW101", "mcp-wrapper rules --json", "mcp-wrapper rules --ruff"),
    options=_options,
    run=_run,
)
