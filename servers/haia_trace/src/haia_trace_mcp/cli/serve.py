"""Serve a Trace root."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final

from haia_trace_mcp.cli.options import add_folder, add_policy
from haia_trace_mcp.cli.terminal import say, start_log
from haia_trace_mcp.http.options import add_http_options, refuse_strays

if TYPE_CHECKING:
    from haia_trace_mcp.service import TraceService

_LEVELS: Final = ("debug", "info", "warning", "error")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the server takes. Without a command, it is what runs."""
    add_folder(parser, is_first=True)
    parser.add_argument(
        "--templates-dir",
        type=Path,
        metavar="FOLDER",
        help="where the project's templates are (default: templates in the Trace root)",
    )
    add_policy(parser, is_first=True)
    parser.add_argument(
        "--index",
        action="store_true",
        help="keep what was read in guard/index.sqlite of the Trace root, for a warm start",
    )
    parser.add_argument(
        "--log-level",
        choices=_LEVELS,
        default="warning",
        help="how much of the log goes to stderr (default: warning)",
    )
    add_http_options(parser)
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Serve until the client goes or a signal comes."""
    start_log(chosen.log_level)
    if chosen.http is not None:
        return run_http(chosen)
    refuse_strays(chosen)
    service = start_service(chosen)
    if sys.stdin is not None and sys.stdin.isatty():
        say("waiting for a client on standard input; clients start this program by themselves")
    from haia_trace_mcp.server import make_server
    from haia_trace_mcp.stdio import serve

    try:
        return serve(make_server(service))
    finally:
        save(service)


def run_http(chosen: argparse.Namespace) -> int:
    """Serve over HTTP until a signal comes.

    Raises:
        HttpSetupError, OAuthSetupError: options do not go together, or the address is taken.
    """
    from haia_trace_mcp.http.serving import serve_http
    from haia_trace_mcp.http.settings import read_http_settings

    settings = read_http_settings(chosen)
    service = start_service(chosen)
    from haia_trace_mcp.server import make_server

    try:
        serve_http(make_server(service), settings)
    finally:
        save(service)
    return 0


def start_service(chosen: argparse.Namespace) -> TraceService:
    """Return the service that was asked for, which begins to read what is recorded.

    Raises:
        StartError: a folder is not there.
        PolicyError: the policy is not valid.
    """
    from haia_trace_mcp.service import Settings, TraceService

    settings = Settings(chosen.dir, chosen.templates_dir, chosen.guard_config, chosen.index)
    service = TraceService.start(settings)
    if not service.has_runs_folder():
        say(f"{chosen.dir} has no folder events; no history is known until a recorder makes it")
    Thread(target=service.warm, name="warm", daemon=True).start()
    return service


def save(service: TraceService) -> None:
    """Write the index to its file, where it is kept. A failure is told and changes nothing."""
    from haia_trace_mcp.errors import RootError

    try:
        service.save()
    except RootError as error:
        say(f"the index is not kept: {error}")
