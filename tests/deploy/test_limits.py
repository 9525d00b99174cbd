"""What a proxy bounds, and that it agrees with what the servers bound and what tools do."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path

import proxies
import pytest
from deployment import Deployed, Pair
from proxies import GUIDE, Haproxy, Nginx, Site
from public_client import PublicClient, dial, read_to_end
from rpc_post import LATEST, request

from fairwins_mcp.http.limits import Limits as FairwinsLimits
from haia_trace_mcp.http.bodies import BODY_BYTES, BODY_SECONDS
from haia_trace_mcp.http.serving import CONNECTIONS
from mcp_wrapper_scaffold.limits import Limits as WrapperLimits

ROOT = Path(__file__).parents[2]
BODIES = {
    "fairwins": FairwinsLimits().body_bytes,
    "lemonsqueezy": WrapperLimits().request_bytes,
    "receipts": BODY_BYTES,
}
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20}


def padded(size: int) -> bytes:
    """Return a request of so many bytes."""
    body = json.dumps(request("ping")).encode()
    return body + b" " * (size - len(body))


def test_the_largest_body_goes_through_and_one_byte_more_does_not(
    proxy: Nginx | Haproxy, pair: Pair, client: PublicClient
) -> None:
    assert client.post(padded(BODIES[pair.server])).status == 200
    before = proxy.passed(pair.server)
    # The answer comes before the whole body has been sent.
    announced = {"Content-Length": str(BODIES[pair.server] + 1)}
    assert client.post(padded(80_000), announced).status == 413
    client.close()
    assert proxy.passed(pair.server) == before


def test_a_long_token_and_a_payment_go_through(pair: Pair, client: PublicClient) -> None:
    fields = {"X-PAYMENT": "e" * 12_000, "X-Other": "o" * 8_000}
    assert client.post(request("ping"), fields).status == 200


@pytest.fixture(scope="module", params=["nginx", "haproxy"])
def hasty(request: pytest.FixtureRequest, deployed: Deployed) -> Generator[Nginx | Haproxy]:
    """Run a proxy that waits for a second where the guide's waits for ten or twenty."""
    changes = {
        "nginx": {
            "client_header_timeout       10s": "client_header_timeout 1s",
            "client_body_timeout         20s": "client_body_timeout 1s",
        },
        "haproxy": {"timeout http-request 10s": "timeout http-request 1s"},
    }
    with proxies.running(request.param, Site(deployed.ports, changes)) as running:
        yield running


HEAD = b"POST /mcp HTTP/1.1\r\nHost: lemonsqueezy.example.com\r\n"
BEGINNINGS = {
    "nothing": b"",
    "a line": b"POST /mcp HTTP/1.1\r\n",
    "a field": HEAD,
    "a bit of a body": HEAD + b"Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{",
}


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_request_that_does_not_come_is_not_waited_for(
    hasty: Nginx | Haproxy, deployed: Deployed, beginning: str
) -> None:
    """The servers on uvicorn have no bound for the head, so it is the proxy's."""
    pair = deployed.pairs["lemonsqueezy"]
    before = hasty.passed(pair.server)
    with dial(hasty, pair.host) as connection:
        connection.sendall(BEGINNINGS[beginning])
        said = read_to_end(connection)
    assert said == b"" or b" 408 " in said.splitlines()[0]
    assert hasty.passed(pair.server) == before


def test_the_files_bound_what_the_servers_bound() -> None:
    nginx = (GUIDE / "nginx/mcp.conf").read_text("utf-8")
    haproxy = (GUIDE / "haproxy.cfg").read_text("utf-8")
    for server, size in BODIES.items():
        [block] = re.findall(rf"server_name {server}\.example\.com;.*?\n}}", nginx, re.DOTALL)
        for name in ("client_max_body_size", "client_body_buffer_size"):
            [(number, unit)] = re.findall(rf"\b{name} +(\d+)([km]?);", block)
            assert int(number) * UNITS[unit] == size
        assert seconds(block, "client_body_timeout") == 20
        assert seconds(block, "client_header_timeout") == FairwinsLimits().head_seconds
        for backend in (server, f"{server}-once"):
            [block] = re.findall(rf"^backend {backend}\n(?:    .*\n)+", haproxy, re.MULTILINE)
            assert f"req.body_size gt {size} " in block
    assert BODY_SECONDS == WrapperLimits().request_seconds == FairwinsLimits().body_seconds == 20


