"""The HTTP transport: one message a POST, no sessions, every revision on one endpoint."""
