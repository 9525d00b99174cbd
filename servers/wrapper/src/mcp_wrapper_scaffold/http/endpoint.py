"""From a POST to its answer: JSON-RPC in every revision, cancelled when the client goes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from typing import Any, Final

from mcp import MCPError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp.types import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from mcp_wrapper_scaffold.calls import GENERIC
from mcp_wrapper_scaffold.dispatch import Dispatcher, Job
from mcp_wrapper_scaffold.http.eras import Era, check_version, find_era, route
from mcp_wrapper_scaffold.http.fields import read_headers
from mcp_wrapper_scaffold.http.messages import (
    ClientGone,
    RpcRequest,
    check_media,
    decode,
    is_array,
    is_notification,
    is_object,
    read_body,
    read_id,
    read_request,
)
from mcp_wrapper_scaffold.http.param_fields import ParamFields
from mcp_wrapper_scaffold.http.replies import (
    HttpFault,
    encode,
    error_of,
    result_of,
    send_fault,
    send_reply,
)
from mcp_wrapper_scaffold.limits import Limits

LOG = logging.getLogger(__name__)
_RETRY: Final = ((b"retry-after", b"1"),)
_STOPPING: Final = "The server is stopping; try again in a second"
_BUSY: Final = "The server runs as many calls as it can; try again in a second"
_Reply = tuple[int, bytes]


class Endpoint:
    """Answer POSTs to the one MCP path. It is an ASGI application.

    Args:
        dispatcher: carries requests out.
        limits: bounds of bodies and of calls at once.
    """

    def __init__(self, dispatcher: Dispatcher, limits: Limits) -> None:
        self._dispatcher = dispatcher
        self._limits = limits
        self._param_fields = ParamFields(dispatcher.server)
        self._running = 0
        self._jobs: set[asyncio.Task[_Reply]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of an admitted caller."""
        headers = read_headers(scope)
        try:
            if scope["method"] != "POST":
                allow = ((b"allow", b"POST"),)
                raise HttpFault(405, "method_not_allowed", "this path takes POST only", allow)
            check_media(headers)
            limits = self._limits
            body = await read_body(headers, receive, limits.request_bytes, limits.request_seconds)
        except HttpFault as fault:
            await send_fault(send, fault)
            return
        except ClientGone:
            return
        work = self._answer(_without_credentials(scope), headers, body)
        reply = await self._while_connected(work, receive)
        if reply is not None:
            status, content = reply
            await send_reply(send, status, content, _RETRY if status == 503 else ())

    def cut_off(self) -> None:
        """Cancel what is under way; each caller gets 503."""
        for job in self._jobs:
            job.cancel()

    async def _while_connected(
        self, work: Coroutine[Any, Any, _Reply], receive: Receive
    ) -> _Reply | None:
        """Do work until it is done or the client closes the connection, which ends it."""
        job = asyncio.create_task(work)
        gone = asyncio.create_task(_disconnected(receive))
        self._jobs.add(job)
        try:
            await asyncio.wait((job, gone), return_when=asyncio.FIRST_COMPLETED)
            if not job.done():
                return None
            if job.cancelled():
                return 503, encode(error_of(None, INTERNAL_ERROR, _STOPPING))
            return job.result()
        finally:
            self._jobs.discard(job)
            gone.cancel()
            if not job.done():
                job.cancel()
                await asyncio.wait((job,))

    async def _answer(self, scope: Scope, headers: Headers, body: bytes) -> _Reply:
        try:
            message = decode(body)
        except (ValueError, RecursionError):
            return 400, encode(error_of(None, PARSE_ERROR, "Parse error"))
        try:
            if is_array(message):
                return await self._answer_batch(scope, headers, message)
            era = find_era(headers, message)
            if is_notification(message):
                # A cancellation arrives here too, and means nothing: ids of different clients may
                # be the same. Who closes the connection of a call cancels it.
                check_version(era)
                return 202, b""
            request = read_request(message)
            if request is None:
                raise MCPError(INVALID_REQUEST, "Invalid request")
            return await self._answer_request(scope, headers, request, era)
        except MCPError as error:
            return 400, encode(_failure(read_id(message), error))
        except Exception as error:  # noqa: BLE001 - logged whole; the caller is owed an answer
            self._dispatcher.note_crash("a request", error)
            return 500, encode(error_of(read_id(message), INTERNAL_ERROR, GENERIC))

    async def _answer_request(
        self, scope: Scope, headers: Headers, request: RpcRequest, era: Era
    ) -> _Reply:
        version, info, capabilities = route(headers, request, era)
        job = Job(
            request.id, request.method, request.params, version, info, capabilities, Request(scope)
        )
        is_call = request.method == "tools/call"
        if is_call and era.is_stateless:
            self._param_fields.check(headers, request.params or {})
        if is_call and self._running >= self._limits.concurrent_calls:
            return 503, encode(error_of(request.id, INTERNAL_ERROR, _BUSY))
        self._running += is_call
        try:
            return 200, _encode_result(request.id, await self._dispatcher.run(job))
        except MCPError as error:
            status = ERROR_CODE_HTTP_STATUS.get(error.code, 200) if era.is_stateless else 200
            return status, encode(_failure(request.id, error))
        finally:
            self._running -= is_call

    async def _answer_batch(self, scope: Scope, headers: Headers, messages: list[Any]) -> _Reply:
        first: object = next((each for each in messages if is_object(each)), None)
        era = find_era(headers, first)
        if not era.batches:
            raise MCPError(INVALID_REQUEST, "Invalid request: this revision has no batches")
        if not 0 < len(messages) <= self._limits.batch_members:
            limit = self._limits.batch_members
            raise MCPError(INVALID_REQUEST, f"Invalid request: a batch has 1 to {limit} messages")
        replies: list[bytes] = []
        for message in messages:
            if is_notification(message):
                continue
            request = read_request(message)
            if request is None:
                error = error_of(read_id(message), INVALID_REQUEST, "Invalid request")
                replies.append(encode(error))
                continue
            _, content = await self._answer_request(scope, headers, request, era)
            replies.append(content)
        return (200, b"[" + b",".join(replies) + b"]") if replies else (202, b"")


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _without_credentials(scope: Scope) -> Scope:
    """Return what handlers may see of a request: nobody below needs the caller's token."""
    kept = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
    return {**scope, "headers": kept}


def _encode_result(request_id: object, result: Mapping[str, Any]) -> bytes:
    try:
        return encode(result_of(request_id, result))
    except (TypeError, ValueError, RecursionError) as error:
        # Of a typed handler's own content or meta; answers themselves were encoded before.
        LOG.error("a result is no JSON: %s", type(error).__name__)
        raise MCPError(INTERNAL_ERROR, GENERIC) from None


def _failure(request_id: object, error: MCPError) -> Mapping[str, Any]:
    return error_of(request_id, error.code, error.message, error.data)
