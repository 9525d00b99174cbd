"""MCP server over operation receipts, with an advisory guard before payment and human review."""

__version__ = "0.1.0"
