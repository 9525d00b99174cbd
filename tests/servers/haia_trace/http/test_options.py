"""Options of serving over HTTP: what goes together, and what is refused before anything opens."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from token_issuer import SECRET, Issuer

from haia_trace_mcp.errors import HaiaTraceError
from haia_trace_mcp.http.address import Address, read_address
from haia_trace_mcp.http.errors import HttpSetupError
from haia_trace_mcp.http.options import add_http_options, refuse_strays
from haia_trace_mcp.http.settings import HttpSettings, read_http_settings
from haia_trace_mcp.oauth import OAuthSetupError

ISSUER = ("--auth-issuer", "https://auth.example")


@pytest.fixture
def jwks(issuer: Issuer, tmp_path: Path) -> str:
    path = tmp_path / "jwks.json"
    path.write_bytes(issuer.jwks())
    return str(path)


@pytest.fixture
def secret(tmp_path: Path) -> str:
    path = tmp_path / "secret"
    path.write_bytes(SECRET)
    path.chmod(0o600)
    return str(path)


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_http_options(parser)
    return parser.parse_args(words)


def read(*words: str) -> HttpSettings:
    return read_http_settings(parse("--http", *words))


def test_the_usual_options_go_together(jwks: str, secret: str) -> None:
    settings = read("127.0.0.1:3000", *ISSUER, "--auth-jwks", jwks, "--auth-scope", "a")
    assert settings.address == Address("127.0.0.1", 3000)
    assert settings.auth is not None
    assert (settings.auth.issuer, settings.auth.scopes) == ("https://auth.example", ("a",))
    shared = read("localhost:0", *ISSUER, "--auth-hmac-secret", secret)
    assert shared.auth is not None
    assert [key.algorithm for key in shared.auth.keys.current().keys] == ["HS256"]
    assert read("[::1]:3000", "--http-insecure-no-auth").auth is None


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "[::]", "[fe80::1]"])
def test_other_machines_are_served_only_on_request_and_with_tokens(jwks: str, host: str) -> None:
    auth = (*ISSUER, "--auth-jwks", jwks, "--public-url", "https://trace.example")
    with pytest.raises(HttpSetupError, match="--http-allow-remote"):
        read(f"{host}:3000", *auth)
    assert read(f"{host}:3000", *auth, "--http-allow-remote").auth is not None
    with pytest.raises(HttpSetupError, match="this machine alone"):
        read(f"{host}:3000", "--http-allow-remote", "--http-insecure-no-auth")


def test_without_tokens_nothing_is_public() -> None:
    with pytest.raises(HttpSetupError, match="this machine alone"):
        read("127.0.0.1:1", "--http-insecure-no-auth", "--public-url", "https://trace.example")


def test_every_address_of_a_machine_has_no_url_of_its_own(jwks: str) -> None:
    with pytest.raises(HttpSetupError, match="add --public-url"):
        read("0.0.0.0:3000", "--http-allow-remote", *ISSUER, "--auth-jwks", jwks)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ISSUER,
        ("--auth-scope", "a"),
        ("--auth-jwks", "JWKS"),
        ("--auth-hmac-secret", "SECRET"),
        (*ISSUER, "--auth-jwks", "JWKS", "--auth-hmac-secret", "SECRET"),
        (*ISSUER, "--auth-jwks", "JWKS", "--http-insecure-no-auth"),
        ("--http-insecure-no-auth", "--auth-scope", "a"),
        (*ISSUER, "--auth-jwks", "absent"),
        (*ISSUER, "--auth-jwks", "SECRET"),
        (*ISSUER, "--auth-hmac-secret", "JWKS"),
        (*ISSUER, "--auth-jwks", "JWKS", "--auth-scope", "a b"),
        (*ISSUER, "--auth-jwks", "JWKS", "--auth-scope", 'a"'),
        (*ISSUER, "--auth-jwks", "JWKS", "--auth-scope", ""),
        (*ISSUER, "--auth-jwks", "JWKS", "--http-allowed-host", "a:1"),
        (*ISSUER, "--auth-jwks", "JWKS", "--http-allowed-host", "*"),
        (*ISSUER, "--auth-jwks", "JWKS", "--http-allowed-origin", "*"),
        (*ISSUER, "--auth-jwks", "JWKS", "--http-allowed-origin", "https://a.example/"),
    ],
)
def test_what_does_not_go_together_is_refused(
    jwks: str, secret: str, words: tuple[str, ...]
) -> None:
    found = {"JWKS": jwks, "SECRET": secret}
    with pytest.raises(HaiaTraceError) as caught:
        read("127.0.0.1:3000", *(found.get(word, word) for word in words))
    assert SECRET.decode() not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        "auth.example",
        "http://auth.example",
        "https://auth.example?x=1",
        "https://auth.example#x",
        "https://me@auth.example",
        "https://",
        "ftp://auth.example",
        'https://auth.example/"',
        "https://auth.example:x",
    ],
)
def test_an_issuer_is_a_plain_https_url(jwks: str, given: str) -> None:
    with pytest.raises(OAuthSetupError, match="--auth-issuer"):
        read("127.0.0.1:1", "--auth-issuer", given, "--auth-jwks", jwks)


def test_an_issuer_stays_as_it_was_written(jwks: str) -> None:
    for issuer in ("https://auth.example/", "https://Auth.example/realms/a", "http://localhost:9"):
        auth = read("127.0.0.1:1", "--auth-issuer", issuer, "--auth-jwks", jwks).auth
        assert auth is not None
        assert auth.issuer == issuer


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://Trace.Example", "https://trace.example/mcp"),
        ("https://trace.example/", "https://trace.example/mcp"),
        ("https://trace.example/haia/mcp", "https://trace.example/haia/mcp"),
        ("https://trace.example:8443/x/", "https://trace.example:8443/x"),
    ],
)
def test_a_public_url_is_spelled_as_clients_spell_it(jwks: str, given: str, url: str) -> None:
    settings = read("127.0.0.1:1", *ISSUER, "--auth-jwks", jwks, "--public-url", given)
    assert settings.public_url == url


@pytest.mark.parametrize(
    "text",
    ["", "3000", ":3000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "example.com:80", "::1:80"],
)
def test_an_address_is_an_ip_or_localhost_with_a_port(text: str) -> None:
    with pytest.raises(HttpSetupError, match="--http"):
        read_address(text)


def test_options_that_would_do_nothing_are_refused(jwks: str) -> None:
    refuse_strays(parse())
    for words in (("--auth-jwks", jwks), ("--http-allow-remote",), ("--public-url", "https://x")):
        with pytest.raises(HttpSetupError, match=f"{words[0]} goes with --http"):
            refuse_strays(parse(*words))
