"""The ASGI application: who is let in, and to what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_wrapper_scaffold.http.admission import Admission
from mcp_wrapper_scaffold.http.fields import only, read_headers
from mcp_wrapper_scaffold.http.replies import HttpFault, send_fault
from mcp_wrapper_scaffold.metrics.points import MetricsPage
from mcp_wrapper_scaffold.secret_sources import SecretSource
from mcp_wrapper_scaffold.tokens import match_token

MCP_PATH: Final = "/mcp"
HEALTH_PATH: Final = "/healthz"
METRICS_PATH: Final = "/metrics"
_CHALLENGE: Final = ((b"www-authenticate", b"Bearer"),)
# The same whatever was wrong: a caller without the token learns nothing about it.
_REFUSAL: Final = "a valid token is needed: Authorization: Bearer TOKEN"

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]


class Doorkeeper:
    """Let a request in to an application if it comes from an allowed place and has the token.

    Args:
        app: the application.
        admission: judges Host and Origin.
        sources: where the token is; each says by itself, and not too often, when it fails.
    """

    def __init__(self, app: ASGIApp, admission: Admission, sources: Sequence[SecretSource]) -> None:
        self._app = app
        self._admission = admission
        self._sources = sources

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before its body is read."""
        headers = read_headers(scope)
        try:
            self._admission.check(headers)
            if not await match_token(only(headers, "authorization"), self._sources, _ignore):
                raise HttpFault(401, "unauthorized", _REFUSAL, _CHALLENGE)
        except HttpFault as fault:
            await send_fault(send, fault)
            return
        await self._app(scope, receive, send)


def _ignore(text: str, detail: str) -> None:
    """Say nothing: the sources have, and whoever has no token must not fill the log."""


class PageEndpoint:
    """Answer with a page of metrics. It is an ASGI application."""

    def __init__(self, page: MetricsPage) -> None:
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of an admitted caller."""
        if scope["method"] not in ("GET", "HEAD"):
            await Response(status_code=405, headers={"allow": "GET, HEAD"})(scope, receive, send)
            return
        content_type, content = self._page.render()
        await Response(content, media_type=content_type)(scope, receive, send)


async def _tell_health(request: Request) -> Response:
    """Say that the process answers; whoever asks needs no token, and learns nothing else."""
    return Response(b'{"status":"ok"}', media_type="application/json")


def build_application(
    endpoint: ASGIApp,
    page: MetricsPage | None,
    admission: Admission,
    sources: Sequence[SecretSource],
    lifespan: Lifespan,
) -> Starlette:
    """Return the application with everything but its health behind the doorkeeper."""
    routes = [
        Route(MCP_PATH, Doorkeeper(endpoint, admission, sources)),
        Route(HEALTH_PATH, _tell_health, methods=["GET"]),
    ]
    if page is not None:
        routes.append(Route(METRICS_PATH, Doorkeeper(PageEndpoint(page), admission, sources)))
    app = Starlette(routes=routes, lifespan=lifespan)
    app.router.redirect_slashes = False  # what follows a redirect may carry the token elsewhere
    return app
