"""One JSON-RPC request on a server of the MCP SDK, without a connection to keep.

The SDK reads the parameters, calls the handler and shapes the result for the revision. What it
does between a socket and that is not used: it would let a call run on after its client has gone,
and refuse clients for their Accept field.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp import MCPError
from mcp.server import Server
from mcp.server.connection import Connection
from mcp.server.runner import serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SERVER_INFO_META_KEY,
    CallToolResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request

from mcp_wrapper_scaffold.calls import CURRENT, GENERIC, Call
from mcp_wrapper_scaffold.envelope import failed, spread
from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.metrics.points import Meter
from mcp_wrapper_scaffold.redaction import Redaction

LOG = logging.getLogger(__name__)
_TRANSPORT = TransportContext(kind="streamable-http", can_send_request=False)


@dataclass(slots=True)
class Exchange:
    """One request as the SDK's handlers see it: nothing can be sent before the answer."""

    request_id: str | int
    message_metadata: MessageMetadata
    transport: TransportContext = _TRANSPORT
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refuse: there is no way back to the client.

        Raises:
            NoBackChannelError: always.
        """
        raise NoBackChannelError(method)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Drop a notification: the answer is one JSON object."""

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Drop it for the same reason."""


@dataclass(frozen=True, slots=True)
class Job:
    """A request that may be carried out.

    Attributes:
        request_id: its id.
        method: what is asked.
        params: with what.
        version: the revision to serve it in.
        client_info: what the client says of itself; nothing is decided by it.
        capabilities: what the client can do.
        web: the HTTP request, without its credentials.
    """

    request_id: str | int
    method: str
    params: dict[str, Any] | None
    version: str
    client_info: object
    capabilities: object
    web: Request


class Dispatcher:
    """Carry out requests on a server.

    Args:
        server: has the handlers.
        meter: is told of every call of a tool.
        redaction: keeps secrets out of the log.
    """

    def __init__(self, server: Server[Any], meter: Meter, redaction: Redaction) -> None:
        self.server = server
        self.lifespan_state: object = None
        self._meter = meter
        self._redaction = redaction

    def note_crash(self, what: str, error: BaseException) -> None:
        """Log an exception that nobody was meant to see, without known secrets."""
        LOG.error("%s failed\n%s", what, self._redaction.format_exception(error))

    async def run(self, job: Job) -> dict[str, Any]:
        """Return the result of a request.

        Raises:
            MCPError: the request failed; nothing in it is for the server alone.
        """
        if job.method == "tools/call":
            return await self._call(job)
        is_served = self.server.get_request_handler(job.method) is not None
        if not is_served and job.method != "initialize":  # which the SDK keeps to itself
            raise MCPError(METHOD_NOT_FOUND, "Method not found", job.method[:128])
        return await self._serve(job)

    async def _call(self, job: Job) -> dict[str, Any]:
        """Call a tool. A request that the gate refused fails the call, whatever became of it."""
        name: object = (job.params or {}).get("name")
        call = Call(name if isinstance(name, str) else "")
        token = CURRENT.set(call)
        began = time.perf_counter()
        is_ok = False
        try:
            result = await self._settle(call, job)
            is_ok = not result.get("isError")
            return result
        finally:
            call.is_over = True
            CURRENT.reset(token)
            self._meter.call(call.tool, is_ok, time.perf_counter() - began)

    async def _settle(self, call: Call, job: Job) -> dict[str, Any]:
        try:
            result = await self._serve(job)
        except MCPError as error:
            # What is raised is the SDK's way out of a handler; the call knows why.
            if call.denial is not None:
                raise self._denied(call.denial) from None
            if call.failure is None:
                raise self._cleaned_error(error) from None
            return self._shaped(failed(self._redaction.clean(call.failure)), job.version)
        if call.denial is not None:
            raise self._denied(call.denial)
        return self._cleaned(result) if result.get("isError") else spread(result)

    async def _serve(self, job: Job) -> dict[str, Any]:
        connection = Connection.from_envelope(job.version, job.client_info, job.capabilities)
        exchange = Exchange(job.request_id, ServerMessageMetadata(request_context=job.web))
        try:
            return await serve_one(
                self.server,
                exchange,
                job.method,
                job.params,
                connection=connection,
                lifespan_state=self.lifespan_state,
            )
        except MCPError:
            raise
        except ValidationError:
            raise MCPError(INVALID_PARAMS, "Invalid request parameters") from None
        except Exception as error:  # noqa: BLE001 - logged whole; the caller is owed an answer
            self.note_crash(job.method, error)
            raise MCPError(INTERNAL_ERROR, GENERIC) from None

    def _shaped(self, result: CallToolResult, version: str) -> dict[str, Any]:
        """Return a result that the SDK has not seen, with what it adds for the revision."""
        members = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        if version in MODERN_PROTOCOL_VERSIONS:
            stamp = {SERVER_INFO_META_KEY: self.server.server_info_stamp}
            return {**members, "resultType": "complete", "_meta": stamp}
        members.pop("resultType", None)
        return members

    def _denied(self, denial: GatedFetchDenied) -> MCPError:
        """Return the error of a call that asked for too much; a secret may be in the path."""
        text = self._redaction.clean(f"Fetch denied ({denial.code}): {denial}")
        return MCPError(INTERNAL_ERROR, text)

    def _cleaned(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a failed result that holds no known secret: an upstream may quote one."""
        told = ("content", "structuredContent")
        return result | {
            name: self._redaction.clean_value(result[name]) for name in told if name in result
        }

    def _cleaned_error(self, error: MCPError) -> MCPError:
        """Return an error of a handler's own without known secrets."""
        data = self._redaction.clean_value(error.data)
        return MCPError(error.code, self._redaction.clean(error.message), data)
