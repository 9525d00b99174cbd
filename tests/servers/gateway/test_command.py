"""The command line, as a person and as a test start it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from gateway_bench import KEY_ID, START, run, serve

from fairwins_gateway import __version__
from fairwins_gateway.faults import KINDS
from fairwins_gateway.seeding.members import ALICE, BOB, PEOPLE

ROOT = Path(__file__).parents[3]
NOW = ("--now", str(START))


def issue(*arguments: str, account: str = ALICE) -> str:
    status, out, err = run("token", "issue", "--account", account, *arguments)
    assert (status, err) == (0, "")
    return out.strip()


def get(url: str, path: str, token: str | None = None, **headers: str) -> tuple[int, Any]:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("GET", path, headers={**bearer, **headers})
        with connection.getresponse() as response:
            return response.status, json.load(response)
    finally:
        connection.close()


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version") == (0, f"fairwins-gateway {__version__}\n", "")


def test_the_help_of_serve_names_every_fault() -> None:
    status, out, err = run("serve", "--help")
    assert (status, err) == (0, "")
    assert all(f"\n  {name}" in out for name in KINDS)
    assert "auth_unverifiable" in out


def test_the_help_of_issue_names_the_people_and_so_does_the_readme() -> None:
    _, out, _ = run("token", "issue", "--help")
    readme = (ROOT / "servers" / "gateway" / "README.md").read_text("utf-8")
    for account, what in PEOPLE.items():
        assert f"{account}  {what}" in out
        assert f"| `{account}` | {what} |" in readme


@pytest.mark.parametrize("arguments", [(), ("token",), ("wallet",), ("dance",)])
def test_a_command_that_is_not_whole_ends_with_status_2(arguments: tuple[str, ...]) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert "usage" in err


def test_it_serves_until_it_is_told_to_stop_and_ends_with_status_0(tmp_path: Path) -> None:
    database = str(tmp_path / "gateway.sqlite")
    token = issue("--database", database)
    with serve("--database", database) as gateway:
        status, profile = get(gateway.url, "/v1/member/me", token)
        assert (status, profile["account"]) == (200, ALICE)
        assert run("token", "revoke", "--database", database, "--key-id", profile["keyId"])[0] == 0
        assert get(gateway.url, "/v1/member/me", token)[1]["error"]["code"] == "token_revoked"
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(20) == 0
        assert gateway.process.stdout is not None
        assert gateway.process.stdout.read() == b""
    assert [path.name for path in tmp_path.iterdir()] == ["gateway.sqlite"]


def test_ctrl_c_ends_it_with_status_0_too() -> None:
    with serve() as gateway:
        gateway.process.send_signal(signal.SIGINT)
        assert gateway.process.wait(20) == 0


def test_nothing_is_said_on_stdout_unless_asked_for() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "fairwins_gateway", "serve", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert reach(port)["status"] == "ok"
        finally:
            process.terminate()
        assert process.stdout is not None
        assert process.stdout.read() == b""
    assert process.returncode == 0


def reach(port: int) -> Any:
    """Ask for the status as soon as somebody listens: there is no line to wait for here."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return get(f"http://127.0.0.1:{port}", "/status")[1]
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise


