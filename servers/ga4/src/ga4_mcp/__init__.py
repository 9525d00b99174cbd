"""MCP server that reads Google Analytics 4 and cannot change it."""

__version__ = "0.1.0"
