"""Serve a FairWins member's data to MCP clients, with the standard library alone."""

__version__ = "0.1.0"
