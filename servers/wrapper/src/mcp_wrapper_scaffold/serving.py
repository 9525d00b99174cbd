"""The wrapper as a process: one address, one application, one graceful end."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import logging
import signal
import socket
import sys
from types import FrameType
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.http.application import MCP_PATH
from mcp_wrapper_scaffold.server import WrapperServer

LOG = logging.getLogger(__name__)
DEFAULT_PORT: Final = 8321
GRACE_SECONDS: Final = 5  # for calls to end by themselves
_SETTLE_SECONDS: Final = 0.1  # for requests to come on connections that were just made
_CUT_SECONDS: Final = 2  # for the refusals of those that do not
BACKLOG: Final = 1024


class ListenError(WrapperError):
    """Say which address cannot be listened on, and why."""


def serve(
    app: ASGIApp, *, host: str = "127.0.0.1", port: int = DEFAULT_PORT, log_level: str = "info"
) -> None:
    """Serve a wrapper until SIGINT or SIGTERM comes; running calls then have five seconds to end.

    TLS is left to what stands in front of it. The log goes to stderr; it has no request lines,
    whose queries may hold anything.

    Args:
        app: what ``create_wrapper_server`` returned. Behind any other address than loopback, it
            needs ``allowed_hosts``.
        host: the address to listen on; of this machine alone by default.
        port: the port; 0 takes a free one.
        log_level: ``debug``, ``info``, ``warning`` or ``error``.

    Raises:
        ListenError: the address cannot be had.
    """
    with _listen(host, port) as listener:
        logging.basicConfig(
            stream=sys.stderr, level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
        )
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _end)
        bound = listener.getsockname()
        shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        LOG.info("listening on http://%s:%d%s", shown, bound[1], MCP_PATH)
        if isinstance(app, WrapperServer) and not (app.allowed_hosts or _is_loopback(bound[0])):
            LOG.warning("requests by other names than loopback's are refused: no allowed_hosts")
        # What there is by now stays until the end. Looking through it again and again is what would
        # make a call in thousands wait for a tenth of a second.
        gc.collect()
        gc.freeze()
        _Server(app).run([listener])


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback


class _Server(uvicorn.Server):
    """A server that answers what is still under way at its end, before it would be cut off."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(_configure(app))
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for what is under way, and refuse it when the grace is over."""
        await self._stop_listening()
        loop = asyncio.get_running_loop()
        timer = loop.call_later(GRACE_SECONDS, self._cut_off)
        try:
            await super().shutdown(sockets)
        finally:
            timer.cancel()

    async def _stop_listening(self) -> None:
        """Accept what waits for it, then nothing more, and let requests come on it.

        A proxy that has just made a connection would otherwise lose the request on its way.
        """
        for _ in range(2):  # one turn of the loop finds who waits, and the next one accepts them
            await asyncio.sleep(0)
        for listening in self.servers:
            listening.close()
        await asyncio.sleep(_SETTLE_SECONDS)

    def _cut_off(self) -> None:
        if isinstance(self._app, WrapperServer):
            self._app.cut_off()


def _configure(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS + _CUT_SECONDS,
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ListenError(f"cannot listen on {host}: {error}") from error
    try:
        if sys.platform != "win32":  # there, it would let others take the port over
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ListenError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return listener


def _end(number: int, frame: FrameType | None) -> None:
    """End with status 0: being told to stop is the usual end of a server.

    uvicorn replaces this handler while it serves, ends gracefully, and then raises the signal
    again.
    """
    raise SystemExit(0)
