"""An OAuth 2.1 resource server: whose tokens it takes, for what, and how it says no.

Everything is decided here and from files of the operator; nothing is ever fetched.
"""

from __future__ import annotations

from haia_trace_mcp.oauth.errors import KeysUnavailable, OAuthSetupError, TokenRefused
from haia_trace_mcp.oauth.keys import KeySource
from haia_trace_mcp.oauth.resource import Resource
from haia_trace_mcp.oauth.verification import Grant, TokenVerifier

__all__ = [
    "Grant",
    "KeySource",
    "KeysUnavailable",
    "OAuthSetupError",
    "Resource",
    "TokenRefused",
    "TokenVerifier",
]
