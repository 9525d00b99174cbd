"""Target ``registry``: what directories of MCP servers and desktop clients are told."""

from counterfoil.targets.directory.target import TARGET

__all__ = ["TARGET"]
