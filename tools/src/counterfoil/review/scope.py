"""Leave out of two editions what is not meant to be compared."""

from __future__ import annotations

import dataclasses

from counterfoil.breaking.surface import Surface
from counterfoil.editions.edition import Edition
from counterfoil.errors import CounterfoilError

_LISTED = ""  # the id of a server that only its lists are known of


def narrow(base: Edition, target: Edition, server: str) -> tuple[Edition, Edition, str]:
    """Return both editions with one server of the contract, when one is meant, and its id.

    Args:
        base, target: what will be compared.
        server: id of the server; empty for all. A list of a server that stands against a
            contract with several finds its own by the name that it gives itself.

    Raises:
        CounterfoilError: neither side has the server, or it is not known which one is meant.
    """
    sides = (base, target)
    known = sorted({name for side in sides for name in side.surface.servers} - {_LISTED})
    if server and server not in known and known:
        raise CounterfoilError(
            f"there is no server {server!r} on either side",
            place="--server",
            hint=f"servers: {', '.join(known)}",
        )
    if not server and any(_LISTED in side.surface.servers for side in sides):
        server = _own(base.surface, target.surface) or _own(target.surface, base.surface)
        if not server and len(known) > 1:
            raise CounterfoilError(
                "one side is the list of one server, and the other a contract of several",
                hint=f"say which one is meant with --server: {', '.join(known)}",
            )
    return _only(base, server), _only(target, server), server


def _own(listing: Surface, contract: Surface) -> str:
    """Return the id of the server that a listing is of, by its name; empty when that is open."""
    if _LISTED not in listing.servers:
        return ""
    name = listing.servers[_LISTED].data.get("name")
    same = [key for key, each in contract.servers.items() if key and each.data.get("name") == name]
    return same[0] if name and len(same) == 1 else ""


def _only(edition: Edition, server: str) -> Edition:
    if not server or _LISTED in edition.surface.servers:
        return edition
    servers = {key: each for key, each in edition.surface.servers.items() if key == server}
    surface = dataclasses.replace(edition.surface, servers=servers)
    return dataclasses.replace(edition, surface=surface)
