"""Connections without an event loop: a transport that only remembers, a clock that only obeys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from support import SNAPSHOT
from wire import call, make_endpoint, message, post

from fairwins_mcp.http.connection import Connection
from fairwins_mcp.http.connections import Connections
from fairwins_mcp.http.endpoint import Call
from fairwins_mcp.http.limits import Limits
from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier

if TYPE_CHECKING:
    from fairwins_mcp.http.connections import Deliver

LIMITS = Limits(head_bytes=8192, connections=3)
PING = post(message("ping"))
SLOW = call("news", {"asset": "x"})
LAST = {"Connection": "close"}


class Transport:
    """Remember what was asked for."""

    def __init__(self) -> None:
        self.sent = b""
        self.ends: list[str] = []
        self.is_reading = True

    def write(self, data: bytes) -> None:
        assert not self.ends, "nothing is sent after the end"
        self.sent += data

    def write_eof(self) -> None:
        self.ends.append("eof")

    def close(self) -> None:
        self.ends.append("close")

    def abort(self) -> None:
        self.ends.append("abort")

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True


class Room:
    """Connections without an event loop. Calls wait until ``finish`` runs them."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.time = 1000.0
        self.notes: list[str] = []
        self.calls: list[tuple[Call, Deliver]] = []
        self.carrier = BlockingCarrier()
        # An address where nobody listens: calls have to be run, and fail at once.
        environment = {"FAIRWINS_API_URL": "http://127.0.0.1:9"}
        self.shared = Connections(
            make_endpoint(environment, SNAPSHOT, limits=limits),
            limits,
            lambda: self.time,
            lambda made, deliver: self.calls.append((made, deliver)),
            self.notes.append,
        )

    def open(self) -> tuple[Connection, Transport]:
        connection, transport = Connection(self.shared), Transport()
        connection.connection_made(transport)
        return connection, transport

    def finish(self) -> None:
        made, deliver = self.calls.pop(0)
        deliver(made, self.carrier.run(made.steps()))

    def after(self, seconds: float) -> None:
        self.time += seconds
        self.shared.sweep()


def split(data: bytes) -> list[tuple[int, Any]]:
    """Take responses apart: status, and the body or None."""
    found: list[tuple[int, Any]] = []
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:])
        size = int(fields.get("Content-Length", 0))
        body, data = data[:size], data[size:]
        found.append((int(lines[0].split()[1]), json.loads(body) if body else None))
    return found


def statuses(transport: Transport) -> list[int]:
    return [status for status, _ in split(transport.sent)]
