"""The server as a process: one address, one application, one graceful end."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from types import FrameType
from typing import Any, Final

import uvicorn
from mcp.server import Server
from starlette.applications import Starlette
from starlette.types import ASGIApp

from haia_trace_mcp.http.address import BACKLOG, listen
from haia_trace_mcp.http.admission import Admission, origin_of
from haia_trace_mcp.http.application import build_application
from haia_trace_mcp.http.doorkeeper import BearerCheck
from haia_trace_mcp.http.settings import HttpSettings
from haia_trace_mcp.oauth import Resource, TokenVerifier
from haia_trace_mcp.oauth.resource import MCP_PATH

LOG = logging.getLogger(__name__)
GRACE_SECONDS: Final = 5
_SETTLE_SECONDS: Final = 0.1  # for requests to come on connections that were just made
CONNECTIONS: Final = 512
_HEADER_BYTES: Final = 32 * 1024


def serve_http(server: Server[Any], settings: HttpSettings) -> None:
    """Serve until SIGINT or SIGTERM comes; what is under way then has five seconds to end.

    The log goes to stderr; it has no request lines.

    Raises:
        HttpSetupError: the address cannot be had.
        SystemExit: a signal came: 130 for SIGINT, and 0 otherwise.
    """
    with listen(settings.address) as listener:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _end)
        port: int = listener.getsockname()[1]
        app = application_of(server, settings, port)
        place = f"http://{settings.address.authority(port)}{MCP_PATH}"
        print(f"haia-trace-mcp: listening on {place}", file=sys.stderr, flush=True)
        if settings.auth is None:
            print(
                "haia-trace-mcp: without tokens; everybody on this machine is served",
                file=sys.stderr,
                flush=True,
            )
        _Server(_configure(app)).run([listener])


class _Server(uvicorn.Server):
    """A server that answers requests on connections which were made just before its end."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept what waits for it, then nothing more, and end once what came is answered.

        A proxy that has just made a connection would otherwise lose the request on its way.
        """
        for _ in range(2):  # one turn of the loop finds who waits, and the next one accepts them
            await asyncio.sleep(0)
        for listening in self.servers:
            listening.close()
        await asyncio.sleep(_SETTLE_SECONDS)
        await super().shutdown(sockets)


def application_of(server: Server[Any], settings: HttpSettings, port: int) -> Starlette:
    """Return the application for an address that is listened on at a port."""
    url = settings.public_url or f"http://{settings.address.authority(port)}{MCP_PATH}"
    own = [] if settings.address.is_wildcard else [f"http://{settings.address.authority(port)}"]
    origins = [*own, origin_of(url), *settings.origins]
    names = [_host_of(origin) for origin in (*own, origin_of(url))]
    admission = Admission([*names, *settings.hosts], origins)
    if settings.auth is None:
        return build_application(server, admission, None, None)
    resource = Resource(url, settings.auth.issuer, settings.auth.scopes)
    verifier = TokenVerifier(settings.auth.issuer, url, settings.auth.keys)
    return build_application(server, admission, BearerCheck(resource, verifier), resource)


def _host_of(origin: str) -> str:
    """Return the host of an origin, with the brackets of an IPv6 address."""
    authority = origin.partition("//")[2]
    end = authority.find("]") + 1
    return authority[:end] if end else authority.partition(":")[0]


def _configure(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="h11",  # which bounds header fields
        h11_max_incomplete_event_size=_HEADER_BYTES,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _end(number: int, frame: FrameType | None) -> None:
    """End as over stdio: being told to stop is the usual end of a server.

    uvicorn replaces this handler while it serves, ends gracefully, and then raises the signal
    again.
    """
    raise SystemExit(130 if number == signal.SIGINT else 0)
