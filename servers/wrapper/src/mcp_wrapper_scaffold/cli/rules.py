"""``mcp-wrapper rules``."""

from __future__ import annotations

import argparse

from mcp_wrapper_scaffold.cli.command import CLEAN, Command
from mcp_wrapper_scaffold.lint.ruff import as_toml
from mcp_wrapper_scaffold.lint.rules import RULES
from mcp_wrapper_scaffold.lint.settings import SettingsError


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "codes", nargs="*", metavar="CODE", help="codes to explain; default: list all"
    )
    parser.add_argument(
        "--ruff", action="store_true", help="print the part of them that ruff can hold, as TOML"
    )


def _run(arguments: argparse.Namespace) -> int:
    if arguments.ruff:
        print(as_toml(), end="")
        return CLEAN
    codes: list[str] = arguments.codes
    for code in codes:
        rule = RULES.get(code.upper())
        if rule is None:
            raise SettingsError(f"{code} is no code; `mcp-wrapper rules` lists them all")
        print(f"{rule.code}: {rule.title}\n\n{rule.why}\n\nMend: {rule.mend}")
    if not codes:
        for rule in RULES.values():
            print(f"{rule.code}  {rule.title}")
    return CLEAN


COMMAND = Command(
    name="rules",
    summary="explain finding codes",
    description="Print what a finding code means, how it leads past the gate, and the mend.",
    examples=("mcp-wrapper rules MW101", "mcp-wrapper rules", "mcp-wrapper rules --ruff"),
    options=_options,
    run=_run,
)
