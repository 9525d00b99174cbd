"""An ASGI application behind uvicorn on loopback, in the event loop of a test or in a thread."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp


class Server(uvicorn.Server):
    """A server that leaves signals to the test runner, and tells when it listens."""

    def __init__(self, app: ASGIApp, listener: socket.socket) -> None:
        config = uvicorn.Config(
            app,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=20,
        )
        super().__init__(config)
        self.port: int = listener.getsockname()[1]
        self._listener = listener
        self._listening = threading.Event()

    async def run_to_the_end(self) -> None:
        """Serve until ``stop``."""
        await self.serve([self._listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self._listening.set()

    def await_start(self) -> None:
        """Wait in another thread than the server's."""
        assert self._listening.wait(20)

    def stop(self) -> None:
        """Take no more requests, and end when those under way are answered."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncGenerator[Server]:
    """Serve in the running loop."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        server = Server(app, listener)
        task = asyncio.create_task(server.run_to_the_end())
        await asyncio.to_thread(server.await_start)
        try:
            yield server
        finally:
            server.stop()
            await task


@contextmanager
def served_in_thread(app: ASGIApp) -> Generator[str]:
    """Serve beside a test that is not async itself; the value is the URL of the endpoint."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        server = Server(app, listener)
        thread = threading.Thread(target=asyncio.run, args=(server.run_to_the_end(),))
        thread.start()
        server.await_start()
        try:
            yield f"http://127.0.0.1:{server.port}/mcp"
        finally:
            server.stop()
            thread.join()
