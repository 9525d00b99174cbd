"""Build the index file, so that the next server starts warm."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from haia_trace_mcp.cli.options import Commands, add_folder, add_json, help_end
from haia_trace_mcp.cli.terminal import print_table, print_value, say
from haia_trace_mcp.console import Waiting

if TYPE_CHECKING:
    from haia_trace_mcp.index import Run


def add_parser(commands: Commands) -> None:
    """Add the command ``index``."""
    parser = commands.add_parser(
        "index",
        help="read all runs, say what is in them, and keep it for servers with --index",
        description="Read all runs of the Trace root, keep what is in them in guard/index.sqlite, "
        "and list them. A server takes the file only as far as the runs still begin with what was "
        "read. The status is 1 if a run cannot be used.",
        epilog=help_end(
            ("index", "index --dir /srv/agent/.trace --json"),
            no="a run cannot be used; the column PROBLEM says why",
            files=(
                ("events/*.ndjson", "the runs, below the Trace root"),
                ("guard/index.sqlite", "what is kept; it can be removed at any time"),
            ),
        ),
    )
    add_folder(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Build the file, and list the runs."""
    from haia_trace_mcp.service import Settings, TraceService

    service = TraceService.start(Settings(chosen.dir, keeps_index=True))
    with Waiting(f"reading the runs of {chosen.dir}"):
        runs = service.runs()
        service.save()
    if chosen.json:
        print_value([_facts(each) for each in runs])
    else:
        if not runs:
            say(f"{chosen.dir} holds no runs yet; a recorder writes them to its folder events")
        print_table(("RUN", "EVENTS", "OPERATIONS", "PROBLEM"), map(_cells, runs))
    return 1 if any(each.problem for each in runs) else 0


def _facts(run: Run) -> dict[str, object]:
    return {
        "run_id": run.run_id,
        "events": run.events,
        "operations": run.operations,
        "names": run.links,
        "problem": None if run.problem is None else str(run.problem),
    }


def _cells(run: Run) -> list[str]:
    problem = "-" if run.problem is None else str(run.problem)
    if run.problem is None and run.links > 1:
        problem = f"none, but its file has {run.links} names (hard links)"
    return [run.run_id, str(run.events), str(run.operations), problem]
