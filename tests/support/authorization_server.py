"""A small authorization server: codes for whoever asks, with PKCE, and tokens for one resource."""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from token_issuer import Issuer

CLIENT = "agent"


class AuthorizationServer:
    """Issue tokens as RFC 9068 has them. ``url`` is set once it is known where it listens.

    Attributes:
        asked: the parameters of each request for a code, in order.
    """

    def __init__(self, issuer: Issuer) -> None:
        self.url = ""
        self.asked: list[dict[str, str]] = []
        self._issuer = issuer
        self._codes: dict[str, dict[str, str]] = {}

    def app(self) -> Starlette:
        """Return it as an application."""
        return Starlette(
            routes=[
                Route("/.well-known/oauth-authorization-server", self._tell_metadata),
                Route("/authorize", self._authorize),
                Route("/token", self._issue, methods=["POST"]),
            ]
        )

    async def _tell_metadata(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            }
        )

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert asked["code_challenge_method"] == "S256"
        self.asked.append(asked)
        code = secrets.token_urlsafe()
        self._codes[code] = asked
        back = urlencode({"code": code, "state": asked["state"], "iss": self.url})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}")

    async def _issue(self, request: Request) -> Response:
        form: dict[str, Any] = dict(await request.form())
        asked = self._codes.pop(form["code"])
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (proof, form["resource"]) != (asked["code_challenge"], asked["resource"]):
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        scope = asked.get("scope", "")
        token = self._issuer.token(iss=self.url, aud=form["resource"], scope=scope)
        return JSONResponse(
            {"access_token": token, "token_type": "Bearer", "expires_in": 600, "scope": scope}
        )
