"""Paths of outputs."""

from __future__ import annotations

from counterfoil.contract.model import Server
from counterfoil.names import package_name


def fill(path: str, server: Server) -> str:
    """Put a server's id and package name into a configured path."""
    return path.replace("{server}", server.id).replace("{package}", package_name(server.id))
