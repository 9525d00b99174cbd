"""Answers disfigured on request, as broken gateways and proxies would send them."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from fairwins_gateway.faults import Faults
from fairwins_gateway.jsontext import dump
from fairwins_gateway.web.guard import FIXED_HEADERS

_PAGE = b"<!doctype html><title>Welcome</title><p>This is not the answer you are looking for.\n"


class CutResponse(Response):
    """Announce a body, send half of it, and end the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Return without a last part, which makes the server close the connection."""
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        half = bytes(self.body)[: len(self.body) // 2]
        await send({"type": "http.response.body", "body": half, "more_body": True})


def disfigure(response: Response, faults: Faults) -> Response:
    """Return the answer, or what the faults make of it; the first of them decides."""
    if faults.value("cut") is not None:
        return CutResponse(bytes(response.body), response.status_code, dict(response.headers))
    size = faults.value("huge")
    if size is not None:
        filling = b"x" * (int(size) - len(b'{"filling":""}'))
        return Response(b'{"filling":"' + filling + b'"}', 200, FIXED_HEADERS)
    place = faults.value("redirect")
    if place is not None:
        return Response(b"", 307, {**FIXED_HEADERS, "Location": place})
    if faults.value("non-json") is not None:
        return Response(_PAGE, 200, {**FIXED_HEADERS, "Content-Type": "text/html"})
    code = faults.value("flat-error")
    if code is not None:
        flat = {"error": code, "message": "The sandbox was told to answer in the old form."}
        return Response(dump(flat), 503, FIXED_HEADERS)
    return response
