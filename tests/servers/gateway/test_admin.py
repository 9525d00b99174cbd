"""The admin application: faults, and what came lately."""

from __future__ import annotations

from typing import Any

import pytest
from gateway_bench import Bench
from starlette.testclient import TestClient

from fairwins_gateway.faults import KINDS
from fairwins_gateway.routes.table import HANDLERS
from fairwins_gateway.web.admin import admin_app
from fairwins_gateway.web.public import public_app


@pytest.fixture
def desk(bench: Bench) -> TestClient:
    return TestClient(admin_app(bench.gateway), base_url="http://127.0.0.1")


def test_a_fault_is_turned_on_changed_and_turned_off(bench: Bench, desk: TestClient) -> None:
    assert desk.post("/faults", json={"name": "slow", "value": 5}).json()["on"] == {"slow": "5"}
    assert desk.post("/faults", json={"name": "slow", "value": "9"}).json()["on"] == {"slow": "9"}
    assert bench.faults.current() == {"slow": "9"}
    assert desk.delete("/faults/slow").json()["on"] == {}
    assert desk.delete("/faults/slow").status_code == 200


def test_the_list_has_every_fault_with_what_it_does(desk: TestClient) -> None:
    shown = desk.get("/faults").json()
    assert shown["on"] == {}
    assert shown["known"] == {name: kind.summary for name, kind in KINDS.items()}


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_an_unknown_fault_is_refused_with_the_list(desk: TestClient, method: str) -> None:
    path = "/faults" if method == "POST" else "/faults/nothing"
    response = desk.request(method, path, json={"name": "nothing"})
    assert response.status_code == (400 if method == "POST" else 404)
    assert response.json()["error"]["code"] == "unknown_fault"
    assert all(name in response.json()["error"]["reason"] for name in KINDS)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'{"name":1}', b'"slow"'])
def test_a_wish_of_another_form_is_a_bad_request(desk: TestClient, body: bytes) -> None:
    response = desk.post("/faults", content=body)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_request")


def test_a_value_that_is_not_taken_is_refused(desk: TestClient) -> None:
    response = desk.post("/faults", json={"name": "cut", "value": {"a": 1}})
    assert response.json()["error"]["code"] == "unknown_fault"


def test_the_latest_requests_come_first_and_hold_no_token(bench: Bench, desk: TestClient) -> None:
    public = TestClient(public_app(bench.gateway, HANDLERS), base_url="http://127.0.0.1")
    token = bench.token()
    public.get("/status")
    public.get("/v1/member/me", headers={"Authorization": f"Bearer {token}", "X-PAYMENT": "abc=="})
    response = desk.get("/requests")
    latest = response.json()["requests"][0]
    assert (latest["method"], latest["path"], latest["status"]) == ("GET", "/v1/member/me", 200)
    assert latest["payments"] == [{"header": "x-payment", "value": "abc=="}]
    assert "authorization" in latest["headerNames"]
    assert token.split(".")[1] not in response.text
    assert [each["path"] for each in desk.get("/requests?first=1").json()["requests"]] == [
        "/v1/member/me"
    ]


@pytest.mark.parametrize("first", ["0", "1001", "x", "-1", "", "１"])
def test_a_number_of_requests_that_is_none_is_refused(desk: TestClient, first: str) -> None:
    assert desk.get("/requests", params={"first": first}).status_code == 400


def test_admin_calls_are_no_part_of_the_journal_and_no_fault_touches_them(
    bench: Bench, desk: TestClient
) -> None:
    bench.faults.turn_on("non-json")
    bench.faults.turn_on("cut")
    assert desk.get("/faults").json()["on"] == {"non-json": "", "cut": ""}
    assert desk.get("/requests").json()["requests"] == []


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}],
)
def test_pages_in_a_browser_change_nothing(
    bench: Bench, desk: TestClient, headers: dict[str, Any]
) -> None:
    response = desk.post("/faults", content=b'{"name":"cut"}', headers=headers)
    assert response.status_code == 403
    assert bench.faults.current() == {}


def test_the_public_application_has_no_admin_routes(bench: Bench) -> None:
    public = TestClient(public_app(bench.gateway, HANDLERS), base_url="http://127.0.0.1")
    assert public.get("/faults").status_code == 404
    assert public.get("/requests").status_code == 404


def test_what_is_no_admin_route_is_an_envelope(desk: TestClient) -> None:
    assert desk.get("/nothing").json()["error"]["code"] == "not_found"
    assert desk.put("/faults").status_code == 405
