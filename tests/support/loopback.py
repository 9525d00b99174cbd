"""An upstream on the loopback address that does whatever a test has it do."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Script = Callable[["Visit"], Awaitable[None]]


@dataclass
class Visit:
    """One request, and the connection that it came on."""

    head: bytes
    body: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, *parts: bytes) -> None:
        """Send bytes as they are."""
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()

    async def answer(self, status: str = "200 OK", body: bytes = b"", *lines: str) -> None:
        """Send an answer with its length."""
        fields = [f"HTTP/1.1 {status}", *lines, f"Content-Length: {len(body)}", "", ""]
        await self.send("\r\n".join(fields).encode("latin-1") + body)

    async def hang(self) -> None:
        """Wait until the client has gone."""
        await self.reader.read()


@dataclass
class Upstream:
    """What has come so far."""

    origin: str
    connections: int = 0
    visits: list[Visit] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def lines(self) -> list[str]:
        """Return the request lines."""
        return [visit.head.split(b"\r\n")[0].decode("latin-1") for visit in self.visits]


@asynccontextmanager
async def upstream(
    script: Script, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> AsyncIterator[Upstream]:
    """Serve every request by the script; ``gone`` is set when a connection has ended."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        record.connections += 1
        task = asyncio.current_task()
        assert task is not None
        open_ones[task] = writer
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                visit = Visit(head, body, reader, writer)
                record.visits.append(visit)
                record.came.set()
                await script(visit)
                if writer.is_closing():
                    return
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            record.gone.set()
            writer.close()
            del open_ones[task]

    open_ones: dict[asyncio.Task[object], asyncio.StreamWriter] = {}
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    record = Upstream(f"{'https' if tls else 'http'}://{host}:{port}")
    try:
        yield record
    finally:
        server.close()
        for writer in open_ones.values():
            writer.transport.abort()
        await asyncio.gather(*open_ones)
