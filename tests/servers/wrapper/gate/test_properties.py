"""Whatever is asked for, only what is declared reaches the wire."""

from __future__ import annotations

import os
import re
from typing import Any

import anyio
import httpx2
from hypothesis import example, given, settings
from hypothesis import strategies as st
from recording_network import RecordingNetwork, Sent

from mcp_wrapper_scaffold.allowlist import AllowEntry, Allowlist
from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.gate import Gate
from mcp_wrapper_scaffold.gate.request import judge_request
from mcp_wrapper_scaffold.gate.transport import Transport

# `nox -s fuzz` tries many more.
EXAMPLES = int(os.environ.get("COUNTERFOIL_EXAMPLES", "150"))
trying = settings(max_examples=EXAMPLES, deadline=None)

_ORIGINS = [
    "https://a.test",
    "http://a.test",
    "https://a.test:8443",
    "https://b.a.test",
    "http://127.0.0.1",
    "http://[::1]:8080",
]
_METHODS = ["GET", "HEAD", "POST"]
_SEGMENTS = ["*", "v1", "*:run", "a*b", "x", "a*b*c", ".well-known", "(x)+"]

_ENTRIES: st.SearchStrategy[AllowEntry] = st.builds(
    AllowEntry,
    st.sampled_from(_ORIGINS),
    st.sampled_from(_METHODS),  # type: ignore[arg-type] # they are literals, at run time
    st.lists(st.sampled_from(_SEGMENTS), max_size=3).map(lambda each: "/" + "/".join(each)),
)

# URLs of declared places, with whatever makes them ambiguous put in anywhere.
_WORDS_OF_NOISE = r"""
    / \ @ : :443 :80 ? # . .. /.. /./ // ; ..; [ ] * ** _ ~ u:p@ ü 。
    %2e %2E%2e %2f %5c %00 %252e %0a % %C3%BC %c0%af %20
    evil.test a.test v1 x x:run [::1] 0x7f.1 127.1 2130706433
"""
_NOISE = st.sampled_from([*_WORDS_OF_NOISE.split(), "", "\n", "\t", " ", "\x00", "\x7f", "\u200d"])
_PATHS = st.lists(
    st.sampled_from(["v1", "x", "a1b", "x:run", "abc", ".well-known", "(x)+", ""]), max_size=3
).map(lambda each: "/" + "/".join(each))


@st.composite
def _urls(draw: st.DrawFn) -> str:
    url = draw(st.sampled_from([*_ORIGINS, "HTTPS://A.test", "wss://a.test"])) + draw(_PATHS)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(url)))
        url = url[:place] + draw(_NOISE) + url[place:]
    return url


_WORDS = st.one_of(
    st.sampled_from([*_METHODS, "get", "Post", "PUT", "DELETE", "PO\u017fT", "GET ", ""]),
    st.text(max_size=5),
)


def is_declared(entries: list[AllowEntry], sent: Sent) -> bool:
    """Tell from the bytes on the wire alone, by the rule as it is written down."""
    scheme = "http" if sent.server_name is None else "https"
    (host,) = sent.all("host")
    literal = f"[{sent.host}]" if ":" in sent.host else sent.host
    default = {"http": 80, "https": 443}[scheme]
    assert host == (literal if sent.port == default else f"{literal}:{sent.port}")
    assert sent.server_name in (None, sent.host)
    path = sent.target.partition("?")[0]
    return any(
        entry.origin == f"{scheme}://{host}"
        and entry.method == sent.method
        and re.compile("[^/]*".join(map(re.escape, entry.path_pattern.split("*")))).fullmatch(path)
        for entry in entries
    )


def assert_sound(entries: list[AllowEntry], network: RecordingNetwork, passed: bool) -> None:
    assert len(network.connections) == len(network.sent) == passed
    for sent in network.sent:
        assert is_declared(entries, sent)
        assert sent.all("authorization") == []
        path = sent.target.partition("?")[0]
        assert re.search(r"(^|/)\.{1,2}(;|/|$)|//|\\|[^!-~]", path) is None
        assert re.search(r"(?i)%(2e|2f|5c|00|0a|0d|25[0-9a-f]{2})", path) is None


@trying
@given(entries=st.lists(_ENTRIES, max_size=5), url=_urls(), method=_WORDS)
@example(entries=[AllowEntry("https://a.test", "GET", "/*")], url="https://a.test/v1", method="GET")
@example(
    entries=[AllowEntry("https://a.test", "GET", "/*")],
    url="https://evil.test\\@a.test/v1",
    method="GET",
)
def test_what_reaches_the_wire_is_declared(
    entries: list[AllowEntry], url: str, method: str
) -> None:
    network = RecordingNetwork()
    denials: list[GatedFetchDenied] = []

    async def call() -> bool:
        gate = Gate(entries, network=network)
        try:
            pending = gate.fetch(denials.append)(url, method=method)
        except GatedFetchDenied:
            return False
        await pending
        await gate.aclose()
        return True

    passed = anyio.run(call)
    assert len(denials) == (not passed)
    assert_sound(entries, network, passed)


@trying
@given(entries=st.lists(_ENTRIES, min_size=1, max_size=5), data=st.data())
def test_what_is_declared_and_plain_reaches_the_wire(
    entries: list[AllowEntry], data: st.DataObject
) -> None:
    entry = data.draw(st.sampled_from(entries))
    words = st.text("abz019-_~!$&'(),;=:@", max_size=4).filter(lambda word: word[:1] != ";")
    path = "".join(
        data.draw(words) if piece == "*" else piece
        for piece in re.split(r"(\*)", entry.path_pattern)
    )
    # Nothing between two slashes is an empty segment.
    path = re.sub(r"/(?=/)", "/x", path)
    query = data.draw(st.sampled_from(["", "?", "?a=b", "?u=https://x/../y&z=%2F"]))
    network = RecordingNetwork()

    async def call() -> None:
        gate = Gate(entries, network=network)
        fetch = gate.fetch(lambda denied: None)
        await fetch(entry.origin + path + query, method=entry.method)
        await gate.aclose()

    anyio.run(call)
    assert_sound(entries, network, True)
    assert network.sent[0].target == path + query


@trying
@given(
    entries=st.lists(_ENTRIES, max_size=5),
    url=_urls(),
    method=_WORDS,
    headers=st.lists(
        st.tuples(
            st.sampled_from(["Host", "X-A", "Content-Length", "Connection", "Authorization"]),
            st.sampled_from(["a.test", "evil.test", "0", "x"]),
        ),
        max_size=2,
    ),
)
def test_what_gets_round_the_first_check_is_held_by_the_second(
    entries: list[AllowEntry], url: str, method: str, headers: Any
) -> None:
    network = RecordingNetwork()
    allowlist = Allowlist(entries)
    headers = [line for line in headers if line[0] != "Authorization"]

    async def call() -> bool:
        transport = Transport(
            lambda request: judge_request(allowlist, request),
            max_response_bytes=1000,
            max_connections=1,
            network=network,
        )
        try:
            request = httpx2.Request(method, url, headers=headers)
        except (httpx2.InvalidURL, UnicodeError):
            return False
        try:
            response = await transport.handle_async_request(request)
        except GatedFetchDenied:
            return False
        await response.aclose()
        await transport.aclose()
        return True

    assert_sound(entries, network, anyio.run(call))
