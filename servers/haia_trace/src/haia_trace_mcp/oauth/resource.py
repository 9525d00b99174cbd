"""The protected resource: its URL, its metadata of RFC 9728, and its challenges of RFC 6750."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from haia_trace_mcp.oauth.errors import OAuthSetupError
from haia_trace_mcp.wording import quoted

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"
MCP_PATH: Final = "/mcp"
_URL = re.compile(r"https?://[!#-;=?-\[\]_a-z~]+", re.ASCII | re.IGNORECASE)
_SCOPE = re.compile(r"[!#-\[\]-~]+", re.ASCII)


@dataclass(frozen=True)
class Resource:
    """What clients are told.

    Attributes:
        url: the resource's URL, which is the audience of tokens for it.
        issuer: the authorization server that they are asked from.
        scopes: what a token has to allow.
    """

    url: str
    issuer: str
    scopes: tuple[str, ...]

    @property
    def metadata_path(self) -> str:
        """Return the path of the metadata: the well-known one before the resource's own."""
        return WELL_KNOWN + urlsplit(self.url).path

    @property
    def metadata_url(self) -> str:
        """Return where challenges say that the metadata is."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{self.metadata_path}"

    def metadata(self) -> bytes:
        """Return the metadata as JSON."""
        document: dict[str, object] = {
            "resource": self.url,
            "resource_name": "Haia Trace receipts",
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
        }
        if self.scopes:
            document["scopes_supported"] = list(self.scopes)
        return json.dumps(document).encode("utf-8")

    def challenge(
        self, scopes: Iterable[str], error: str | None = None, description: str | None = None
    ) -> str:
        """Return a value for ``WWW-Authenticate``; every part of it is ASCII without quotes."""
        asked = " ".join(scopes)
        fields = {
            "error": error,
            "error_description": description,
            "scope": asked or None,
            "resource_metadata": self.metadata_url,
        }
        return "Bearer " + ", ".join(f'{k}="{v}"' for k, v in fields.items() if v is not None)


def read_resource_url(text: str) -> str:
    """Return the resource's URL as clients spell it; one without a path gets ``/mcp``.

    Raises:
        OAuthSetupError: it is no URL that tokens could be for.
    """
    scheme, authority, path = _read_url(text, "--public-url")
    return f"{scheme}://{authority.lower()}{path.rstrip('/') or MCP_PATH}"


def read_issuer(text: str) -> str:
    """Return an issuer unchanged: tokens have to name it character for character.

    Raises:
        OAuthSetupError: it is no URL of an issuer.
    """
    _read_url(text, "--auth-issuer")
    return text


def read_scopes(texts: Iterable[str]) -> tuple[str, ...]:
    """Return scopes in the order given, each once.

    Raises:
        OAuthSetupError: one of them is none.
    """
    scopes = tuple(dict.fromkeys(texts))
    for scope in scopes:
        if _SCOPE.fullmatch(scope) is None:
            raise OAuthSetupError(f"--auth-scope {quoted(scope)} is no scope")
    return scopes


def is_loopback(host: str) -> bool:
    """Tell whether a host, without brackets, is this machine by its very name."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read_url(text: str, option: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise OAuthSetupError(f"{option} {quoted(text)} is no URL") from error
    is_plain = _URL.fullmatch(text) and host and not (parts.query or parts.fragment)
    if not is_plain or "@" in parts.netloc or "?" in text:
        raise OAuthSetupError(
            f"{option} {quoted(text)} is no http or https URL without user, query and fragment"
        )
    if parts.scheme == "http" and not is_loopback(host):
        raise OAuthSetupError(f"{option} {quoted(text)}: away from this machine, it is https")
    return parts.scheme, parts.netloc, parts.path
