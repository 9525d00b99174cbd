"""The command as operators start it: its address, its limits, its end, and no way out."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from rpc_post import post, request, send
from token_issuer import ISSUER, SECRET, Issuer, claims
from trace_command import SERVER, serving
from trace_room import SELLER, TraceRoom

# Whatever the process does that could reach another one is printed, and fails.
WATCHED = """
import runpy, sys
FORBIDDEN = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
    "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo", "subprocess.Popen",
    "os.system", "os.exec", "os.posix_spawn", "os.fork", "urllib.Request", "http.client.connect"}
def watch(event, arguments):
    if event in FORBIDDEN:
        print("OUTBOUND", event, arguments, file=sys.stderr, flush=True)
        raise RuntimeError(event)
sys.addaudithook(watch)
sys.argv[0] = "haia-trace-mcp"
runpy.run_module("haia_trace_mcp", run_name="__main__")
"""


@pytest.fixture
def folder(tmp_path: Path) -> str:
    room = TraceRoom(tmp_path / ".trace")
    room.pay("op-1", run="1000", settled=False)
    return str(room.path)


@pytest.fixture
def keys(tmp_path: Path, issuer: Issuer) -> list[str]:
    path = tmp_path / "jwks.json"
    path.write_bytes(issuer.jwks())
    return ["--auth-issuer", ISSUER, "--auth-jwks", str(path), "--auth-scope", "trace:read"]


def call(url: str, name: str, bearer: dict[str, str], **arguments: object) -> dict[str, object]:
    answer = post(url, request("tools/call", {"name": name, "arguments": arguments}), bearer)
    assert answer.status == 200, answer.body
    found: dict[str, object] = json.loads(answer.json["result"]["content"][0]["text"])
    return found


def test_the_audience_is_the_address_that_is_listened_on(
    folder: str, keys: list[str], issuer: Issuer
) -> None:
    with serving("--dir", folder, *keys, says=b"") as (url, _):
        bearer = {"Authorization": f"Bearer {issuer.token(aud=url)}"}
        assert call(url, "list_operations", bearer)["runs_scanned"] == 1
        refused = post(url, request("tools/list"))
        origin = url.removesuffix("/mcp")
        metadata = f"{origin}/.well-known/oauth-protected-resource/mcp"
        assert f'resource_metadata="{metadata}"' in refused.fields["www-authenticate"]
        assert send(metadata, method="GET").json["resource"] == url
        large = {"Authorization": "Bearer " + "a" * 40_000}
        assert post(url, request("tools/list"), large).status == 401
        assert call(url, "list_operations", bearer)["runs_scanned"] == 1


def test_behind_a_proxy_the_audience_is_the_public_url(
    folder: str, keys: list[str], issuer: Issuer
) -> None:
    public = "https://trace.example/haia/mcp"
    with serving("--dir", folder, *keys, "--public-url", public) as (url, _):
        origin = url.removesuffix("/mcp")
        bearer = {"Authorization": f"Bearer {issuer.token(aud=public)}"}
        for path in ("/mcp", "/haia/mcp"):  # a proxy may strip a prefix, or leave it
            assert post(origin + path, request("ping"), bearer).status == 200
        own = {"Authorization": f"Bearer {issuer.token(aud=url)}"}
        assert post(url, request("ping"), own).status == 401
        metadata = "/.well-known/oauth-protected-resource"
        refused = post(url, request("ping"))
        place = f'resource_metadata="https://trace.example{metadata}/haia/mcp"'
        assert place in refused.fields["www-authenticate"]
        for path in ("/haia/mcp", "/mcp", ""):
            found = send(origin + metadata + path, method="GET", host="trace.example")
            assert found.json["resource"] == public


def test_a_shared_secret_serves_a_local_issuer(folder: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(SECRET + b"\n")
    path.chmod(0o600)
    words = ["--auth-issuer", "http://localhost:9000", "--auth-hmac-secret", str(path)]
    with serving("--dir", folder, *words, says=b"") as (url, _):
        named = claims(aud=url, iss="http://localhost:9000")
        token = jwt.encode({"alg": "HS256"}, named, OctKey.import_key(SECRET))
        bearer = {"Authorization": f"Bearer {token}"}
        assert call(url, "list_operations", bearer)["runs_scanned"] == 1


def test_nothing_is_ever_asked_of_anybody_else(
    folder: str, keys: list[str], issuer: Issuer
) -> None:
    command = [sys.executable, "-W", "error", "-c", WATCHED]
    with serving("--dir", folder, *keys, command=command, says=b"") as (url, _):
        bearer = {"Authorization": f"Bearer {issuer.token(aud=url)}"}
        call(url, "list_operations", bearer)
        call(url, "get_receipt", bearer, run_id="1000", operation_id="op-1")
        call(url, "explain", bearer, run_id="1000", operation_id="op-1")
        judged = call(url, "check_before_pay", bearer, counterparty=SELLER, amount="0.25")
        assert judged["decision"] == "review"
        call(url, "get_review_status", bearer, review_id=judged["review_id"])
        brought = {"jku": "https://evil.example/keys", "kid": "rsa-1"}
        for token in (issuer.token(aud=url, header=brought), "a.b.c"):
            assert post(url, request("ping"), {"Authorization": f"Bearer {token}"}).status == 401
        send(f"{url.removesuffix('/mcp')}/.well-known/oauth-protected-resource", method="GET")


def test_the_watch_over_the_process_sees_a_way_out() -> None:
    tried = WATCHED.replace(
        'runpy.run_module("haia_trace_mcp", run_name="__main__")',
        'import socket; socket.create_connection(("127.0.0.1", 9))',
    )
    done = subprocess.run([sys.executable, "-c", tried], capture_output=True, timeout=60)
    assert b"OUTBOUND socket.getaddrinfo" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--http", "0.0.0.0:0", "--http-insecure-no-auth"], "--http-allow-remote"),
        (["--http", "127.0.0.1:0"], "--auth-issuer"),
        (
            ["--http", "127.0.0.1:0", "--auth-issuer", ISSUER, "--auth-jwks", "absent.json"],
            '"absent.json": it cannot be read',
        ),
        (["--auth-scope", "x"], "--auth-scope goes with --http"),
    ],
)
def test_what_cannot_be_served_is_said_and_nothing_listens(
    folder: str, words: list[str], told: str
) -> None:
    line = [*SERVER, "--dir", folder, *words]
    done = subprocess.run(
        line, capture_output=True, encoding="utf-8", timeout=60, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_address_that_is_taken_is_said(folder: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        place = f"127.0.0.1:{other.getsockname()[1]}"
        line = [*SERVER, "--dir", folder, "--http", place, "--http-insecure-no-auth"]
        done = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 2
    assert f"cannot listen on {place}" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_the_first_signal_ends_it_even_with_a_client_connected(folder: str) -> None:
    with serving("--dir", folder, "--http-insecure-no-auth") as (url, process):
        parts = urlsplit(url)
        with socket.create_connection((parts.hostname or "", parts.port or 0)) as client:
            client.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
            assert post(url, request("ping")).status == 200
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
