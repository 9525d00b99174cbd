"""How MCP clients are told of this server: what goes into their files, and putting it there.

Nothing here is loaded by a process that serves.
"""
