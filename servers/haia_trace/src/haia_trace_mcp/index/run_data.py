"""One run as it was read so far."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, cast
from zlib import crc32

from haia_trace_mcp.ecmascript import text_key
from haia_trace_mcp.errors import RunError
from haia_trace_mcp.index.columns import NONE, Columns
from haia_trace_mcp.index.counterparties import host_key
from haia_trace_mcp.index.decoding import Requirements, Resource, Terms, decode_event
from haia_trace_mcp.index.moments import moment_of
from haia_trace_mcp.index.parties import Parties
from haia_trace_mcp.root import Entry

_HOSTS_LIMIT: Final = 100_000


class RunData:
    """What a run file holds up to ``consumed`` bytes, which end a line."""

    def __init__(self, name: str, run_id: str) -> None:
        self.name = name
        self.run_id = run_id
        self.order = text_key(name)
        self.columns = Columns()
        self.parties = Parties()
        self.entry: Entry | None = None
        self.consumed = 0
        self.lines = 0
        self.events = 0
        self.digest = blake2b(digest_size=32)
        self.sample = b""
        """Hash of the first and last bytes that were consumed."""
        self.problem: RunError | None = None
        self._urls: dict[str, int] = {}

    def take(self, data: bytes) -> None:
        """Take in whole lines that follow on what was consumed.

        Raises:
            RunError: a line is not JSON or breaks the event contract. What comes before it is
                taken in, and it is the next one.
        """
        first = len(self.columns)
        start = self.consumed
        try:
            self._take_lines(data)
        finally:
            self.digest.update(memoryview(data)[: self.consumed - start])
            self.columns.link(first)
            self.parties.extend(self.columns, first)

    def _take_lines(self, data: bytes) -> None:
        """Decode lines and append their rows; ``consumed`` and ``lines`` end before a bad one."""
        columns, run_id = self.columns, self.run_id
        append, latest = columns.appender(), columns.latest
        operations, kinds = columns.operations, columns.kinds
        offset, number = self.consumed, self.lines
        events = 0
        try:
            for line in data.split(b"\n")[:-1]:
                event = decode_event(line, run_id, number + 1) if line else None
                size = len(line)
                if event is not None and event.context_id:
                    time, payload = event.occurred_at, event.payload
                    operation = operations[event.context_id]
                    key = time if time.isascii() else text_key(time)
                    if operation == len(latest):
                        latest.append(key)
                    elif key > latest[operation]:
                        latest[operation] = key
                    append(
                        offset,
                        size,
                        crc32(line),
                        operation,
                        kinds[event.event_type, event.role],
                        self._terms(payload.requirements),
                        self._offers(payload.accepts),
                        self._host(payload.resource),
                        moment_of(time),
                    )
                events += event is not None
                number += 1
                offset += size + 1
        finally:
            self.consumed, self.lines, self.events = offset, number, self.events + events

    def _offers(self, found: list[Requirements] | None) -> int:
        return self.columns.offers[tuple(map(self._terms, found))] if found else NONE

    def _terms(self, found: Requirements | None) -> int:
        if found is None:
            return NONE
        terms = (found.scheme, found.network, found.asset, found.amount, found.pay_to)
        return self.columns.all_terms[cast("Terms", terms)]

    def _host(self, resource: Resource | None) -> int:
        url = None if resource is None else resource.url
        if url is None:
            return NONE
        known = self._urls.get(url)
        if known is None:
            host = host_key(url)
            known = NONE if host is None else self.columns.hosts[host]
            if len(self._urls) >= _HOSTS_LIMIT:
                self._urls.clear()
            self._urls[url] = known
        return known
