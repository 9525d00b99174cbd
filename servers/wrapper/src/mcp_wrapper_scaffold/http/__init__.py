"""MCP over HTTP: one message a POST, no sessions, every revision on one endpoint."""
