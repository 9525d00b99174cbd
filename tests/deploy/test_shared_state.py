"""What processes of one server have in common lies in files, and each sees it at once."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import deployment
from deployment import Deployed, Pair
from proxies import free_ports
from rpc_post import post, request, send
from token_issuer import Issuer

CALLS = 12


def url_of(pair: Pair, number: int) -> str:
    return f"http://127.0.0.1:{pair.processes[number % 2].port}/mcp"


def call(pair: Pair, number: int, tool: str, **arguments: object) -> Any:
    """Return what one of the processes answers."""
    message = request("tools/call", {"name": tool, "arguments": arguments})
    answer = post(url_of(pair, number), message, pair.bearer)
    assert answer.status == 200, answer.body
    result = answer.json["result"]
    assert not result.get("isError"), result
    return json.loads(result["content"][0]["text"])


def run(*words: str) -> str:
    """Return what a command prints."""
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_questions_at_once_open_one_review_whoever_is_asked(deployed: Deployed) -> None:
    pair = deployed.pairs["receipts"]

    def ask(number: int) -> str:
        found = call(pair, number, "check_before_pay", counterparty="seller.example", amount="4.50")
        assert found["decision"] == "review"
        return str(found["review_id"])

    with ThreadPoolExecutor(CALLS) as pool:
        [review] = set(pool.map(ask, range(CALLS)))
    folder = str(deployed.receipts.room.path)
    run("haia_trace_mcp", "review", "approve", review, "--dir", folder)
    for number in (0, 1):
        assert call(pair, number, "get_review_status", review_id=review)["status"] == "approved"
    run("haia_trace_mcp", "review", "verify", "--dir", folder)


def test_what_one_process_allowed_counts_for_the_other(deployed: Deployed) -> None:
    pair = deployed.pairs["receipts"]
    found = [
        call(pair, number, "check_before_pay", counterparty="shop.example", amount="3.00")
        for number in (0, 1)
    ]
    assert [each["decision"] for each in found] == ["allow", "review"]
    assert "reserved" in {reason["rule"] for reason in found[1]["reasons"]}


def test_a_run_is_seen_by_both_as_soon_as_it_is_recorded(deployed: Deployed) -> None:
    pair = deployed.pairs["receipts"]
    deployed.receipts.room.pay("op-9", run="2000")
    for number in (0, 1):
        listed = call(pair, number, "list_operations")
        assert listed["operations"][0]["operation_id"] == "op-9"


def test_keys_of_the_authorization_server_are_replaced_under_both(deployed: Deployed) -> None:
    pair, behind = deployed.pairs["receipts"], deployed.receipts
    jwks = behind.room.path.parent / "jwks.json"
    other = Issuer()
    bearer = {"Authorization": f"Bearer {other.token(aud=f'https://{pair.host}/mcp')}"}
    statuses = []
    for keys in (other.jwks(), behind.issuer.jwks()):
        draft = jwks.with_suffix(".new")
        draft.write_bytes(keys)
        draft.replace(jwks)
        statuses.append(
            [post(url_of(pair, number), request("ping"), bearer).status for number in (0, 1)]
        )
    assert statuses == [[200, 200], [401, 401]]


def test_both_tokens_are_good_at_both_while_they_are_replaced(deployed: Deployed) -> None:
    pair = deployed.pairs["lemonsqueezy"]
    for token in (deployment.AGENT_TOKEN, f"{deployment.AGENT_TOKEN}-next"):
        for number in (0, 1):
            bearer = {"Authorization": f"Bearer {token}"}
            assert post(url_of(pair, number), request("ping"), bearer).status == 200


def test_two_sandboxes_over_one_file_agree_on_tokens_and_payments(tmp_path: Path) -> None:
    file = str(tmp_path / "sandbox.sqlite")
    account = "0x0000000000000000000000000000000000000b0b"
    with ExitStack() as stack:
        words = ["serve", "--database", file, "--announce", "--port"]
        urls = [_sandbox(stack, [*words, str(port)], port) for port in free_ports(2)]
        issued = run(
            "fairwins_gateway", "token", "issue", "--account", account, "--database", file
        ).strip()
        bearer = [("Authorization", f"Bearer {issued}")]
        assert _statuses(urls, "/v1/member/fees", bearer) == [200, 200]
        [row] = run("fairwins_gateway", "token", "list", "--database", file).splitlines()
        key_id = json.loads(row)["keyId"]
        run("fairwins_gateway", "token", "revoke", "--database", file, "--key-id", key_id)
        assert _statuses(urls, "/v1/member/fees", bearer) == [402, 402]
        offer = send(f"{urls[0]}/v1/member/fees", method="GET")
        paid = subprocess.run(
            [sys.executable, "-m", "fairwins_gateway", "wallet", "pay", "--payer", account],
            input=offer.body,
            capture_output=True,
            timeout=60,
        ).stdout.decode()
        payment = [("X-PAYMENT", paid.strip())]
        assert _statuses(urls, "/v1/member/fees", payment) == [200, 402]


def _statuses(urls: list[str], path: str, fields: list[tuple[str, str]]) -> list[int]:
    return [send(f"{url}{path}", fields=fields, method="GET").status for url in urls]


def _sandbox(stack: ExitStack, words: list[str], port: int) -> str:
    process = subprocess.Popen(
        [sys.executable, "-m", "fairwins_gateway", *words], stdout=subprocess.PIPE, text=True
    )
    stack.callback(process.wait, 30)
    stack.callback(process.terminate)
    assert process.stdout is not None
    stack.callback(process.stdout.close)
    announced: dict[str, str] = json.loads(process.stdout.readline())
    assert announced["url"].endswith(str(port))
    return announced["url"]
