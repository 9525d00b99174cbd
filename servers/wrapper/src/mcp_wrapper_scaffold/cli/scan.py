"""``mcp-wrapper scan``."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcp_wrapper_scaffold.cli.command import CLEAN, Command, check_options, report, settings_of
from mcp_wrapper_scaffold.console import Waiting, tell
from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.scan.judging import scan


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "archives", nargs="+", metavar="DIST", type=Path, help="a wheel or a source archive"
    )
    check_options(parser)


def _run(arguments: argparse.Namespace) -> int:
    archives: list[Path] = arguments.archives
    found: list[Finding] = []
    for path in archives:
        # Permits are counted anew: each archive must need them.
        settings = settings_of(arguments, path.parent)
        with Waiting(f"reading {path}"):
            made = scan(path, settings)
        found += made.findings
        for note in made.notes:
            tell(f"{path}: {note}")
    status = report(found, arguments)
    if status == CLEAN:
        tell("nothing found in " + ", ".join(str(path) for path in archives))
    return status


COMMAND = Command(
    name="scan",
    summary="find what leads past the gate in a built wheel or source archive",
    description=(
        "Read an archive without unpacking it to disk: how it is packed, its RECORD, its\n"
        "requirements and entry points, compiled and data files, hosts of URLs, and every Python\n"
        "source as `mcp-wrapper lint` reads it. Permits are those of the lint."
    ),
    examples=(
        "mcp-wrapper scan dist/notes_mcp-0.1.0-py3-none-any.whl",
        "mcp-wrapper scan dist/*.whl dist/*.tar.gz",
    ),
    files=(
        (
            "pyproject.toml",
            "[tool.mcp-wrapper]: packages, what is permitted, and why; --config names another",
        ),
    ),
    see=("mcp-wrapper lint --help", "mcp-wrapper rules --help"),
    options=_options,
    run=_run,
)
