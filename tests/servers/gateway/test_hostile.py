"""Whatever comes, the gateway answers, and as the contract says."""

from __future__ import annotations

import base64
import json
from collections.abc import Generator
from typing import Any

import pytest
from gateway_bench import CLAIM, ROUTES, Bench, encode
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairwins_gateway.seeding.members import ALICE

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)
often = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def shared() -> Generator[Bench]:
    """Return one bench for all examples, with time to open new windows of the quotas."""
    bench = Bench()
    yield bench
    bench.close()


def part(document: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(document).encode()).rstrip(b"=").decode()


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value inside a document."""
    if not isinstance(document, dict):
        return [path]
    return [path] + [p for name, value in document.items() for p in places(value, (*path, name))]


def same(one: Any, other: Any) -> bool:
    """Tell whether two documents are the same to the letter: 1.0 and true are not 1."""
    return json.dumps(one) == json.dumps(other)


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    return {**document, path[0]: replaced(document[path[0]], path[1:], value)}


@often
@given(raw=st.binary(max_size=60))
def test_any_bytes_for_a_token_are_a_refusal(shared: Bench, raw: bytes) -> None:
    shared.now += 1
    for value in (raw, b"Bearer " + raw, b"Bearer fw1." + raw):
        answer = shared.ask("me", token=None, headers=[("authorization", value)])
        assert answer.code == "invalid_token"


@often
@given(data=st.data(), value=JSON)
def test_any_value_inside_a_grant_is_a_refusal(shared: Bench, data: Any, value: Any) -> None:
    shared.now += 1
    head, grant, signature = shared.token().split(".")
    members = json.loads(base64.urlsafe_b64decode(grant + "=="))
    changed = replaced(members, data.draw(st.sampled_from(places(members))), value)
    answer = shared.ask("me", token=f"{head}.{part(changed)}.{signature}")
    assert answer.status == (200 if same(changed, members) else 401)


@often
@given(raw=st.binary(max_size=60))
def test_any_bytes_for_a_payment_are_malformed(shared: Bench, raw: bytes) -> None:
    shared.now += 1
    for value in (raw, base64.b64encode(raw)):
        answer = shared.pay("fees", value)
        assert answer.code in ("payment_malformed", "payment_version_unsupported")


@often
@given(data=st.data(), value=JSON)
def test_any_value_inside_a_payment_is_a_refusal_or_makes_no_difference(
    shared: Bench, data: Any, value: Any
) -> None:
    shared.now += 61
    payment = shared.payment()
    place = data.draw(st.sampled_from(places(payment)))
    changed = replaced(payment, place, value)
    answer = shared.pay("fees", encode(changed))
    beside = place[:1] == ("resource",) or place[:2] in (
        ("accepted", "maxTimeoutSeconds"),
        ("accepted", "extra"),
    )
    assert answer.status == (200 if beside or same(changed, payment) else 402)


@often
@given(data=st.data(), value=JSON)
def test_any_value_inside_a_body_is_answered(shared: Bench, data: Any, value: Any) -> None:
    shared.now += 61
    wish = shared.wallet.revoke(ALICE, f"0x{'99' * 32}")
    for route, body in (("buildIntent", CLAIM), ("relaySubmit", CLAIM), ("revoke", wish)):
        changed = replaced(body, data.draw(st.sampled_from(places(body))), value)
        assert shared.ask(route, body=changed).status in (200, 400, 401)


@often
@given(text=st.text(max_size=40), name=st.sampled_from(["chainId", "first", "keyId", "q", "next"]))
def test_any_text_in_a_query_is_answered(shared: Bench, text: str, name: str) -> None:
    shared.now += 61
    for route in ("wagers", "keyStatus", "markets"):
        answer = shared.ask(route, query=[(name, text)])
        assert str(answer.status) in ("200", *ROUTES[route]["errors"])
