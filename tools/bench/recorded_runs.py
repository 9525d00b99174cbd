"""Runs as a buyer's recorder writes them, of any size."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
BEGIN = 1785000000000
STEPS = ("required", "creating", "submitted", "responded")


def write_runs(folder: Path, runs: int, events: int, parties: int = 100) -> None:
    """Write so many run files of so many events each, some 650 bytes an event."""
    folder.mkdir(parents=True)
    source = random.Random(runs * events)  # noqa: S311 - the same runs each time
    for run in range(runs):
        with (folder / f"{BEGIN + run}.ndjson").open("wb") as file:
            written = 0
            while written < events:
                for line in operation(source, written + run * events, parties):
                    if written < events:
                        file.write(line)
                        written += 1


def operation(source: random.Random, number: int, parties: int) -> Iterator[bytes]:
    """Yield the lines of one payment; one in twenty is never answered."""
    party = source.randrange(parties)
    terms = {
        "scheme": "exact",
        "network": "eip155:8453",
        "asset": USDC,
        "amount": str(source.randrange(1, 500) * 1000),
        "pay_to": address(party),
        "max_timeout_seconds": 300,
    }
    resource = {
        "url": f"https://api{party}.example.com/reports/{source.randrange(1000)}",
        "description": "The weekly report about the market and all that moved in it",
        "mime_type": "application/json",
    }
    context = str(uuid.UUID(int=source.getrandbits(128)))
    for step, kind in enumerate(STEPS[: 3 if source.random() < 0.05 else 4]):
        payload: dict[str, Any] = {"x402_version": 2, "resource": resource}
        payload |= {"accepts": [terms]} if step == 0 else {"requirements": terms}
        if step == 3:
            payload["settle"] = {
                "success": True,
                "transaction": f"0x{source.getrandbits(256):064x}",
                "network": "eip155:8453",
                "payer": f"0x{source.getrandbits(160):040x}",
            }
        yield event(f"x402.payment.{kind}", context, number + step, payload, source)


def event(
    kind: str, context: str, number: int, payload: dict[str, Any], source: random.Random
) -> bytes:
    """Return one line; a second lies between two events."""
    at = datetime.fromtimestamp((BEGIN + number * 1000) / 1000, UTC)
    found = {
        "event_id": str(uuid.UUID(int=source.getrandbits(128))),
        "event_type": kind,
        "occurred_at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "context_id": context,
        "seq": number,
        "adapter": "trace-x402",
        "role": "client",
        "payload": payload,
    }
    return json.dumps(found, separators=(",", ":")).encode() + b"\n"


def address(party: int) -> str:
    """Return the address that a seller is paid at."""
    return f"0x{0xA11CE0000 + party:040x}"
