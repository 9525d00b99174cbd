"""Keep every binding of an MCP contract in step with the contract."""

__version__ = "0.1.0"