def test_the_proxies_wait_longer_than_the_servers_and_keep_connections_shorter() -> None:
    nginx = (GUIDE / "nginx/mcp.conf").read_text("utf-8")
    haproxy = (GUIDE / "haproxy.cfg").read_text("utf-8")
    # A call of ga4-mcp exchanges a token and then asks; each may take this long.
    longest = 2 * WrapperLimits().fetch_seconds
    assert {seconds(block, "proxy_read_timeout") for block in nginx.split("\nserver {")[1:]} == {75}
    assert seconds(haproxy, "timeout server") == 75 > longest
    kept = re.findall(r"upstream (\w+) \{[^}]*keepalive_timeout (\d+)s;", nginx)
    assert dict(kept) == {"fairwins": "60", "lemonsqueezy": "4", "receipts": "4"}
    assert int(dict(kept)["fairwins"]) < FairwinsLimits().idle_seconds
    # A process is in two lists: what may be sent twice goes by one, and the rest by the other.
    numbers = re.findall(r"max_conns=(\d+)", nginx) + re.findall(r"maxconn (\d+)", haproxy)
    assert len(numbers) == len(re.findall(r"^    server 127", nginx, re.MULTILINE)) + 1
    assert 2 * max(map(int, numbers)) < min(FairwinsLimits().connections, CONNECTIONS)


def seconds(text: str, name: str) -> float:
    """Return the one value of a directive."""
    [found] = set(re.findall(rf"\b{name} +(\d+)s", text))
    return float(found)


def test_the_files_name_every_tool_that_does_more_than_read() -> None:
    contract = json.loads((ROOT / "contract/contract.json").read_bytes())
    writing = {
        tool["name"]
        for server in contract["servers"].values()
        for tool in server["tools"]
        if not tool["annotations"]["readOnlyHint"]
    }
    nginx = (GUIDE / "nginx/mcp.conf").read_text("utf-8")
    [listed] = re.findall(r"tools/call \(\?!\(\?:([a-z_|]+)\)\$\)", nginx)
    assert set(listed.split("|")) == writing
    haproxy = (GUIDE / "haproxy.cfg").read_text("utf-8")
    [listed] = re.findall(r"acl writes +req\.hdr\(mcp-name\) -m str (.*)", haproxy)
    assert set(listed.split()) == writing


@pytest.mark.parametrize(
    ("fields", "is_once"),
    [
        ({"Mcp-Method": "tools/list"}, False),
        ({"Mcp-Method": "tools/call", "Mcp-Name": "get_fees"}, False),
        ({"Mcp-Method": "tools/call", "Mcp-Name": "build_intent"}, True),
        ({"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?YnVpbGRfaW50ZW50?="}, True),
        ({"Mcp-Method": "tools/call"}, True),
        ({"Mcp-Method": "tools/list", "PAYMENT-SIGNATURE": "e30="}, True),
        ({"Mcp-Method": "tools/list", "X-PAYMENT": "e30="}, True),
        ({"Mcp-Method": "tools/list", "MCP-Protocol-Version": "2025-11-25"}, True),
        ({}, True),
    ],
)
def test_only_what_says_that_it_reads_may_be_sent_twice(
    proxy: Nginx | Haproxy, deployed: Deployed, fields: dict[str, str], is_once: bool
) -> None:
    pair = deployed.pairs["fairwins"]
    client = PublicClient(proxy, pair.host)
    proxy.forget_lines()
    client.send("POST", "/mcp", b"{}", {"MCP-Protocol-Version": LATEST, **fields})
    client.close()
    line = proxy.find_line(pair.host)
    assert ("/mcp-once" in line or "fairwins-once/" in line) is is_once
