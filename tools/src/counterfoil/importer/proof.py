"""Whether a contract says all that was listed: parity, with what has just been read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from counterfoil.contract.model import Contract
from counterfoil.importer.capture import Capture
from counterfoil.parity.live import compare_surface


def differences_left(contract: Contract, server: str, capture: Capture) -> Iterator[str]:
    """Yield what parity would say of the server, a sentence each; none means nothing is lost."""
    found: dict[str, list[str]] = {}
    about = contract.server(server)
    # A recording rarely says who the server is; what is not known differs from nothing.
    known = {} if capture.spoken else {"name": about.data["name"], "version": about.version}
    for surface in capture.surfaces:
        seen = replace(surface, server={**known, **surface.server})
        for code, _, message in compare_surface(contract, about, seen):
            found.setdefault(f"{code} {message}", []).append(surface.revision)
    for message, revisions in found.items():
        whole = len(revisions) == len(capture.surfaces)
        yield message if whole else f"{message} (on MCP {', '.join(revisions)})"
