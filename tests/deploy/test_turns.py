"""Two processes behind one address answer in turns, and no request has to know of another."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from deployment import Deployed, Pair
from proxies import PORTS, Haproxy, Nginx
from public_client import REVISIONS, PublicClient, sdk_client, shake_hands
from rpc_post import Answer, post, request, send


def texts(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.body
    assert answer.json["result"].get("isError", False) is False, answer.body
    return [part["text"] for part in answer.json["result"]["content"]]


@pytest.mark.parametrize("version", REVISIONS)
def test_the_second_request_may_land_on_the_other_process(
    proxy: Nginx | Haproxy, pair: Pair, client: PublicClient, version: str
) -> None:
    """Without a session there is nothing that the other process would have to know."""
    before = proxy.passed(pair.server)
    assert shake_hands(client, version)
    lists: list[Any] = []
    answers: list[list[str]] = []
    for _ in range(3):
        listed = client.ask(version, "tools/list")
        assert listed.status == 200, listed.body
        lists.append(listed.json["result"]["tools"])
        answers.append(texts(client.call(version, *pair.reading)))
    assert lists == [lists[0]] * 3
    assert answers == [answers[0]] * 3
    now = proxy.passed(pair.server)
    gained = {port: now[port] - before[port] for port in PORTS[pair.server]}
    assert all(count >= 3 for count in gained.values()), gained


def test_each_process_says_that_it_answered(proxy: Nginx | Haproxy, deployed: Deployed) -> None:
    """By what each of them can tell itself: its requests, its metrics, its log."""
    fairwins, shop, receipts = deployed.pairs.values()
    turns, reads = deployed.member_api.turns, [_count_calls(shop, number) for number in (0, 1)]
    refused = [_count_refusals(receipts, number) for number in (0, 1)]
    for _ in range(4):
        client = PublicClient(proxy, fairwins.host)
        texts(client.call("2026-07-28", *fairwins.reading))
        client.close()
        client = PublicClient(proxy, shop.host, shop.bearer)
        texts(client.call("2026-07-28", *shop.reading))
        client.close()
        client = PublicClient(proxy, receipts.host, {"Authorization": "Bearer a.b.c"})
        assert client.ask("2026-07-28", "tools/list").status == 401
        client.close()
    after = deployed.member_api.turns
    assert [after[number] - turns[number] for number in (0, 1)] == [2, 2]
    assert [_count_calls(shop, number) - reads[number] for number in (0, 1)] == [2, 2]
    assert [_count_refusals(receipts, number) - refused[number] for number in (0, 1)] == [2, 2]


def _count_calls(pair: Pair, number: int) -> float:
    page = send(
        f"http://127.0.0.1:{pair.processes[number].port}/metrics",
        fields=pair.bearer.items(),
        method="GET",
    )
    assert page.status == 200
    found = [
        float(line.split()[-1])
        for line in page.body.decode().splitlines()
        if "_count{" in line and 'tool="get_order"' in line
    ]
    return sum(found)


def _count_refusals(pair: Pair, number: int) -> int:
    return sum("a token was refused" in line for line in pair.processes[number].lines)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_lists_and_calls(proxy: Nginx | Haproxy, pair: Pair, mode: str) -> None:
    async def run() -> Any:
        with anyio.fail_after(60):
            async with sdk_client(proxy, pair.host, pair.bearer, mode) as client:
                tool, arguments = pair.reading
                return [
                    (await client.list_tools(), await client.call_tool(tool, arguments))
                    for _ in range(2)
                ]

    for listed, called in anyio.run(run):
        assert pair.reading[0] in {tool.name for tool in listed.tools}
        assert not called.is_error, called.content


def test_a_session_of_another_server_is_passed_over(pair: Pair, client: PublicClient) -> None:
    """As after an upgrade from a server that had sessions."""
    fields = {"Mcp-Session-Id": "1868a90c", "MCP-Protocol-Version": "2025-11-25"}
    assert client.post(request("tools/list"), fields).status == 200
    for method in ("GET", "DELETE"):
        answer = client.send(method, "/mcp", fields={**fields, "Accept": "text/event-stream"})
        assert (answer.status, answer.fields["allow"]) == (405, "POST")


def test_an_array_of_messages_is_answered_by_one_process(client: PublicClient) -> None:
    batch = [request("ping", id=number) for number in range(3)]
    answer = client.post(batch)
    assert sorted(each["id"] for each in answer.json) == [0, 1, 2]


def test_nothing_is_streamed(pair: Pair, client: PublicClient) -> None:
    """So there is nothing for a proxy to hold back."""
    body = request("tools/list")
    for accept in ("application/json, text/event-stream", "text/event-stream, application/json"):
        answer = client.post(body, {"Accept": accept, "MCP-Protocol-Version": "2025-06-18"})
        assert answer.fields["content-type"].startswith("application/json")
    direct = post(f"http://127.0.0.1:{pair.processes[0].port}/mcp", body, pair.bearer)
    assert "content-length" in direct.fields
