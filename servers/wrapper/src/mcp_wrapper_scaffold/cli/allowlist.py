"""``mcp-wrapper allowlist``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import cast

from mcp_wrapper_scaffold.allowlist import Allowlist, Entry
from mcp_wrapper_scaffold.cli.command import CLEAN, Command
from mcp_wrapper_scaffold.egress import EGRESS_FORMATS
from mcp_wrapper_scaffold.errors import WrapperError


class AllowlistError(WrapperError):
    """Say why there is no allowlist at the given place."""


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "place", metavar="MODULE:ATTR", help="where the entries are; ATTR may have dots"
    )
    parser.add_argument(
        "--format",
        choices=tuple(EGRESS_FORMATS),
        default="json",
        help="json: the entries; hosts: one HOST:PORT a line; squid: rules of a proxy; "
        "default: json",
    )


def _run(arguments: argparse.Namespace) -> int:
    entries = load_allowlist(arguments.place).entries
    sys.stdout.write(EGRESS_FORMATS[arguments.format](entries))
    return CLEAN


def load_allowlist(place: str) -> Allowlist:
    """Import a module, as it is found from the present folder, and return its allowlist.

    Args:
        place: ``MODULE:ATTR``.

    Raises:
        AllowlistError: there is none.
        DeclarationError: it has an entry that is refused.
    """
    module, separator, path = place.partition(":")
    if not separator or not all(part.isidentifier() for part in f"{module}.{path}".split(".")):
        raise AllowlistError(f"{place!r} is not MODULE:ATTR, such as ga4_mcp.server:ALLOWLIST")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found: object = import_module(module)
    except (ImportError, SyntaxError) as error:
        raise AllowlistError(
            f"{module} cannot be imported: {error}; run it where the wrapper is installed, or in "
            "the folder that holds it"
        ) from error
    finally:
        sys.path.remove(here)
    for name in path.split("."):
        if not hasattr(found, name):
            raise AllowlistError(f"{place}: there is no {name}")
        found = getattr(found, name)
    if isinstance(found, Allowlist):
        return found
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise AllowlistError(
            f"{place} is no list of entries; name an Allowlist, or a list of Entry"
        )
    return Allowlist(cast("Iterable[Entry]", found))


COMMAND = Command(
    name="allowlist",
    summary="print a wrapper's allowlist for what stands around it",
    description=(
        "Import a module and print the allowlist in it: as JSON, in the form of the contract's\n"
        "`outbound`; as hosts and ports; or as rules of the Squid proxy. Only the JSON has\n"
        "everything: a proxy that does not open TLS sees hosts and ports alone."
    ),
    examples=(
        "mcp-wrapper allowlist --format squid ga4_mcp.server:ALLOWLIST",
        "mcp-wrapper allowlist --format hosts ga4_mcp.server:ALLOWLIST",
    ),
    options=_options,
    run=_run,
)
