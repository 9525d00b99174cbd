"""``mcp-wrapper lint``."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcp_wrapper_scaffold.cli.command import CLEAN, Command, check_options, report, settings_of
from mcp_wrapper_scaffold.console import Waiting, tell
from mcp_wrapper_scaffold.lint.judging import lint
from mcp_wrapper_scaffold.lint.settings import SettingsError


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        type=Path,
        help="packages or files; default: `packages` of [tool.mcp-wrapper]",
    )
    check_options(parser)


def _run(arguments: argparse.Namespace) -> int:
    paths: list[Path] = arguments.paths
    settings = settings_of(arguments, paths[0] if paths else Path.cwd())
    if not paths:
        if not settings.packages:
            raise SettingsError(
                "no PATH is given, and no [tool.mcp-wrapper] lists `packages`; give a path"
            )
        paths = [_near(settings.root / package) for package in settings.packages]
    with Waiting("reading sources"):
        found = lint(paths, settings)
    status = report(found, arguments)
    if status == CLEAN:
        tell("nothing found in " + ", ".join(str(path) for path in paths))
    return status


def _near(path: Path) -> Path:
    """Return a path as people see it from where they are."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


COMMAND = Command(
    name="lint",
    summary="find what leads past the gate in a wrapper's sources",
    description=(
        "Read Python sources without running them, and report imports, built-ins, attributes and\n"
        "texts that lead past ctx.fetch. What is allowed is a list; a permit is in\n"
        "[[tool.mcp-wrapper.permit]] of pyproject.toml, with its reason, and is reported when\n"
        "nothing needs it."
    ),
    examples=("mcp-wrapper lint src/notes_mcp", "mcp-wrapper lint --format github"),
    files=(
        (
            "pyproject.toml",
            "[tool.mcp-wrapper]: packages, what is permitted, and why; --config names another",
        ),
    ),
    see=("mcp-wrapper rules --help", "mcp-wrapper scan --help"),
    options=_options,
    run=_run,
)
