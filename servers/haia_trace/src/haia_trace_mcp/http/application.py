"""The ASGI application: paths, and what each asks of a request before it answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from mcp.server import Server
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, request_response

from haia_trace_mcp.http.admission import Admission
from haia_trace_mcp.http.doorkeeper import BearerCheck, Doorkeeper
from haia_trace_mcp.http.endpoint import Endpoint
from haia_trace_mcp.oauth import Resource
from haia_trace_mcp.oauth.resource import MCP_PATH, WELL_KNOWN

HEALTH_PATH: Final = "/healthz"


def build_application(
    server: Server[Any], admission: Admission, bearer: BearerCheck | None, resource: Resource | None
) -> Starlette:
    """Return the application.

    Args:
        server: the MCP server.
        admission: judges Host and Origin.
        bearer: judges tokens; without it, everybody is served.
        resource: what the metadata tells; without it, there is none.
    """
    endpoint = Endpoint(server)
    checks = (admission.check,) if bearer is None else (admission.check, bearer)
    door = Doorkeeper(endpoint, *checks)
    paths = {MCP_PATH} if resource is None else {MCP_PATH, urlsplit(resource.url).path}
    routes = [Route(path, door) for path in sorted(paths)]
    routes.append(Route(HEALTH_PATH, _tell_health, methods=["GET"]))
    if resource is not None:
        routes += _metadata_routes(resource, admission)

    @asynccontextmanager
    async def run(app: Starlette) -> AsyncGenerator[None]:
        async with endpoint.manager.run():
            yield

    app = Starlette(routes=routes, lifespan=run)
    app.router.redirect_slashes = False  # what follows a redirect may carry the token elsewhere
    return app


def _metadata_routes(resource: Resource, admission: Admission) -> list[Route]:
    """Return where clients look for the metadata.

    That is the resource's own well-known path, the one that is left behind a proxy which strips a
    prefix, and the root, which some try first. It is public, so pages of every origin may read it:
    those of clients in browsers have to.
    """
    document = resource.metadata()

    async def tell_metadata(request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            return Response(status_code=405, headers={"allow": "GET, HEAD"})
        fields = {"cache-control": "max-age=300", "x-content-type-options": "nosniff"}
        return Response(document, media_type="application/json", headers=fields)

    page = request_response(tell_metadata)
    shared = CORSMiddleware(page, allow_origins=["*"], allow_methods=["GET"], allow_headers=["*"])
    door = Doorkeeper(shared, admission.check_host)
    return [
        Route(path, door)
        for path in sorted({resource.metadata_path, WELL_KNOWN + MCP_PATH, WELL_KNOWN})
    ]


async def _tell_health(request: Request) -> Response:
    """Say that the process answers; whoever asks needs no token, and learns nothing else."""
    return Response(b'{"status":"ok"}', media_type="application/json")
