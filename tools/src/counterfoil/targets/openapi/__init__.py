"""Target ``openapi``: a document of the HTTP API behind a server."""

from counterfoil.targets.openapi.target import TARGET

__all__ = ["TARGET"]
