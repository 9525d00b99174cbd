"""One call of a tool from its context to its end, and what of a failure may leave the server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Final, Protocol, TypeAlias, cast, runtime_checkable

from mcp import MCPError
from mcp.types import INTERNAL_ERROR

from mcp_wrapper_scaffold.context import Context
from mcp_wrapper_scaffold.errors import FetchError, GatedFetchDenied
from mcp_wrapper_scaffold.gate import Fetch, Gate
from mcp_wrapper_scaffold.google_tokens import AccessTokens, keep_tokens
from mcp_wrapper_scaffold.redaction import Redaction
from mcp_wrapper_scaffold.secret_cache import Secrets
from mcp_wrapper_scaffold.secret_sources import SecretUnavailable
from mcp_wrapper_scaffold.tooldefs import ToolError

LOG = logging.getLogger(__name__)
GENERIC: Final = "Internal error"


class CallInfo(Protocol):
    """Be what the generated bindings know of a call."""

    @property
    def name(self) -> str:
        """Return the tool's name."""
        ...

    @property
    def protocol_version(self) -> str:
        """Return the MCP revision."""
        ...

    @property
    def request_id(self) -> str | int | None:
        """Return the id of the request."""
        ...


ContextFactory: TypeAlias = Callable[[Any], AbstractAsyncContextManager[Context]]
OnDenied: TypeAlias = Callable[["Call", GatedFetchDenied], None]


@runtime_checkable
class WrittenForTheModel(Protocol):
    """Be an exception whose text its raiser wrote for the model, as ``ToolFailure`` of bindings."""

    text: str
    structured: object


class Call:
    """What has happened during one ``tools/call``.

    Attributes:
        tool: the name that was asked for.
        denial: the first request that the gate refused, or None.
        failure: what the model is told of an upstream that could not be read, or None.
    """

    __slots__ = ("denial", "failure", "is_over", "tool")

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.denial: GatedFetchDenied | None = None
        self.failure: str | None = None
        self.is_over = False


CURRENT: ContextVar[Call] = ContextVar("mcp_wrapper_call")


class Calls:
    """Open contexts for calls, and settle what their failures mean.

    Args:
        gate: the wrapper's only way out.
        secrets: what handlers may ask for.
        redaction: keeps secrets out of the log.
        on_denied: is told of each request that the gate refused.
    """

    def __init__(
        self, gate: Gate, secrets: Secrets, redaction: Redaction, on_denied: OnDenied
    ) -> None:
        self._gate = gate
        self._secrets = secrets
        self._redaction = redaction
        self._on_denied = on_denied
        self._tokens = AccessTokens()

    def opened(self, info: CallInfo) -> AbstractAsyncContextManager[Context]:
        """Return what provides the context of the current call, and closes its fetch at the end.

        Raises:
            MCPError: at the end, -32603 in place of whatever the handler raised, apart from an
                exception that it wrote for the model. The call says what it was.
        """
        return _Opened(self, CURRENT.get(), info)

    def context(self, call: Call, info: CallInfo) -> Context:
        """Return the context of a call."""
        return Context(
            fetch=self._fetch(call),
            tool=info.name,
            protocol_version=info.protocol_version,
            request_id=info.request_id,
            _secrets=self._secrets,
        )

    def settle(self, call: Call, error: BaseException) -> None:
        """Note on a call what its exception means; what means nothing to anybody is logged."""
        leaves = list(_leaves(error))
        denials = [leaf for leaf in leaves if isinstance(leaf, GatedFetchDenied)]
        if denials:
            call.denial = call.denial or denials[0]
            return
        told = [_told(leaf) for leaf in leaves]
        texts = [text for text in told if text is not None]
        if len(texts) == len(told):
            call.failure = "\n".join(dict.fromkeys(texts))
            return
        LOG.error("tool %s failed\n%s", call.tool, self._redaction.format_exception(error))

    def _fetch(self, call: Call) -> Fetch:
        def record(denial: GatedFetchDenied) -> None:
            LOG.warning("tool %s: denied: %s", call.tool, self._redaction.clean(str(denial)))
            if call.denial is None:
                call.denial = denial
            self._on_denied(call, denial)

        fetch = self._gate.fetch(record, lambda: call.is_over)
        keep_tokens(fetch, self._tokens)
        return fetch


class _Opened(AbstractAsyncContextManager[Context]):
    """The time in which a handler runs."""

    def __init__(self, calls: Calls, call: Call, info: CallInfo) -> None:
        self._calls = calls
        self._call = call
        self._info = info

    async def __aenter__(self) -> Context:
        return self._calls.context(self._call, self._info)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                # Tasks that the handler has only just started begin here, and are still of this
                # call.
                await asyncio.sleep(0)
            elif not _passes(error):
                self._calls.settle(self._call, error)
                raise MCPError(INTERNAL_ERROR, GENERIC) from None
        finally:
            self._call.is_over = True


def _passes(error: BaseException) -> bool:
    """Tell what is not the handler's failure, or was written by it for whoever asked."""
    if isinstance(error, asyncio.CancelledError):
        # A handler may raise it by itself; only a task that was cancelled ends with it.
        task = asyncio.current_task()
        return task is None or bool(task.cancelling())
    return isinstance(error, KeyboardInterrupt | MCPError | WrittenForTheModel)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield what a group of exceptions holds, or the exception itself."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        for each in group.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _told(error: BaseException) -> str | None:
    """Return what the model is told of an exception, or None if that is nothing."""
    if isinstance(error, ToolError):
        return error.text
    if isinstance(error, FetchError):
        return f"An upstream read failed. {error}"
    if isinstance(error, SecretUnavailable):
        return f"The server lacks a credential that this tool needs: {error}"
    return None
