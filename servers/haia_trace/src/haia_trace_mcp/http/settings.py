"""How to serve over HTTP, settled before anything is opened."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from haia_trace_mcp.http.address import Address, read_address
from haia_trace_mcp.http.admission import Admission
from haia_trace_mcp.http.errors import HttpSetupError
from haia_trace_mcp.oauth import KeySource, KeysUnavailable, OAuthSetupError
from haia_trace_mcp.oauth.key_file import KeyFile, warn_of_readers
from haia_trace_mcp.oauth.keys import read_key_set, read_secret
from haia_trace_mcp.oauth.resource import read_issuer, read_resource_url, read_scopes


@dataclass(frozen=True)
class AuthSettings:
    """Whose tokens are taken, and what they have to allow."""

    issuer: str
    keys: KeySource
    scopes: tuple[str, ...]


@dataclass(frozen=True)
class HttpSettings:
    """How to serve over HTTP.

    Attributes:
        address: where to listen.
        auth: whose tokens are taken; None serves whoever is on this machine.
        public_url: the resource's URL, if it is not the address that is listened on.
        hosts: names by which the server is called, beside loopback and its own.
        origins: origins of pages that may call it, beside loopback and its own.
    """

    address: Address
    auth: AuthSettings | None
    public_url: str | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


def read_http_settings(options: argparse.Namespace) -> HttpSettings:
    """Return how to serve over HTTP, which was asked for.

    Raises:
        HttpSetupError, OAuthSetupError: options are missing, or do not go together.
    """
    given: str = options.http
    address = read_address(given)
    if not address.is_loopback and not options.http_allow_remote:
        raise HttpSetupError(
            f"--http {given} can be reached from other machines; --http-allow-remote allows it"
        )
    auth = _read_auth(options, address)
    public_url = None if options.public_url is None else read_resource_url(options.public_url)
    if address.is_wildcard and public_url is None:
        raise HttpSetupError(
            f"--http {given} has no URL that tokens could be for: add --public-url"
        )
    hosts, origins = tuple(options.http_allowed_host), tuple(options.http_allowed_origin)
    Admission(hosts, origins)  # says which of them is none
    return HttpSettings(address, auth, public_url, hosts, origins)


def _read_auth(options: argparse.Namespace, address: Address) -> AuthSettings | None:
    jwks: Path | None = options.auth_jwks
    secret: Path | None = options.auth_hmac_secret
    scopes: Sequence[str] = options.auth_scope
    if options.http_insecure_no_auth:
        if not address.is_loopback or options.public_url is not None:
            raise HttpSetupError("--http-insecure-no-auth is for this machine alone")
        if options.auth_issuer or jwks or secret or scopes:
            raise HttpSetupError("--http-insecure-no-auth takes no tokens, so no --auth option")
        return None
    if options.auth_issuer is None or (jwks is None) == (secret is None):
        raise HttpSetupError(
            "--http needs --auth-issuer, and either --auth-jwks or --auth-hmac-secret, never both; "
            "--http-insecure-no-auth serves this machine without tokens"
        )
    if jwks is not None:
        keys = KeyFile(jwks, read_key_set)
    else:
        assert secret is not None
        keys = KeyFile(secret, read_secret)
    try:
        keys.current()
    except KeysUnavailable as error:
        raise OAuthSetupError(str(error)) from error
    if secret is not None:
        warn_of_readers(secret)
    return AuthSettings(read_issuer(options.auth_issuer), keys, read_scopes(scopes))
