"""The demo, from the first payment to the human's no."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from haia_trace_mcp.demo.agent import COMMAND, Agent, agent_of
from haia_trace_mcp.demo.buyer import Buyer
from haia_trace_mcp.demo.narration import DemoError, insist, narrate, quote
from haia_trace_mcp.demo.sellers import Seller, selling

PRICE: Final = "0.25"
_NOTE: Final = "Seller B never said what became of our 0.25 USDC"
_TOOLS: Final = {
    "check_before_pay", "explain", "get_receipt", "get_review_status", "list_operations",
}  # fmt: skip


def make_sellers() -> tuple[Seller, Seller]:
    """Return a seller that does what it is paid for, and one that is never heard of again."""
    return (
        Seller("Seller A", "0xA11CE00000000000000000000000000000000001", settles=True),
        Seller("Seller B", "0xB0B0000000000000000000000000000000000002", settles=False),
    )


def play(reliable: Seller, silent: Seller, kept: Path | None = None) -> int:
    """Run the demo; return 0 when everything was as it should be, and 1 otherwise.

    A folder that is kept is the Trace root, and its review is left to whoever started the demo.
    """
    failures: list[BaseException] = []
    with _trace_root(kept) as root:
        try:
            with selling(reliable), selling(silent):
                asyncio.run(_play(root, reliable, silent, is_kept=kept is not None))
        except* DemoError as group:  # the client's tasks wrap what is raised beside them
            failures.extend(_leaves(group))
    if failures:
        narrate(f"\nDEMO FAILED: {failures[0]}")
        return 1
    narrate("\nEverything was as it should be. Only the money was simulated.")
    return 0


@contextmanager
def _trace_root(kept: Path | None) -> Generator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="haia-trace-demo-") as folder:
        root = Path(folder) / ".trace"
        root.mkdir()
        yield root


def _leaves(group: BaseExceptionGroup[DemoError]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


async def _play(root: Path, reliable: Seller, silent: Seller, *, is_kept: bool) -> None:
    narrate("An agent has a wallet, two sellers, and a Trace root where its payments are recorded.")
    with closing(Buyer(root)) as buyer:  # records before the server looks
        async with agent_of(root) as agent:
            review, operations = await _pay(root, agent, buyer, reliable, silent)
            if is_kept:
                _leave(root, review)
            else:
                await _end(root, agent, review, operations)


async def _pay(
    root: Path, agent: Agent, buyer: Buyer, reliable: Seller, silent: Seller
) -> tuple[str, dict[str, dict[str, str]]]:
    """Act until a review is open; return its id, and the operations by their verdict."""
    insist(await agent.tools() == _TOOLS, "the server has five tools, and none approves")
    narrate("\n1. Before anything was paid, nothing speaks against either seller:")
    for seller in (reliable, silent):
        await _expect(agent, seller, "allow")
    narrate("\n2. The agent pays both. The events are recorded as they happen:")
    _pay_both(root, buyer, reliable, silent)
    narrate("\n3. What the agent can prove of its two payments:")
    paid, open_one = await _read_receipts(agent)
    narrate("\n4. Before it pays again, the agent asks about both sellers:")
    await _expect(agent, reliable, "allow")
    answer = await _expect(agent, silent, "review")
    insist(_evidence(answer) == [open_one], "the open operation is the evidence")
    await _expect_status(agent, answer["review_id"], "pending")
    return answer["review_id"], {"full": paid, "partial": open_one}


async def _end(
    root: Path, agent: Agent, review: str, operations: dict[str, dict[str, str]]
) -> None:
    narrate("\n5. No tool decides a review. A human does, on the command line:")
    _decide(root, review)
    narrate("\n6. The agent reads the decision, and what its receipts prove:")
    told = await _expect_status(agent, review, "rejected")
    insist(told.get("note") == _NOTE, "the agent reads the human's note")
    for verdict, operation in operations.items():
        explained = await agent.ask("explain", **operation)
        insist(explained["completeness"] == verdict, f"the verdict is {verdict}")


def _leave(root: Path, review: str) -> None:
    folder = shlex.quote(str(root))
    narrate("\n5. No tool decides a review. You do, with approve or reject, and say why:")
    narrate(f"  haia-trace-mcp review list --dir {folder}")
    narrate(f'  haia-trace-mcp review reject {review} --note "It never answered" --dir {folder}')


def _pay_both(root: Path, buyer: Buyer, reliable: Seller, silent: Seller) -> None:
    for seller, status in ((reliable, 200), (silent, 504)):
        response = buyer.get(seller.url)
        narrate(f"  GET {seller.url} ({seller.name}) -> {response.status_code}")
        quote(response.text)
        insist(response.status_code == status, f"{seller.name} answers {status}")
        insist(len(seller.payments) == 1, f"{seller.name} has a payment that the buyer signed")
    insist(buyer.recorder.lost == 0, "every event is recorded")
    run = root / "events" / f"{buyer.recorder.run_id}.ndjson"
    recorded = run.read_text("utf-8")
    narrate(f"  {run.relative_to(root.parent)} has, in short:")
    for event in map(json.loads, recorded.splitlines()):
        quote(f"{event['occurred_at']}  {event['event_type']:<26}{event.get('context_id', '-')}")
    for seller in (reliable, silent):
        signature: str = seller.payments[0].payload["signature"]
        insist(signature not in recorded, "no signature is recorded")


async def _read_receipts(agent: Agent) -> tuple[dict[str, str], dict[str, str]]:
    """Return run and operation of the payment that settled, and of the other."""
    listed = await agent.ask("list_operations", run="latest")
    by_verdict = {row["completeness"]: row for row in listed["operations"]}
    insist(len(listed["operations"]) == 2, "there are two operations")
    insist(set(by_verdict) == {"full", "partial"}, "one is full and one is partial")
    insist(
        by_verdict["partial"]["missing_stages"] == ["settlement"],
        "the settlement is all that is missing",
    )
    paid, open_one = (
        {name: by_verdict[verdict][name] for name in ("run_id", "operation_id")}
        for verdict in ("full", "partial")
    )
    receipt = await agent.ask("get_receipt", **open_one)
    insist(receipt["completeness"] == "partial", "the receipt says so, too")
    return paid, open_one


async def _expect(agent: Agent, seller: Seller, decision: str) -> dict[str, Any]:
    answer = await agent.ask(
        "check_before_pay", counterparty=seller.pay_to, amount=PRICE, asset="USDC"
    )
    insist(answer["decision"] == decision, f"paying {seller.name} gets {decision}")
    return answer


async def _expect_status(agent: Agent, review: str, status: str) -> dict[str, Any]:
    answer = await agent.ask("get_review_status", review_id=review)
    insist(answer["status"] == status, f"the review is {status}")
    return answer


def _evidence(answer: dict[str, Any]) -> list[dict[str, str]]:
    """Return the operations for which the rule of open operations spoke."""
    return [
        operation
        for reason in answer["reasons"]
        if reason["rule"] == "open_partial"
        for operation in reason["evidence"]
    ]


def _decide(root: Path, review: str) -> None:
    for words, name in (
        (["review", "list"], "pending"),
        (["review", "reject", review, "--note", _NOTE], review),
        (["review", "verify"], ""),
    ):
        shown = " ".join(f'"{word}"' if " " in word else word for word in words)
        narrate(f"  human$ haia-trace-mcp {shown} --dir .trace")
        line = [*COMMAND, *words, "--dir", str(root)]
        done = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=60, check=False)
        quote(done.stdout + done.stderr)
        insist(done.returncode == 0, f"the command ends with status 0, not {done.returncode}")
        insist(name in done.stdout + done.stderr, f"the command names {name}")
