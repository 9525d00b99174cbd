"""Which URLs pass, and what is sent for them."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPMethod
from typing import Any

import hostile_vectors
import pytest
from gate_rows import ALLOWED, REFUSED

from mcp_wrapper_scaffold.errors import DENIALS, GatedFetchDenied

pytestmark = pytest.mark.anyio


def short(text: str) -> str:
    return ascii(text)[1:-1][:70]


@pytest.mark.parametrize(("url", "method", "code"), REFUSED, ids=short)
def test_a_url_that_is_not_declared_is_refused_at_the_call(
    recorded: Any, url: str, method: str, code: str
) -> None:
    assert recorded.denial(url, method=method).code == code


@pytest.mark.parametrize(("url", "method", "wire"), ALLOWED, ids=lambda each: short(str(each)))
async def test_a_declared_url_is_sent_as_it_was_judged(
    recording: Callable[..., Any], url: str, method: str, wire: tuple[str, str, int, str]
) -> None:
    async with recording() as recorded:
        response = await recorded.fetch(url, method=method)
    assert response.status == 200
    (sent,) = recorded.network.sent
    assert (sent.target, sent.host, sent.port) == wire[:3]
    assert sent.all("host") == [wire[3]]
    assert sent.method == method.upper()
    assert sent.all("authorization") == []
    assert sent.server_name == (wire[1] if url.lower().startswith("https") else None)


@pytest.mark.parametrize("row", hostile_vectors.rows("cases"))
async def test_the_recorded_urls_are_decided_as_recorded(
    recording: Callable[..., Any], row: dict[str, Any]
) -> None:
    url, method = hostile_vectors.url_of(row), row["method"]
    async with recording(hostile_vectors.allowlist()) as recorded:
        if row["verdict"] == "deny":
            denied = recorded.denial(url, method=method)
            assert denied.code == row["code"]
            assert str(denied).isprintable()
            return
        await recorded.fetch(url, method=method)
    (sent,) = recorded.network.sent
    host, _, port = row["wire"]["connect"].rpartition(":")
    assert (sent.host, sent.port) == (host, int(port))
    assert recorded.network.connections == [(host, int(port))]
    assert sent.target == row["wire"]["target"]
    assert sent.method == row["wire"]["method"]
    assert sent.server_name == (host if url.lower().startswith("https") else None)
    bracketed = f"[{host}]" if ":" in host else host
    default = {"https": "443", "http": "80"}[url.partition(":")[0].lower()]
    assert sent.all("host") == [bracketed if port == default else f"{bracketed}:{port}"]
    assert sent.all("authorization") == []


def test_every_recorded_code_is_one_of_ours() -> None:
    codes = set(hostile_vectors.load()["codes"])
    assert codes - set(DENIALS) == {"ok"}


@pytest.mark.parametrize("url", [None, b"https://shop.test/v1/x", 7, ["https://shop.test/v1/x"]])
def test_a_url_that_is_no_text_is_refused(recorded: Any, url: Any) -> None:
    assert recorded.denial(url).code == "not_absolute_http"


@pytest.mark.parametrize("method", [None, b"GET", 7])
def test_a_method_that_is_no_text_is_refused(recorded: Any, method: Any) -> None:
    assert recorded.denial("https://shop.test/v1/x", method=method).code == "method"


async def test_a_member_of_an_enumeration_is_text(recording: Callable[..., Any]) -> None:
    async with recording() as recorded:
        await recorded.fetch("https://shop.test/v1/x", method=HTTPMethod.GET)
    assert recorded.network.sent[0].method == "GET"


class Deceitful(str):
    """Text that looks like another to whoever asks it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("https://shop.test/v1/x")

    def __str__(self) -> str:
        return "https://shop.test/v1/x"

    def __len__(self) -> int:
        return 1

    def upper(self) -> str:
        return "GET"

    def encode(self, *args: Any, **options: Any) -> bytes:
        return b"https://shop.test/v1/x"


def test_text_with_methods_of_its_own_is_judged_by_what_it_holds(recorded: Any) -> None:
    with pytest.raises(GatedFetchDenied) as caught:
        recorded.fetch(Deceitful("https://evil.test/v1/x"))
    assert (caught.value.code, caught.value.origin) == ("origin", "https://evil.test")
    with pytest.raises(GatedFetchDenied) as caught:
        recorded.fetch("https://shop.test/v1/x", method=Deceitful("DELETE"))
    assert (caught.value.code, caught.value.method) == ("method", "DELETE")
    with pytest.raises(GatedFetchDenied) as caught:
        recorded.fetch("https://shop.test/v1/x", headers={Deceitful("Host"): "evil.test"})
    assert caught.value.code == "header"
    assert recorded.network.connections == []


def test_the_first_reason_in_the_order_of_the_checks_is_told(recorded: Any) -> None:
    everything = {
        "url": "ftp://user@evil.test\\/../" + "x" * 9000,
        "method": "DELETE",
        "headers": {"Host": "x"},
        "params": {},
    }
    codes = []
    for name, cure in [
        ("params", None),
        ("headers", {}),
        ("method", "GET"),
        ("url", "ftp://user@evil.test\\/../"),
        ("url", "ftp://user@evil%2etest/../[x]"),
        ("url", "https://user@evil%2etest/../[x]"),
        ("url", "https://evil%2etest:x/../[x]"),
        ("url", "https://evil.test:x/../[x]"),
        ("url", "https://1.2.3.256/../[x]"),
        ("url", "https://1.2.3.256/../x"),
        ("url", "https://1.2.3.256/x"),
        ("url", "https://1.2.3.255/x"),
        ("url", "https://shop.test/x"),
        ("url", "https://shop.test/reports/a:run"),
    ]:
        with pytest.raises(GatedFetchDenied) as caught:
            recorded.fetch(**everything)
        codes.append(caught.value.code)
        if cure is None:
            del everything[name]
        else:
            everything[name] = cure
    assert codes == [
        "extensions",
        "header",
        "method",
        "too_long",
        "bad_characters",
        "not_absolute_http",
        "userinfo",
        "bad_characters",
        "bad_authority",
        "bad_characters",
        "ambiguous_path",
        "unparsable",
        "origin",
        "path",
    ]
    with pytest.raises(GatedFetchDenied) as caught:
        recorded.fetch(**everything)
    assert caught.value.code == "method"
