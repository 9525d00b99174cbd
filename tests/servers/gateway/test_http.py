"""The public application over HTTP: routing, the guard, limits, the journal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gateway_bench import CLAIM, KEY_ID, ROUTES, Bench, require_lawful
from starlette.testclient import TestClient

from fairwins_gateway.journal import KEPT, list_requests
from fairwins_gateway.routes.table import HANDLERS
from fairwins_gateway.web.guard import MAX_BODY_BYTES
from fairwins_gateway.web.public import public_app

ODD = b"eyJ4Ijoi//+Pz8/IiwgIm9kZCI6ICJDYVNlIn0=="


@pytest.fixture
def client(bench: Bench) -> TestClient:
    return open_client(bench)


def open_client(bench: Bench) -> TestClient:
    app = public_app(bench.gateway, HANDLERS)
    return TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)


def journal(bench: Bench) -> list[dict[str, Any]]:
    return list_requests(bench.gateway.database, KEPT)


REQUESTS: dict[str, str] = {
    "assistantChat": "",
    "buildIntent": "",
    "fees": "",
    "keyStatus": f"?keyId={KEY_ID}",
    "markets": "?q=rain&next=100",
    "me": "",
    "membership": "",
    "news": "?slug=polygon&limit=20",
    "openapi": "",
    "pairs": "",
    "status": "",
    "wagers": "?chainId=137&first=200",
}


@pytest.mark.parametrize("route", sorted(REQUESTS))
def test_a_route_answers_over_http_as_the_contract_says(
    bench: Bench, client: TestClient, route: str
) -> None:
    entry = ROUTES[route]
    path = entry["path"].replace("{chainId}", "137").replace("{asset}", "native")
    body = {"buildIntent": CLAIM, "assistantChat": {"messages": [{"role": "user", "content": "x"}]}}
    response = client.request(
        entry["method"],
        path + REQUESTS[route],
        headers={"Authorization": f"Bearer {bench.token()}"},
        json=body.get(route),
    )
    assert response.status_code == 200
    require_lawful(route, 200, response.json())
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["content-type"] == "application/json"
    assert "sandbox" in response.headers["server"]


def test_the_document_is_served_byte_for_byte(bench: Bench, client: TestClient) -> None:
    assert client.get("/v1/member/openapi.json").content == bench.gateway.document


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/member", "/status/", "/STATUS", "//status"])
def test_what_is_no_route_is_not_found(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_a_route_takes_its_own_method_only(client: TestClient, method: str) -> None:
    response = client.request(method, "/v1/member/fees")
    assert (response.status_code, response.headers["allow"]) == (405, "GET")
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize(
    "path",
    [
        "/v1/news/%2e%2e/native?slug=a",
        "/v1/news/137/%2e%2e?slug=a",
        "/v1/news/137/0xABCDEF0000000000000000000000000000000000?slug=a",
        "/v1/news/0137/native?slug=a",
        "/v1/news/137%0A/native?slug=a",
        "/v1/news/137/native?slug=a%0A",
        "/v1/news/137/native?slug=a/b",
        "/v1/news/137/native?slug=",
        "/v1/news/137/native?limit=8",
        "/v1/news/137/native?slug=a&slug=b",
        "/v1/news/137/native?slug=a&limit=0",
        "/v1/news/137/native?slug=a&limit=21",
        "/v1/news/137/native?slug=a&limit=08",
        "/v1/news/137/native?slug=a&limit=8.0",
        "/v1/news/137/native?slug=a&limit=٨",
    ],
)
def test_parameters_are_held_to_the_patterns_of_the_document(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 400
    require_lawful("news", 400, response.json())


@pytest.mark.parametrize("path", ["/v1/news/137%2Fnative/native?slug=a", "/v1/polymarket//markets"])
def test_a_hidden_slash_makes_another_path_which_is_no_route(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "query", ["chainId=999", "first=0", "first=201", "first=1&first=2", "chainId="]
)
def test_a_wrong_query_is_a_bad_request(bench: Bench, client: TestClient, query: str) -> None:
    headers = {"Authorization": f"Bearer {bench.token()}"}
    response = client.get(f"/v1/member/wagers?{query}", headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_request")


def test_names_that_the_document_does_not_know_are_ignored(client: TestClient) -> None:
    assert client.get("/status?verbose=1&verbose=2").status_code == 200


def test_a_query_that_is_not_in_utf_8_is_a_bad_request(client: TestClient) -> None:
    assert client.get("/v1/polymarket/137/markets?q=%ff%fe").status_code == 400


BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe",
    b'{"action":"a","action":"b","chainId":137}',
    b'{"action":"claimPayout","chainId":NaN}',
    b'{"action":"claimPayout","chainId":1e999}',
    b'{"action":"claimPayout","chainId":' + b"9" * 5000 + b"}",
    b'{"action":"claimPayout","chainId":"137"}',
    b'{"action":"claimPayout","chainId":137,"extra":1}',
    b'{"action":"claimPayout","chainId":137,"params":{"wagerId":"\\ud800"}}',
    b'{"action":"claimPayout\\n","chainId":137}',
    b'{"params":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_body_of_another_form_is_a_bad_request(
    bench: Bench, client: TestClient, body: bytes
) -> None:
    headers = {"Authorization": f"Bearer {bench.token()}"}
    response = client.post("/v1/member/intents/build", headers=headers, content=body)
    assert response.status_code == 400
    require_lawful("buildIntent", 400, response.json())
    assert len(response.json()["error"]["reason"]) < 300


def test_a_body_has_a_limit(bench: Bench, client: TestClient) -> None:
    response = client.post("/v1/intents", content=b" " * (MAX_BODY_BYTES + 1))
    assert (response.status_code, response.json()["error"]["code"]) == (413, "too_large")
    assert client.post("/v1/intents", content=b" " * MAX_BODY_BYTES).status_code == 400
    assert [entry["status"] for entry in journal(bench)] == [400, 413]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8780", "[::1]", "[::1]:9"])
def test_loopback_names_are_served(client: TestClient, host: str) -> None:
    assert client.get("/status", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.", "127.0.0.2", "[::2]:80", ""]
)
def test_other_names_are_denied(client: TestClient, host: str) -> None:
    response = client.get("/status", headers={"Host": host})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "origin_denied")


def test_a_name_can_be_allowed_or_all_of_them(make_bench: Any) -> None:
    named = open_client(make_bench(hosts=frozenset({"gateway.test"})))
    assert named.get("/status", headers={"Host": "gateway.test:80"}).status_code == 200
    assert named.get("/status", headers={"Host": "127.0.0.1"}).status_code == 403
    every = open_client(make_bench(hosts=frozenset()))
    assert every.get("/status", headers={"Host": "any.example"}).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200),
        ("https://127.0.0.1", 200),
        ("http://[::1]:80", 200),
        ("null", 403),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://localhost@evil.example", 403),
        ("http://localhost/path", 403),
        ("http://localhost, http://localhost", 403),
        ("file://localhost", 403),
        ("http://[", 403),
        ("", 403),
    ],
)
def test_pages_are_answered_from_loopback_only(
    client: TestClient, origin: str, status: int
) -> None:
    assert client.get("/status", headers={"Origin": origin}).status_code == status


def test_the_edge_can_be_made_a_must(make_bench: Any) -> None:
    client = open_client(make_bench(origin_auth="s3cret"))
    assert client.get("/status").json()["error"]["code"] == "origin_denied"
    assert client.get("/status", headers={"X-Origin-Auth": "guess"}).status_code == 403
    assert client.get("/status", headers={"X-Origin-Auth": "s3cret"}).status_code == 200


def test_a_refusal_of_quota_carries_retry_after_over_http(bench: Bench, client: TestClient) -> None:
    for _ in range(240):
        bench.ask("status")
    response = client.get("/status")
    assert (response.status_code, response.headers["retry-after"]) == (429, "60")


def test_the_journal_has_the_very_bytes_of_payments(bench: Bench, client: TestClient) -> None:
    client.get("/v1/member/fees", headers={"X-PAYMENT": ODD.decode()})
    client.get("/status", headers={"PAYMENT-SIGNATURE": 'od D,"='})
    second, first = journal(bench)
    assert first["payments"] == [{"header": "x-payment", "value": ODD.decode()}]
    assert second["payments"] == [{"header": "payment-signature", "value": 'od D,"='}]
    kept = bench.gateway.database.rows("SELECT value FROM payments ORDER BY request")
    assert [row["value"] for row in kept] == [ODD, b'od D,"=']
    assert (first["status"], first["path"]) == (402, "/v1/member/fees")
    assert "x-payment" in first["headerNames"]


def test_the_journal_has_the_receipt_as_it_was_sent(bench: Bench, client: TestClient) -> None:
    header = bench.wallet.pay(bench.ask("fees", token=None).document, f"0x{'0b' * 20}", "cd" * 32)
    response = client.get("/v1/member/fees", headers={"X-PAYMENT": header})
    assert response.status_code == 200
    assert journal(bench)[0]["receipt"] == response.headers["x-payment-response"]


def test_no_token_is_kept_anywhere(make_bench: Any, tmp_path: Path) -> None:
    bench = make_bench(database=tmp_path / "gateway.sqlite")
    token = bench.token()
    client = open_client(bench)
    client.get("/v1/member/me", headers={"Authorization": f"Bearer {token}"})
    client.get(f"/v1/member/{token}")
    client.get(f"/status?token={token}")
    client.get("/v1/member/me", headers={"Authorization": f"Bearer {token}x"})
    paths = [entry["path"] for entry in journal(bench)]
    assert paths == ["/v1/member/me", "/status", "/v1/member/fw1.(removed)", "/v1/member/me"]
    bench.close()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for part in token.split(".")[1:]:
        assert part.encode() not in written
    assert token not in repr(bench.gateway) + repr(bench.settings)


def test_the_journal_forgets_what_is_older_than_a_thousand_requests(
    bench: Bench, client: TestClient
) -> None:
    with bench.gateway.database.transaction() as connection:
        connection.execute(
            "INSERT INTO requests VALUES (2000, 'x', 'GET', '/old', '[]', 200, NULL)"
        )
        connection.execute("INSERT INTO payments VALUES (2000, 0, 'x-payment', x'00')")
        connection.execute(
            "INSERT INTO requests VALUES (2999, 'x', 'GET', '/new', '[]', 200, NULL)"
        )
    client.get("/status")
    assert [entry["path"] for entry in journal(bench)] == ["/status", "/new"]
    assert bench.gateway.database.rows("SELECT * FROM payments") == []


def test_a_bug_is_an_envelope_and_an_exception_for_the_log(bench: Bench) -> None:
    def fail(call: Any) -> Any:
        raise ZeroDivisionError

    app = public_app(bench.gateway, {**HANDLERS, "status": fail})
    client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    response = client.get("/status")
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal_error")
    assert "ZeroDivision" not in response.text
    with pytest.raises(ZeroDivisionError):
        TestClient(app, base_url="http://127.0.0.1").get("/status")
    assert json.loads(response.content).keys() == {"error"}
