"""The public application: the document's routes over HTTP, and the journal of them."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl

import anyio
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairwins_gateway.document import Operation
from fairwins_gateway.errors import Refusal
from fairwins_gateway.exchange import Exchange
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.journal import Entry, record
from fairwins_gateway.messages import Inbound, envelope
from fairwins_gateway.payments.payloads import HEADERS
from fairwins_gateway.routes.binding import Handlers, bind
from fairwins_gateway.web.disfigurement import disfigure
from fairwins_gateway.web.guard import Guard, read_body, respond

Endpoint = Callable[[Request], Awaitable[Response]]
_MAX_QUERY_FIELDS = 64
_RECEIPTS = tuple(name.lower() for name in HEADERS.values())


def public_app(gateway: Gateway, handlers: Handlers) -> ASGIApp:
    """Return the application that speaks the Member API.

    Raises:
        BindingError: the document has a route without a handler, or the other way round.
    """
    exchange = Exchange(gateway, bind(gateway.operations, handlers))
    app = Starlette(
        routes=[_route(exchange, operation) for operation in gateway.operations.values()],
        exception_handlers={HTTPException: _refuse, Exception: _fail},
    )
    app.router.redirect_slashes = False
    recorded = Recorder(app, gateway)
    return Guard(recorded, gateway.settings.hosts, gateway.settings.origin_auth)


class Recorder:
    """Write each request into the journal, just before its answer starts."""

    def __init__(self, app: ASGIApp, gateway: Gateway) -> None:
        self._app = app
        self._gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and keep what it was and how it was answered."""

        async def send_recorded(message: Message) -> None:
            if message["type"] == "http.response.start":
                await run_sync(self._record, scope, message)
            await send(message)

        await self._app(scope, receive, send_recorded)

    def _record(self, scope: Scope, message: Message) -> None:
        answer = {name.decode("latin-1").lower(): value for name, value in message["headers"]}
        receipts = [answer[name].decode("latin-1") for name in _RECEIPTS if name in answer]
        entry = Entry(
            received_at=self._gateway.clock.instant(),
            method=scope["method"],
            path=scope["path"],
            headers=_headers(scope),
            status=message["status"],
            receipt=receipts[0] if receipts else None,
        )
        record(self._gateway.database, entry)


def _route(exchange: Exchange, operation: Operation) -> Route:
    route = Route(operation.path, _endpoint(exchange, operation))
    route.methods = {operation.method}  # without HEAD, which starlette would add to every GET
    return route


def _endpoint(exchange: Exchange, operation: Operation) -> Endpoint:
    faults = exchange.gateway.faults

    async def answer(request: Request) -> Response:
        try:
            inbound = _inbound(request, await read_body(request))
            reply = await run_sync(functools.partial(exchange.answer, operation, inbound))
        except Refusal as refusal:
            reply = envelope(refusal)
        late = faults.value("slow")
        if late is not None:
            await anyio.sleep(int(late) / 1000)
        return disfigure(respond(reply), faults)

    async def answer_connected(request: Request) -> Response:
        try:
            return await answer(request)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is there to read it

    return answer_connected


def _inbound(request: Request, body: bytes) -> Inbound:
    try:
        query = parse_qsl(
            request.url.query,
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MAX_QUERY_FIELDS,
        )
    except ValueError as error:
        raise Refusal(400, "bad_request", "the query is not in UTF-8, or too long") from error
    return Inbound(
        path=request.path_params,
        query=query,
        headers=_headers(request.scope),
        body=body,
        host=request.headers["host"],
        address=request.client.host if request.client else "",
    )


def _headers(scope: Scope) -> list[tuple[str, bytes]]:
    return [(name.decode("latin-1").lower(), value) for name, value in scope["headers"]]


async def _refuse(request: Request, error: Exception) -> Response:
    """Put starlette's own refusals into the envelope."""
    assert isinstance(error, HTTPException)  # it is registered for nothing else
    known = {404: ("not_found", "there is no such route")}
    code, reason = known.get(
        error.status_code, ("method_not_allowed", "the route does not take this method")
    )
    response = respond(envelope(Refusal(error.status_code, code, reason)))
    response.headers.update(error.headers or {})
    return response


async def _fail(request: Request, error: Exception) -> Response:
    """Answer for a bug of this package; starlette has the exception logged afterwards."""
    return respond(envelope(Refusal(500, "internal_error", "the sandbox itself has failed")))