def test_a_port_that_is_taken_is_named_and_nothing_is_served() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        status, out, err = run("serve", "--port", port)
        assert (status, out) == (2, "")
        assert port in err
        assert "Traceback" not in err
        status, out, err = run("serve", "--port", "0", "--admin-port", port)
        assert (status, out) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--fault", "nothing"), "chain-unreadable, cut, failure"),
        (("--fault", "slow"), "slow=MS"),
        (("--port", "65536"), "no port"),
        (("--port", "-1"), "no port"),
        (("--price", "read"), "read, build, assistant"),
        (("--price", "write=1"), "read, build, assistant"),
        (("--price", "read=1.5"), "base units"),
        (("--now", "tomorrow"), "no time"),
        (("--now", "2026-09-06T22:00:00"), "offset"),
        (("--pay-to", "0x12"), "40 hexadecimal digits"),
        (("--seed", "a b"), "letters, digits"),
        (("--host", "no.such.host.invalid"), "cannot listen"),
        (("--host", "192.0.2.1"), "cannot listen"),
        (("--database", "/nowhere/at/all.sqlite"), "/nowhere/at/all.sqlite"),
    ],
)
def test_wrong_arguments_end_with_status_2_and_a_sentence(
    arguments: tuple[str, ...], sentence: str
) -> None:
    status, out, err = run("serve", *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err


def test_a_stopped_clock_makes_answers_repeat_to_the_byte() -> None:
    found: list[Any] = []
    for _ in range(2):
        with serve("--now", "2026-09-06T22:00:00Z") as gateway:
            found.append([get(gateway.url, path) for path in ("/status", "/v1/perps/pairs")])
    assert found[0] == found[1]
    assert found[0][1][1]["asOf"] == "2026-09-06T22:00:00.000Z"


def test_the_very_bytes_of_a_payment_are_kept_whatever_they_are() -> None:
    odd = b'eyJ4Ijoi//+P"Cz8 ,\xe9\xff=='
    with serve() as gateway:
        parts = urlsplit(gateway.url)
        with socket.create_connection((parts.hostname, parts.port), timeout=20) as client:
            head = f"GET /v1/member/fees HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n"
            client.sendall(head.encode() + b"X-Payment: " + odd + b"\r\n\r\n")
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 402 ")
        (kept,) = gateway.requests()
        assert [each["value"].encode("latin-1") for each in kept["payments"]] == [odd]


def test_the_admin_routes_are_on_their_own_port_only() -> None:
    with serve() as gateway:
        assert get(gateway.url, "/faults")[0] == 404
        assert get(gateway.admin, "/status")[0] == 404
        assert get(gateway.admin, "/faults")[1]["on"] == {}
        assert get(gateway.url, "/status", Host="evil.example")[0] == 403


def test_a_token_is_issued_listed_and_revoked(tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "gateway.sqlite"))
    token = issue("--scopes", "read:wagers,read:fees", "--days", "90", "--label", "desk",
                  "--key-id", KEY_ID, *database, *NOW)  # fmt: skip
    assert token.startswith("fw1.")
    status, out, _ = run("token", "list", *database)
    assert status == 0
    assert json.loads(out) == {
        "keyId": KEY_ID,
        "account": ALICE,
        "scopes": ["read:fees", "read:wagers"],
        "issuedAt": "2026-09-21T14:13:20.000Z",
        "expiresAt": "2026-12-20T14:13:20.000Z",
        "label": "desk",
        "revoked": False,
    }
    assert token not in out
    assert run("token", "revoke", "--key-id", KEY_ID, *database) == (0, "", "")
    assert json.loads(run("token", "list", *database)[1])["revoked"] is True


def test_a_token_of_a_fixed_time_and_key_is_always_the_same() -> None:
    assert issue("--key-id", KEY_ID, *NOW) == issue("--key-id", KEY_ID, *NOW)
    assert issue(*NOW) != issue(*NOW)


def test_a_token_for_nobody_is_issued_with_a_warning() -> None:
    status, out, err = run("token", "issue", "--account", f"0x{'12' * 20}")
    assert (status, out[:4]) == (0, "fw1.")
    assert "no member" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("issue",), "--account"),
        (("issue", "--account", "alice"), "40 hexadecimal digits"),
        (("issue", "--account", ALICE, "--scopes", "read:all"), "read:wagers"),
        (("issue", "--account", ALICE, "--scopes", ","), "read:wagers"),
        (("issue", "--account", ALICE, "--days", "91"), "1 to 90"),
        (("issue", "--account", ALICE, "--days", "0"), "1 to 90"),
        (("issue", "--account", ALICE, "--label", "x" * 121), "120"),
        (("list",), "--database"),
        (("list", "--database", "/nowhere/x.sqlite"), "there is no database"),
        (("revoke", "--key-id", "0x12", "--database", "x"), "64 hexadecimal digits"),
    ],
)
def test_wrong_arguments_for_tokens_are_explained(
    arguments: tuple[str, ...], sentence: str
) -> None:
    status, out, err = run("token", *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err


def test_a_key_that_nobody_knows_is_revoked_when_one_says_whose_it_is(tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "gateway.sqlite"))
    issue(*database)
    status, _, err = run("token", "revoke", "--key-id", KEY_ID, *database)
    assert status == 2
    assert "--account" in err
    assert run("token", "revoke", "--key-id", KEY_ID, "--account", BOB, *database)[0] == 0


def test_the_wallet_pays_an_offer_that_was_saved() -> None:
    with serve() as gateway:
        status, offer = get(gateway.url, "/v1/member/fees")
        assert status == 402
        given = json.dumps(offer).encode()
        status, header, _ = run("wallet", "pay", "--payer", BOB, given=given)
        assert status == 0
        paid = {"X-PAYMENT": header.strip()}
        assert get(gateway.url, "/v1/member/fees", **paid)[0] == 200
        again, refusal = get(gateway.url, "/v1/member/fees", **paid)
        assert (again, refusal["error"]) == (402, "payment_replayed")


def test_the_wallet_says_what_it_cannot_sign() -> None:
    for command in (("pay", "--payer", BOB), ("sign",)):
        for given in (b"", b"[]", b"{}", b'{"accepts":[]}', b'{"typedData":1,"actorField":"x"}'):
            status, out, err = run("wallet", *command, given=given)
            assert (status, out) == (2, "")
            assert "Traceback" not in err


def test_the_wallet_signs_a_revocation() -> None:
    status, out, _ = run("wallet", "revoke", "--account", BOB, "--key-id", KEY_ID, *NOW)
    assert status == 0
    assert json.loads(out)["revocation"] == {"account": BOB, "keyId": KEY_ID, "revokedAt": START}
