"""Events of our own, and a Trace root to put them in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from haia_trace_mcp.index import IndexStore, Limits, TraceIndex
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates

SELLER = "0x00000000000000000000000000000000000000B0"
OTHER = "0x00000000000000000000000000000000000000c1"
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
START = "2026-08-01T09:00:"


def terms(amount: str = "250000", pay_to: str = SELLER, **changes: Any) -> dict[str, Any]:
    """Return requirements as the recorder writes them; a change to None leaves a member out."""
    found = {
        "scheme": "exact",
        "network": "eip155:8453",
        "asset": USDC,
        "amount": amount,
        "pay_to": pay_to,
        "max_timeout_seconds": 60,
        **changes,
    }
    return {name: value for name, value in found.items() if value is not None}


def event(kind: str, operation: str | None = "op-1", at: int = 0, **changes: Any) -> dict[str, Any]:
    """Return an event of the client, ``at`` milliseconds after nine o'clock."""
    found = {
        "event_id": f"{operation}-{at}",
        "event_type": kind if "." in kind else f"x402.payment.{kind}",
        "occurred_at": f"{START}{at // 1000:02}.{at % 1000:03}Z",
        "context_id": operation,
        "seq": at,
        "adapter": "trace-x402",
        "role": "client",
        "payload": {},
        **changes,
    }
    return {name: value for name, value in found.items() if value is not None}


def paid(operation: str = "op-1", at: int = 0, **changes: Any) -> list[dict[str, Any]]:
    """Return the events of a payment that nobody answered."""
    required = terms(**changes)
    resource = {"url": "https://api.example.test/report"}
    named = {"x402_version": 2, "resource": resource, "requirements": required}
    offer = {"x402_version": 2, "resource": resource, "accepts": [required]}
    return [
        event("required", operation, at, payload=offer),
        event("creating", operation, at + 1, payload=named),
        event("submitted", operation, at + 2, payload=named),
    ]


def settled(operation: str = "op-1", at: int = 0, **changes: Any) -> list[dict[str, Any]]:
    """Return the events of a payment that was answered."""
    events = paid(operation, at, **changes)
    settle = {"success": True, "transaction": "0x1", "network": "eip155:8453"}
    payload = {**events[-1]["payload"], "settle": settle}
    return [*events, event("responded", operation, at + 3, payload=payload)]


def lines(events: Iterable[Any]) -> bytes:
    """Return events as lines."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


class Trace:
    """A Trace root, and an index over it."""

    def __init__(self, path: Path) -> None:
        self.path = path / ".trace"
        (self.path / "events").mkdir(parents=True)
        self.root = TraceRoot(self.path, ".trace")

    def file(self, run: str = "1000") -> Path:
        """Return where a run's file is."""
        return self.path / "events" / f"{run}.ndjson"

    def append(self, events: Iterable[Any] | bytes, run: str = "1000") -> None:
        """Write events, or bytes, at the end of a run's file."""
        data = events if isinstance(events, bytes) else lines(events)
        with self.file(run).open("ab") as file:
            file.write(data)

    def template(self, name: str, text: str) -> None:
        """Write a template of the project."""
        folder = self.path / "templates"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.yaml").write_text(text, "utf-8")

    def index(self, limits: Limits | None = None, store: IndexStore | None = None) -> TraceIndex:
        """Return a new index that took in what is there."""
        index = TraceIndex(self.root, Templates(self.root), limits=limits, store=store)
        index.refresh()
        return index
