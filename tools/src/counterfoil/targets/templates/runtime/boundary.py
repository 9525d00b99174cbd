"""The boundary between the SDK's requests and the handlers."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias, TypeVar, cast

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, PaginatedRequestParams, TextContent

from .calls import CallContext

JsonObject: TypeAlias = Mapping[str, Any]
Request: TypeAlias = ServerRequestContext[Any, Any]
ContextFactory: TypeAlias = Callable[[CallContext], object]
ResultT = TypeVar("ResultT")

LOG = logging.getLogger(__name__)


def call_context(request: Request, name: str, arguments: Mapping[str, object]) -> CallContext:
    """Return what a handler may know of a request."""
    web = request.request  # None over stdio
    return CallContext(
        name=name,
        protocol_version=request.protocol_version,
        arguments=arguments,
        headers=None if web is None else web.headers,
        request_id=request.request_id,
        meta=cast("Mapping[str, object]", request.meta or {}),
        progress=request.session.report_progress,
    )


@asynccontextmanager
async def opened(factory: ContextFactory | None, call: CallContext) -> AsyncGenerator[Any]:
    """Provide the context that a handler is given; an async context manager is entered."""
    made: object = call if factory is None else factory(call)
    if isinstance(made, AbstractAsyncContextManager):
        async with cast("AbstractAsyncContextManager[object]", made) as entered:
            yield entered
    else:
        yield made


async def guarded(what: str, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Await a handler's work and let nothing of a crash out.

    A protocol error that the handler chose passes. For anything else, the SDK would answer the
    old revisions with the exception's text, and a ``ValidationError`` with the value in it.

    Args:
        what: names the work in the log.
        work: the work.

    Raises:
        MCPError: -32603 without detail; the traceback is in the log.
    """
    try:
        return await work
    except MCPError:
        raise
    except Exception:  # whatever a handler raises: callers are told nothing of its inside
        LOG.exception("%s failed", what)
        raise MCPError(INTERNAL_ERROR, "Internal error") from None


def refuse_cursor(params: PaginatedRequestParams | None) -> None:
    """Refuse a cursor, since every list has one page.

    Raises:
        MCPError: -32602, there is a cursor, and none was handed out.
    """
    if params is not None and params.cursor:
        raise MCPError(INVALID_PARAMS, "Unknown cursor: this list has one page")


def text_block(text: str) -> TextContent:
    """Return a text block; what no UTF-8 can hold (lone surrogates) is replaced."""
    return TextContent(type="text", text=text.encode("utf-8", "replace").decode())
