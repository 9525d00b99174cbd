"""MCP server that reads a LemonSqueezy account and cannot change it."""

__version__ = "0.1.0"
