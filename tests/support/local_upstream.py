"""An upstream on loopback, in the event loop of a test: it remembers, and can hold answers back."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

ORDERS = {"data": [{"id": "1", "total": 999}], "meta": {"page": 1}}


@dataclass(frozen=True)
class Received:
    """One request that arrived."""

    method: str
    target: str
    headers: dict[str, str]


@dataclass
class LocalUpstream:
    """Answer by path: ``/v1/orders`` with JSON, ``/v1/slow`` once released, others as arranged.

    ``answers`` maps a path to a status and a body; a path that is in none of them gets a 404 whose
    body must not leak.
    """

    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    requests: list[Received] = field(default_factory=list)
    held: int = 0
    hung_up: int = 0

    async def __aenter__(self) -> Self:
        self.release = asyncio.Event()
        self.changed = asyncio.Condition()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.origin = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release.set()
        self._server.close()
        await self._server.wait_closed()

    async def wait_for(self, *, held: int = 0, hung_up: int = 0) -> None:
        """Wait until so many answers are held back, and so many were given up by the client."""
        async with asyncio.timeout(20), self.changed:
            await self.changed.wait_for(lambda: self.held >= held and self.hung_up >= hung_up)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.rstrip().split("\r\n")
                method, target, _ = first.split(" ")
                headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
                await reader.readexactly(int(headers.get("content-length", "0")))
                self.requests.append(Received(method, target, headers))
                path = target.partition("?")[0]
                if path == "/v1/slow" and not await self._hold(reader):
                    break
                status, body = self._answer(path)
                writer.write(
                    f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(body.encode())}\r\n\r\n{body}".encode()
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, path: str) -> tuple[int, str]:
        if path in ("/v1/orders", "/v1/slow"):
            return 200, json.dumps(ORDERS)
        return self.answers.get(path, (404, '{"error":"upstream-body-must-not-leak"}'))

    async def _hold(self, reader: asyncio.StreamReader) -> bool:
        """Wait for the release; tell whether the client is still there by then."""
        async with self.changed:
            self.held += 1
            self.changed.notify_all()
        released = asyncio.ensure_future(self.release.wait())
        ended = asyncio.ensure_future(reader.read(1))
        await asyncio.wait((released, ended), return_when=asyncio.FIRST_COMPLETED)
        is_there = not ended.done()
        for each in (released, ended):
            each.cancel()
        await asyncio.wait((released, ended))
        async with self.changed:
            self.held -= 1
            self.hung_up += not is_there
            self.changed.notify_all()
        return is_there
