"""The words of serving over HTTP. Nothing large is imported for them."""

from __future__ import annotations

import argparse
from pathlib import Path

from haia_trace_mcp.http.errors import HttpSetupError


def add_http_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options of serving over HTTP."""
    group = parser.add_argument_group(
        "serving over HTTP",
        "As an OAuth 2.1 resource server. Without --http, it serves standard input and output.",
    )
    add = group.add_argument
    add("--http", metavar="HOST:PORT", help="listen there; 127.0.0.1:3000, for example")
    add("--auth-issuer", metavar="URL", help="the authorization server whose tokens are taken")
    add(
        "--auth-jwks",
        metavar="FILE",
        type=Path,
        help="its public keys, as a JWK Set; followed when the file is replaced",
    )
    add(
        "--auth-hmac-secret",
        metavar="FILE",
        type=Path,
        help="instead: a secret shared with an authorization server on this machine",
    )
    add(
        "--auth-scope",
        metavar="SCOPE",
        action="append",
        default=[],
        help="a scope that tokens have to allow; may be repeated",
    )
    add("--public-url", metavar="URL", help="the URL of /mcp for clients, behind a TLS proxy")
    add("--http-allow-remote", action="store_true", help="listen on other addresses than loopback")
    add(
        "--http-insecure-no-auth",
        action="store_true",
        help="serve everybody on this machine without a token",
    )
    further = (
        ("host", "a further name by which the server is called"),
        ("origin", "a further origin whose pages may ask"),
    )
    for name, meaning in further:
        add(
            f"--http-allowed-{name}",
            metavar=name.upper(),
            action="append",
            default=[],
            help=f"{meaning}; may be repeated",
        )


def refuse_strays(options: argparse.Namespace) -> None:
    """Refuse options that would do nothing: whoever gave them expects a guarded server.

    Raises:
        HttpSetupError: one of them was given without ``--http``.
    """
    for name, value in vars(options).items():
        if name.startswith(("auth_", "http_", "public_url")) and value:
            option = f"--{name.replace('_', '-')}"
            raise HttpSetupError(f"{option} goes with --http HOST:PORT")
