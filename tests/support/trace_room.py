"""A Trace root for a test, with a clock that the test sets and events like the recorder's."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haia_trace_mcp.clock import time_text
from haia_trace_mcp.guard import Decision, Guard
from haia_trace_mcp.index import TraceIndex
from haia_trace_mcp.policy import read_policy
from haia_trace_mcp.reviews import ReviewLog, Reviews
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates

USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
BASE = "eip155:8453"
SELLER = "0xB0B0000000000000000000000000000000000002"
HOST = "weather.example.test"
NOON = 1_794_225_600_000
MINUTE = 60_000
HOUR = 60 * MINUTE


@dataclass
class TraceRoom:
    """Files below ``path``; ``now`` is what every clock in the room shows."""

    path: Path
    now: int = NOON
    count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        (self.path / "events").mkdir(parents=True)
        self.root = TraceRoot(self.path)
        self.templates = Templates(self.root)
        self.index = TraceIndex(self.root, self.templates)
        self.reviews = self.new_reviews()

    @property
    def log(self) -> Path:
        """Return the review log's file."""
        return self.path / "guard/decisions.ndjson"

    def clock(self) -> int:
        """Return the time in the room."""
        return self.now

    def new_reviews(self, **options: Any) -> Reviews:
        """Return reviews that know nothing yet, as another process has them."""
        return Reviews(ReviewLog(self.root, **options), clock=self.clock)

    def guard(self, **policy: Any) -> Guard:
        """Return a guard with a policy by its keys."""
        read = read_policy(json.dumps(policy).encode())
        return Guard(self.index, self.templates, read, self.reviews, clock=self.clock)

    def check(self, counterparty: str = SELLER, amount: str = "0.25", **policy: Any) -> Decision:
        """Check a payment by a policy."""
        return self.guard(**policy).check(counterparty, amount)

    def record(
        self,
        kind: str,
        operation: str | None,
        payload: dict[str, Any],
        *,
        run: str = "1",
        at: int | None = None,
        role: str = "client",
    ) -> None:
        """Append an event to a run."""
        self.count += 1
        event = {
            "event_id": f"e{self.count}",
            "event_type": kind,
            "occurred_at": time_text(self.now if at is None else at),
            **({} if operation is None else {"context_id": operation}),
            "seq": self.count,
            "adapter": "trace-x402",
            "role": role,
            "payload": payload,
        }
        with (self.path / f"events/{run}.ndjson").open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")

    def pay(
        self,
        operation: str,
        atomic: str | None = "250000",
        *,
        settled: bool = True,
        fault: bool = False,
        run: str = "1",
        at: int | None = None,
        **terms: Any,
    ) -> None:
        """Record a payment, and its settlement unless told otherwise."""
        payload = paid(atomic, **terms)
        self.record("x402.payment.submitted", operation, payload, run=run, at=at)
        if settled:
            answer = {**payload, "settle": {"success": True, "transaction": "0x01"}}
            self.record("x402.payment.responded", operation, answer, run=run, at=at)
        if fault:
            error = {**payload, "settle": {"success": False, "error_reason": "no funds"}}
            self.record("x402.settle.failed", operation, error, run=run, at=at)


def requirements(
    atomic: str | None, *, to: str = SELLER, network: str = BASE, asset: str = USDC
) -> dict[str, Any]:
    """Return terms of payment as the recorder writes them."""
    amount = {} if atomic is None else {"amount": atomic}
    return {"scheme": "exact", "network": network, "asset": asset, **amount, "pay_to": to}


def paid(atomic: str | None, *, host: str = HOST, **terms: Any) -> dict[str, Any]:
    """Return the payload of a payment."""
    url = f"https://{host}/today"
    return {
        "x402_version": 2,
        "resource": {"url": url},
        "requirements": requirements(atomic, **terms),
    }


def offered(*terms: dict[str, Any], host: str = HOST) -> dict[str, Any]:
    """Return the payload of an offer."""
    return {"x402_version": 2, "resource": {"url": f"https://{host}/today"}, "accepts": list(terms)}


def rules(decision: Decision) -> list[str]:
    """Return the names of the rules that spoke, but for the history."""
    *before, last = [reason.rule for reason in decision.reasons]
    assert last == "history"
    return before


def named(decision: Decision, rule: str) -> list[tuple[str, str]]:
    """Return the evidence of a rule."""
    return [
        (each.run_id, each.operation_id)
        for reason in decision.reasons
        if reason.rule == rule
        for each in reason.evidence
    ]
