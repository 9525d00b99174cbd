"""A client that is told nothing but the URL finds the issuer, gets a token, and is served."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from authorization_server import CLIENT, AuthorizationServer
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from served import served_in_thread
from token_issuer import Issuer
from trace_command import serving
from trace_room import TraceRoom

BACK = "http://127.0.0.1:9/back"


class Storage:
    """A client that is known to the issuer, and its tokens."""

    def __init__(self, issuer: str) -> None:
        self.tokens: OAuthToken | None = None
        self._client = OAuthClientInformationFull.model_validate(
            {
                "client_id": CLIENT,
                "redirect_uris": [BACK],
                "token_endpoint_auth_method": "none",
                "issuer": issuer,
            }
        )

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info


class Browser:
    """What a person does in a browser: say yes, and be sent back."""

    def __init__(self) -> None:
        self._location = ""

    async def open(self, url: str) -> None:
        async with httpx2.AsyncClient() as http:
            self._location = (await http.get(url)).headers["location"]

    async def come_back(self) -> AuthorizationCodeResult:
        found = parse_qs(urlsplit(self._location).query)
        return AuthorizationCodeResult(**{name: values[0] for name, values in found.items()})


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_a_client_finds_its_way_from_the_challenge_to_a_token(
    tmp_path: Path, issuer: Issuer, mode: Any
) -> None:
    room = TraceRoom(tmp_path / ".trace")
    room.pay("op-1", run="1000", settled=False)
    jwks = tmp_path / "jwks.json"
    jwks.write_bytes(issuer.jwks())
    server = AuthorizationServer(issuer)
    with served_in_thread(server.app()) as place:
        server.url = place.removesuffix("/mcp")
        words = ["--auth-issuer", server.url, "--auth-jwks", str(jwks)]
        scopes = ["--auth-scope", "trace:read", "--auth-scope", "trace:guard"]
        with serving("--dir", str(room.path), *words, *scopes, says=b"") as (url, _):
            storage = Storage(server.url)
            asyncio.run(talk(url, storage, mode))
    (asked,) = server.asked
    assert (asked["scope"], asked["resource"]) == ("trace:read trace:guard", url)
    assert storage.tokens is not None


async def talk(url: str, storage: Storage, mode: Any) -> None:
    browser = Browser()
    metadata = OAuthClientMetadata.model_validate(
        {"redirect_uris": [BACK], "token_endpoint_auth_method": "none", "client_name": "agent"}
    )
    auth = OAuthClientProvider(url, metadata, storage, browser.open, browser.come_back)
    async with httpx2.AsyncClient(auth=auth) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode) as client:
            listed = await client.call_tool("list_operations", {})
            assert listed.structured_content is not None
            assert len(listed.structured_content["operations"]) == 1
