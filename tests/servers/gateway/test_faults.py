"""Faults on request: each does what its line in the help says, and ends when it is turned off."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from gateway_bench import ROUTES, Bench
from starlette.testclient import TestClient

from fairwins_gateway.faults import FAILURES, KINDS, SWITCHES, Faults, UnknownFaultError
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.routes.table import HANDLERS
from fairwins_gateway.settings import Settings
from fairwins_gateway.web.public import public_app

Effect = Callable[[Bench], None]


def client(gateway: Gateway) -> TestClient:
    return TestClient(
        public_app(gateway, HANDLERS), base_url="http://127.0.0.1", follow_redirects=False
    )


def chain_unreadable(bench: Bench) -> None:
    answer = bench.ask("wagers").document
    assert answer["chains"]["137"]["state"] == "unreadable"
    assert "wagers" not in answer["chains"]["137"]
    assert answer["chains"]["63"]["state"] == "read"
    assert answer["partial"] == ["137", "80002"]
    assert bench.ask("status").document["chains"]["137"] == {"rpc": "down"}
    bench.faults.turn_on("chain-unreadable", "63,137")
    assert bench.ask("wagers").document["partial"] == ["137", "63", "80002"]


def cut(bench: Bench) -> None:
    answer = client(bench.gateway).get("/status")
    whole = int(answer.headers["content-length"])
    assert 0 < len(answer.content) < whole


def failure(bench: Bench) -> None:
    bench.faults.turn_on("failure", "upstream_unavailable,news_unconfigured")
    assert bench.ask("fees").code == "upstream_unavailable"
    assert bench.ask("news").code == "news_unconfigured"
    assert bench.ask("status").status == 200


def fees_unreadable(bench: Bench) -> None:
    services = bench.ask("fees").document["services"]
    assert {(each["bps"], each["source"]) for each in services.values()} == {(None, "unreadable")}
    bench.faults.turn_on("fees-unreadable", "earn.lend")
    services = bench.ask("fees").document["services"]
    assert services["earn.lend"] == {"bps": None, "capBps": 250, "source": "unreadable"}
    assert services["polymarket.maker"] == {"bps": 0, "capBps": 50, "source": "chain"}


def flat_error(bench: Bench) -> None:
    answer = client(bench.gateway).get("/v1/perps/pairs")
    assert answer.status_code == 503
    assert answer.json().keys() == {"error", "message"}
    assert answer.json()["error"] == "upstream_unavailable"


def huge(bench: Bench) -> None:
    assert len(client(bench.gateway).get("/status").content) == 5 * 1024 * 1024
    bench.faults.turn_on("huge", "1000")
    assert len(client(bench.gateway).get("/status").json()["filling"]) == 986


def kill_switch(bench: Bench) -> None:
    for switch, code in SWITCHES.items():
        bench.faults.turn_on("kill-switch", switch)
        stopped = {
            route
            for route in ROUTES
            if bench.ask(route).code == code and code in ROUTES[route]["errors"]["503"]
        }
        assert stopped == {r for r, e in ROUTES.items() if code in e["errors"].get("503", ())}
    bench.faults.turn_on("kill-switch", "gateway")
    assert bench.ask("status").document["killSwitch"] is True
    bench.faults.turn_on("kill-switch", "member-api")
    assert bench.ask("status").document["memberApi"]["killSwitch"] is True
    bench.faults.turn_on("kill-switch", "perps")
    assert bench.ask("status").document["perps"]["enabled"] is False
    bench.faults.turn_on("kill-switch")
    assert bench.ask("fees", token=None).status == 401


def membership_not_configured(bench: Bench) -> None:
    assert bench.ask("membership").document["state"] == "not-configured"
    assert bench.ask("me").document["membership"]["state"] == "not-configured"


def membership_unreadable(bench: Bench) -> None:
    assert bench.ask("membership").code == "membership_unreadable"


def news_unreadable(bench: Bench) -> None:
    unreadable = {"state": "unreadable", "reason": "upstream_unreachable"}
    assert bench.ask("news").document == unreadable
    bench.faults.turn_on("news-unreadable", "upstream_error")
    assert bench.ask("news").document["reason"] == "upstream_error"


def non_json(bench: Bench) -> None:
    answer = client(bench.gateway).get("/status")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html")
    with pytest.raises(json.JSONDecodeError):
        answer.json()


def not_an_offer(bench: Bench) -> None:
    for token in ("", None):
        answer = bench.ask("fees", token=token)
        assert (answer.status, answer.code) == (402, "payment_required")
        assert "accepts" not in answer.document
    assert bench.ask("me").status == 200


def offer(bench: Bench) -> None:
    answer = bench.ask("fees")
    assert (answer.status, answer.code) == (402, "payment_required")
    assert len(answer.document["accepts"]) == 1
    assert bench.pay("fees", bench.payment(), token="").status == 200
    assert bench.ask("me").status == 200


def perps_degraded(bench: Bench) -> None:
    answer = bench.ask("pairs").document
    assert answer["sources"]["gmx"] == {"status": "degraded", "stale": False, "chains": []}
    assert {pair["venue"] for pair in answer["pairs"]} == {"gains", "hyperliquid"}
    bench.faults.turn_on("perps-degraded", "hyperliquid")
    assert bench.ask("pairs").document["sources"]["hyperliquid"]["partial"] is True
    bench.faults.turn_on("perps-degraded", "all")
    assert bench.ask("pairs").code == "upstream_failed"


def redirect(bench: Bench) -> None:
    answer = client(bench.gateway).get("/status")
    assert (answer.status_code, answer.headers["location"]) == (307, "https://elsewhere.invalid/")
    bench.faults.turn_on("redirect", "http://127.0.0.1:1/x")
    assert client(bench.gateway).get("/status").headers["location"] == "http://127.0.0.1:1/x"


def slow(bench: Bench) -> None:
    """Only that the answer still comes; how late, a test does not measure."""
    assert client(bench.gateway).get("/status").status_code == 200


# The fault as it is turned on, and what it does.
EFFECTS: dict[str, Effect] = {
    "chain-unreadable": chain_unreadable,
    "cut": cut,
    "failure=upstream_failed": failure,
    "fees-unreadable": fees_unreadable,
    "flat-error": flat_error,
    "huge": huge,
    "kill-switch": kill_switch,
    "membership-not-configured": membership_not_configured,
    "membership-unreadable": membership_unreadable,
    "news-unreadable": news_unreadable,
    "non-json": non_json,
    "not-an-offer": not_an_offer,
    "offer": offer,
    "perps-degraded": perps_degraded,
    "redirect": redirect,
    "slow=1": slow,
}


@pytest.mark.parametrize("fault", EFFECTS)
def test_a_fault_does_what_it_says_and_ends(make_bench: Any, fault: str) -> None:
    bench = make_bench(fault)
    EFFECTS[fault](bench)
    bench.faults.turn_off(fault.partition("=")[0])
    assert bench.faults.current() == {}
    for route in ("fees", "me", "news", "pairs", "status"):
        assert bench.ask(route).status == 200
    assert client(bench.gateway).get("/status").json()["status"] == "ok"


def test_every_fault_is_tried() -> None:
    assert {fault.partition("=")[0] for fault in EFFECTS} == KINDS.keys()


@pytest.mark.parametrize("name", ["", "nothing", "Slow", "chain_unreadable", "slow ", "cut\n"])
def test_an_unknown_fault_is_refused_with_the_list_of_all(name: str) -> None:
    with pytest.raises(UnknownFaultError) as raised:
        Faults([name])
    assert all(known in str(raised.value) for known in KINDS)


@pytest.mark.parametrize(
    "fault",
    [
        "slow",
        "slow=",
        "slow=0",
        "slow=1.5",
        "slow=9999999",
        "slow=１",
        "cut=1",
        "failure",
        "failure=nothing_known",
        "failure=upstream_failed,",
        "kill-switch=everything",
        "chain-unreadable=0137",
        "chain-unreadable=137\n",
        "redirect=javascript:alert(1)",
        "redirect=https://a/\r\nX: y",
        "huge=99",
        "huge=100000000",
        "news-unreadable=none",
        "flat-error=Not A Code",
    ],
)
def test_a_value_that_a_fault_does_not_take_is_refused_with_its_form(fault: str) -> None:
    with pytest.raises(UnknownFaultError, match=re.escape(fault.partition("=")[0])):
        Faults([fault])


def test_the_codes_that_can_be_asked_for_are_those_of_the_contract() -> None:
    listed = {
        (code, int(status))
        for entry in ROUTES.values()
        for status, codes in entry["errors"].items()
        for code in codes
        if int(status) >= 500
    }
    switched = {(code, 503) for code in SWITCHES.values()}
    assert listed == switched | {(code, status) for code, (status, _) in FAILURES.items()}


def test_a_gateway_can_start_with_faults() -> None:
    gateway = Gateway(Settings(), faults=Faults(["non-json"]))
    try:
        assert client(gateway).get("/status").headers["content-type"] == "text/html"
    finally:
        gateway.close()
