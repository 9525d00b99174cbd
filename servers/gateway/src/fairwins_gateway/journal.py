"""The journal: what came lately, with the bytes of payments and without a single token."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fairwins_gateway.database import Database
from fairwins_gateway.jsontext import JsonObject
from fairwins_gateway.payments.payloads import HEADERS

KEPT = 1000
_TOKEN = re.compile(r"fw1\.[\w.~%-]*", re.IGNORECASE)
_MAX_PATH = 500


@dataclass(frozen=True)
class Entry:
    """One request and the status of its answer; ``headers`` are names and bytes as they came."""

    received_at: str
    method: str
    path: str
    headers: Sequence[tuple[str, bytes]]
    status: int
    receipt: str | None


def record(database: Database, entry: Entry) -> None:
    """Keep an entry, and drop the oldest above a thousand."""
    path = _TOKEN.sub("fw1.(removed)", entry.path)[:_MAX_PATH]
    names = json.dumps([name for name, _ in entry.headers])
    payments = [(name, value) for name, value in entry.headers if name in HEADERS]
    with database.transaction() as connection:
        number = connection.execute(
            "INSERT INTO requests (received_at, method, path, header_names, status, receipt) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (entry.received_at, entry.method, path, names, entry.status, entry.receipt),
        ).lastrowid
        connection.executemany(
            "INSERT INTO payments VALUES (?, ?, ?, ?)",
            [(number, position, *payment) for position, payment in enumerate(payments)],
        )
        connection.execute("DELETE FROM requests WHERE number <= ?", ((number or 0) - KEPT,))


def list_requests(database: Database, first: int) -> list[JsonObject]:
    """Return the latest entries, the newest first.

    A payment's ``value`` has one character for each byte that came, whatever the byte.
    """
    requests = database.rows("SELECT * FROM requests ORDER BY number DESC LIMIT ?", (first,))
    return [
        {
            "number": row["number"],
            "receivedAt": row["received_at"],
            "method": row["method"],
            "path": row["path"],
            "headerNames": json.loads(row["header_names"]),
            "payments": _payments(database, row["number"]),
            "status": row["status"],
            "receipt": row["receipt"],
        }
        for row in requests
    ]


def _payments(database: Database, number: int) -> list[JsonObject]:
    rows = database.rows(
        "SELECT header, value FROM payments WHERE request = ? ORDER BY position", (number,)
    )
    return [{"header": row["header"], "value": row["value"].decode("latin-1")} for row in rows]
