"""Read what a running server lists, in the newest revision that it and this toolchain speak."""

from __future__ import annotations

import shlex
from pathlib import Path
from urllib.parse import urlsplit

from counterfoil.config import Live
from counterfoil.editions.edition import Edition
from counterfoil.editions.listings import Listing, ListingFault
from counterfoil.editions.reading import listing_surface
from counterfoil.errors import CounterfoilError


def read_server(entry: Live, root: Path) -> Edition:
    """Ask a server for every page of its lists.

    Args:
        entry: how to reach it; with an id it is shown by that.
        root: the folder that ``cwd`` of the entry starts from.

    Raises:
        CounterfoilError: it cannot be asked, or lists what nobody could call.
    """
    from counterfoil.parity.live import target_of
    from counterfoil.wire import read_one

    target = target_of(entry, root)
    shown = f"server:{entry.id}" if entry.id else _shown(entry)
    surface = read_one(target)
    listing = Listing(about=dict(surface.server))
    if surface.instructions is not None:
        listing.about["instructions"] = surface.instructions
    listing.lists = surface.lists
    listing.pointers = {
        key: [f"/{key}/{index}" for index in range(len(entries))]
        for key, entries in listing.lists.items()
    }
    try:
        return Edition(listing_surface(shown, listing), shown, f"MCP {surface.revision}")
    except ListingFault as fault:
        place = f"{shown} #{fault.pointer}"
        raise CounterfoilError(fault.what, place=place, hint=fault.hint) from fault


def _shown(entry: Live) -> str:
    """Name a server without what may be secret in its command or URL."""
    if entry.url:
        return urlsplit(entry.url)._replace(query="", fragment="").geturl()
    from counterfoil.wire.redaction import Redaction, command_secrets

    return Redaction(command_secrets(entry.command)).apply(f"stdio:{shlex.join(entry.command)}")
