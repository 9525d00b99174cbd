"""The process: two loopback ports, one server, one graceful end."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from contextlib import ExitStack
from types import FrameType

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from fairwins_gateway.errors import StartError
from fairwins_gateway.jsontext import JsonObject, dump

ADMIN_HOST = "127.0.0.1"
GRACE_SECONDS = 3
MAX_HEADER_BYTES = 64 * 1024


class PortSwitch:
    """Send a request to the application of the port that it came in on."""

    def __init__(self, apps: dict[int, ASGIApp]) -> None:
        self._apps = apps

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        await self._apps[scope["server"][1]](scope, receive, send)


def serve(
    public: ASGIApp, admin: ASGIApp, host: str, port: int, admin_port: int | None, announce: bool
) -> None:
    """Serve until a signal comes; port 0 takes a free one.

    With ``announce``, one JSON line on stdout says where, once connections are taken.

    Raises:
        StartError: a port cannot be had.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    with ExitStack() as stack:
        sockets = [stack.enter_context(_listen(host, port))]
        if admin_port is not None:
            sockets.append(stack.enter_context(_listen(ADMIN_HOST, admin_port)))
        ports = [int(each.getsockname()[1]) for each in sockets]
        if len(set(ports)) != len(ports):
            raise StartError("the two ports have to differ")
        switch = PortSwitch(dict(zip(ports, (public, admin), strict=False)))
        if announce:
            _announce(host, ports)
        uvicorn.Server(_configure(switch)).run(sockets)


def _configure(app: ASGIApp) -> uvicorn.Config:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise StartError(f"cannot listen on {host}: {error}") from error
    try:
        if sys.platform != "win32":  # there, it would let others take the port over
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        raise StartError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return listener


def _announce(host: str, ports: list[int]) -> None:
    shown = f"[{host}]" if ":" in host else host
    urls: JsonObject = {"url": f"http://{shown}:{ports[0]}", "admin": None}
    if len(ports) > 1:
        urls["admin"] = f"http://{ADMIN_HOST}:{ports[1]}"
    sys.stdout.write(dump(urls).decode() + "\n")
    sys.stdout.flush()


def _end(number: int, frame: FrameType | None) -> None:
    """End with status 0: being told to stop is the usual end of a server.

    uvicorn replaces this handler while it serves, ends gracefully, and then raises the signal
    again.
    """
    raise SystemExit(0)
