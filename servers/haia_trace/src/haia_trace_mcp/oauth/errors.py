"""What can go wrong between a token and an answer."""

from __future__ import annotations

from haia_trace_mcp.errors import HaiaTraceError


class OAuthSetupError(HaiaTraceError):
    """Say which setting of the operator cannot be used, and why."""


class KeyFileError(HaiaTraceError):
    """Say why the content of a key file cannot be used. It quotes nothing of a secret."""


class KeysUnavailable(HaiaTraceError):
    """Say that no token can be judged now, because the key file cannot be used."""


class TokenRefused(HaiaTraceError):
    """Say why a token is not taken: ``reason`` is a sentence that holds nothing of it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
