"""Streamable HTTP, behind the door of an OAuth 2.1 resource server."""
