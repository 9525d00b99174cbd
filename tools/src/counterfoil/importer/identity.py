"""The id that a server has in a contract, made from what it calls itself."""

from __future__ import annotations

import re

from counterfoil.contract.grammar import grammar

_ID = re.compile(grammar()["$defs"]["serverId"]["pattern"])
_LONGEST = int(grammar()["$defs"]["serverId"]["maxLength"])
_FALLBACK = "server"


def is_server_id(text: str) -> bool:
    """Say whether a text can be the id of a server."""
    return len(text) <= _LONGEST and _ID.fullmatch(text) is not None


def derive_id(name: str) -> str:
    """Return an id for a server's name: ``@scope/My Server`` gives ``my-server``."""
    last = name.rstrip("/").rpartition("/")[2]
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", last)
    joined = "-".join(re.findall(r"[a-z0-9]+", spaced.lower()))
    begun = re.sub(r"^[0-9-]+", "", joined)[:_LONGEST].rstrip("-")
    return begun or _FALLBACK
