"""The admin application, on a loopback port of its own: faults, and what came lately."""

from __future__ import annotations

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from fairwins_gateway.errors import Refusal
from fairwins_gateway.faults import KINDS, Faults, UnknownFaultError
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.journal import KEPT, list_requests
from fairwins_gateway.jsontext import is_object, parse
from fairwins_gateway.messages import data, envelope
from fairwins_gateway.web.guard import Guard, read_body, respond

LOOPBACK = frozenset({"localhost", "127.0.0.1"})
DEFAULT_FIRST = 20


def admin_app(gateway: Gateway) -> ASGIApp:
    """Return the application with which tests and people change a running gateway."""
    desk = Desk(gateway)
    app = Starlette(
        routes=[
            Route("/faults", desk.show_faults, methods=["GET"]),
            Route("/faults", desk.turn_on, methods=["POST"]),
            Route("/faults/{name}", desk.turn_off, methods=["DELETE"]),
            Route("/requests", desk.show_requests, methods=["GET"]),
        ],
        exception_handlers={Refusal: _refuse, HTTPException: _refuse_route},
    )
    return Guard(app, LOOPBACK)


class Desk:
    """Answer the admin routes."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def show_faults(self, request: Request) -> Response:
        """List what can be turned on, and what is on."""
        return _show(self._gateway.faults)

    async def turn_on(self, request: Request) -> Response:
        """Turn a fault on: ``{"name": …, "value": …}``, the value where one is wanted."""
        wanted = _read_wish(await read_body(request))
        try:
            self._gateway.faults.turn_on(*wanted)
        except UnknownFaultError as error:
            raise Refusal(400, "unknown_fault", str(error)) from error
        return _show(self._gateway.faults)

    async def turn_off(self, request: Request) -> Response:
        """Turn a fault off."""
        try:
            self._gateway.faults.turn_off(request.path_params["name"])
        except UnknownFaultError as error:
            raise Refusal(404, "unknown_fault", str(error)) from error
        return _show(self._gateway.faults)

    async def show_requests(self, request: Request) -> Response:
        """List the latest requests, the newest first; ``first`` says how many."""
        text = request.query_params.get("first", str(DEFAULT_FIRST))
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= KEPT):
            raise Refusal(400, "bad_request", f"first is a number from 1 to {KEPT}")
        found = await run_sync(list_requests, self._gateway.database, int(text))
        return respond(data({"requests": found}))


def _show(faults: Faults) -> Response:
    known = {name: kind.summary for name, kind in KINDS.items()}
    return respond(data({"on": faults.current(), "known": known}))


def _read_wish(body: bytes) -> tuple[str, str | None]:
    try:
        wish = parse(body)
    except ValueError as error:
        raise Refusal(400, "bad_request", f"the body is not JSON: {error}") from error
    if not is_object(wish) or not isinstance(wish.get("name"), str):
        raise Refusal(400, "bad_request", "the body is not an object with a name")
    value = wish.get("value")
    return wish["name"], None if value is None else str(value)


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)  # it is registered for nothing else
    return respond(envelope(error))


async def _refuse_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # it is registered for nothing else
    return respond(envelope(Refusal(error.status_code, "not_found", error.detail)))
