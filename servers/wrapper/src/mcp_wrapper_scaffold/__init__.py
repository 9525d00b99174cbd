"""Read-only MCP wrappers that can only send the requests they declared."""

__version__ = "0.1.0"
