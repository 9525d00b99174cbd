"""Who gets through, by the public name, and what the proxy adds for pages."""

from __future__ import annotations

import json
from collections.abc import Generator

import pytest
from deployment import PAGE, Deployed, Pair
from proxies import GUIDE, HOSTS, Haproxy, Nginx
from public_client import PublicClient
from rpc_post import LATEST, request, send

EVIL = "https://evil.example"
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type,mcp-method,mcp-name",
}


@pytest.fixture
def nobody(proxy: Nginx | Haproxy, pair: Pair) -> Generator[PublicClient]:
    """Return a client without a token."""
    made = PublicClient(proxy, pair.host)
    yield made
    made.close()


def test_a_process_is_called_by_its_public_name_and_no_other(
    proxy: Nginx | Haproxy, pair: Pair, client: PublicClient
) -> None:
    assert client.ask(LATEST, "tools/list").status == 200
    before = proxy.passed(pair.server)
    answer = client.post(request("ping"), {"Host": "other.example.com"})
    assert answer.status == 421
    # Past the proxy, as from another program of the machine that was made to.
    url = f"http://127.0.0.1:{pair.processes[0].port}/mcp"
    body = json.dumps(request("ping")).encode()
    fields = [*pair.bearer.items(), ("Content-Type", "application/json")]
    assert send(url, body, fields, host="other.example.com").status == 421
    assert send(url, body, fields, host=pair.host).status == 200
    if isinstance(proxy, Haproxy):
        assert proxy.passed(pair.server) == before


def test_fields_of_other_proxies_change_nothing(pair: Pair, client: PublicClient) -> None:
    """Whoever is far away could send them; the servers read none of them."""
    plain = client.ask(LATEST, "tools/list")
    claimed = {
        "Forwarded": "for=127.0.0.1;host=localhost;proto=http",
        "X-Forwarded-For": "127.0.0.1",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "http",
        "X-Real-IP": "127.0.0.1",
    }
    found = client.post(request("tools/list"), {**claimed, "MCP-Protocol-Version": "2025-11-25"})
    assert found.status == 200
    listed = [tool["name"] for tool in found.json["result"]["tools"]]
    assert listed == [tool["name"] for tool in plain.json["result"]["tools"]]
    refused = client.post(request("ping"), {**claimed, "Host": "evil.example"})
    assert refused.status == 421
    assert pair.host not in refused.body.decode()


def test_no_token_opens_nothing(pair: Pair, nobody: PublicClient) -> None:
    answer = nobody.call(LATEST, *pair.reading)
    if pair.server == "fairwins":  # whose callers bring a token where a tool needs one
        assert answer.status == 200
        assert nobody.call(LATEST, "get_membership", {}).json["result"]["isError"]
    else:
        assert answer.status == 401
        assert answer.fields["www-authenticate"].startswith("Bearer")


def test_a_page_of_the_list_may_ask_and_read(
    proxy: Nginx | Haproxy, pair: Pair, client: PublicClient, nobody: PublicClient
) -> None:
    before = proxy.passed(pair.server)
    asked = nobody.send("OPTIONS", "/mcp", fields={"Origin": PAGE, **PREFLIGHT})
    assert proxy.passed(pair.server) == before
    assert asked.status == 204
    assert asked.fields["access-control-allow-origin"] == PAGE
    assert asked.fields["access-control-allow-methods"] == "POST"
    allowed = asked.fields["access-control-allow-headers"].lower().split(", ")
    assert {"authorization", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name",
            "x-payment", "payment-signature"} == set(allowed)  # fmt: skip
    assert "access-control-allow-credentials" not in asked.fields
    for caller, status in ((client, 200), (nobody, 200 if pair.server == "fairwins" else 401)):
        answer = caller.post(request("ping"), {"Origin": PAGE})
        assert answer.status == status
        assert answer.fields["access-control-allow-origin"] == PAGE
        assert "origin" in answer.fields["vary"].lower()
        assert "WWW-Authenticate" in answer.fields["access-control-expose-headers"]
    # The same, of a request that goes the other way, to be sent once.
    assert client.call("2025-06-18", *pair.reading).status == 200


def test_a_page_of_another_origin_may_neither(
    pair: Pair, client: PublicClient, nobody: PublicClient
) -> None:
    asked = nobody.send("OPTIONS", "/mcp", fields={"Origin": EVIL, **PREFLIGHT})
    assert asked.status in (401, 403, 405)
    assert "access-control-allow-origin" not in asked.fields
    for origin in (EVIL, "null", PAGE + ":8443", PAGE.replace("https", "http")):
        answer = client.post(request("ping"), {"Origin": origin})
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.fields


def test_only_the_three_paths_lead_to_a_process(
    proxy: Nginx | Haproxy, pair: Pair, client: PublicClient
) -> None:
    health = client.send("GET", "/healthz")
    assert (health.status, health.json) == (200, {"status": "ok"})
    before = proxy.passed(pair.server)
    for path in ("/", "/metrics", "/mcp/", "/mcp-once", "/healthz/x", "/sse"):
        assert client.send("GET", path).status == 404, path
    assert proxy.passed(pair.server) == before


def test_tokens_are_for_the_public_url(proxy: Nginx | Haproxy, deployed: Deployed) -> None:
    pair = deployed.pairs["receipts"]
    url = f"https://{pair.host}/mcp"
    nobody = PublicClient(proxy, pair.host)
    refused = nobody.ask(LATEST, "tools/list")
    place = f"https://{pair.host}/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{place}"' in refused.fields["www-authenticate"]
    for path in ("/mcp", ""):
        told = nobody.send(
            "GET", f"/.well-known/oauth-protected-resource{path}", fields={"Origin": EVIL}
        )
        assert told.json["resource"] == url
        assert told.fields["access-control-allow-origin"] == "*"
    nobody.close()
    issuer = deployed.receipts.issuer
    for process in pair.processes:
        own = issuer.token(aud=f"http://127.0.0.1:{process.port}/mcp")
        client = PublicClient(proxy, pair.host, {"Authorization": f"Bearer {own}"})
        assert client.ask(LATEST, "tools/list").status == 401
        client.close()


def test_a_log_line_says_who_was_asked_and_no_secret(
    proxy: Nginx | Haproxy, pair: Pair, client: PublicClient
) -> None:
    proxy.forget_lines()
    fields = {"Mcp-Method": "marked/query", "X-PAYMENT": "hidden", "Cookie": "hidden"}
    client.send("POST", "/mcp?token=hidden", b"{}", fields)
    assert client.call(LATEST, *pair.reading).status == 200
    for text in ("marked/query", pair.reading[0]):
        line = proxy.find_line(text)
        assert HOSTS[pair.server] in line
        assert "hidden" not in line
        assert pair.bearer["Authorization"].split()[1] not in line


@pytest.mark.parametrize("path", ["nginx/mcp.conf", "haproxy.cfg"])
def test_the_files_know_every_server_by_the_same_name(path: str) -> None:
    text = (GUIDE / path).read_text("utf-8")
    assert {host for host in HOSTS.values() if host in text} == set(HOSTS.values())
    assert text.count(PAGE) == 1
