"""What every request passes before the MCP server sees it: place, token, scopes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from haia_trace_mcp.http.errors import HttpFault
from haia_trace_mcp.http.replies import read_headers, send_fault
from haia_trace_mcp.oauth import KeysUnavailable, Resource, TokenRefused, TokenVerifier
from haia_trace_mcp.oauth.credentials import MalformedCredentials, read_bearer

LOG = logging.getLogger(__name__)
_RETRY: Final = (b"retry-after", b"1")

Check = Callable[[Headers], None]


class Doorkeeper:
    """Let a request in to an application once every check has let it pass.

    Its credentials end here: what is behind the door neither sees them nor needs them.
    """

    def __init__(self, app: ASGIApp, *checks: Check) -> None:
        self._app = app
        self._checks = checks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before its body is read."""
        headers = read_headers(scope)
        try:
            for check in self._checks:
                check(headers)
        except HttpFault as fault:
            await send_fault(send, fault)
            return
        kept = [pair for pair in scope["headers"] if pair[0].lower() != b"authorization"]
        await self._app({**scope, "headers": kept}, receive, send)


class BearerCheck:
    """Ask each request for a token that allows every scope of the resource."""

    def __init__(self, resource: Resource, verifier: TokenVerifier) -> None:
        self._resource = resource
        self._verifier = verifier

    def __call__(self, headers: Headers) -> None:
        """Let a request with such a token pass.

        Raises:
            HttpFault: 401 without a valid token, 403 without the scopes, 400 for what is no token,
                503 while no key can be relied on.
        """
        scopes = self._resource.scopes
        try:
            token = read_bearer(headers.getlist("authorization"))
            if token is None:
                raise self._fault(401, None, "a bearer token is needed", scopes)
            grant = self._verifier.verify(token)
        except MalformedCredentials as error:
            raise self._fault(400, "invalid_request", str(error), scopes) from error
        except TokenRefused as error:
            LOG.info("a token was refused: %s", error.reason)
            raise self._fault(401, "invalid_token", error.reason, scopes) from error
        except KeysUnavailable as error:
            reason = "no token can be checked at the moment"
            raise HttpFault(503, "temporarily_unavailable", reason, _RETRY) from error
        unmet = [scope for scope in scopes if scope not in grant.scopes]
        if unmet:
            reason = "the token does not allow what this resource asks for"
            raise self._fault(403, "insufficient_scope", reason, unmet)

    def _fault(
        self, status: int, error: str | None, reason: str, scopes: list[str] | tuple[str, ...]
    ) -> HttpFault:
        """Return a refusal with its challenge.

        A request that brought no token gets no error code in it (RFC 6750, 3.1).
        """
        told = None if error is None else reason
        challenge = self._resource.challenge(scopes, error, told)
        field = (b"www-authenticate", challenge.encode("ascii"))
        return HttpFault(status, error or "unauthorized", reason, field)
