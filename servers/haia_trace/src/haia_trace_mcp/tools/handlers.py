"""Handlers of the contract's tools. None of them approves anything, and none ever will."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import anyio
import anyio.to_thread
from pydantic import MISSING

from counterfoil_bindings.haia_trace import models
from counterfoil_bindings.haia_trace.stubs import HaiaTraceHandlers
from counterfoil_bindings.runtime import CallContext, ToolFailure, ToolResult
from haia_trace_mcp.errors import (
    HaiaTraceError,
    RunsError,
    UnknownOperationError,
    UnknownRunError,
    UnknownTemplateError,
)
from haia_trace_mcp.service import TraceService
from haia_trace_mcp.tools.answers import Answer, list_answer, portable, receipt_answer

AnswerT = TypeVar("AnswerT")

_THREADS: Final = 4
_PROBLEMS: Final = 20


class Handlers(HaiaTraceHandlers[CallContext]):
    """Carries the tools out, in threads: reading and flushing files holds up no other call.

    Args:
        service: answers the questions.
    """

    def __init__(self, service: TraceService) -> None:
        self._service = service
        self._threads = anyio.CapacityLimiter(_THREADS)

    async def list_operations(
        self, args: models.ListOperationsInput, ctx: CallContext, /
    ) -> Answer:
        """List operations, newest first; a run that cannot be used fails the call."""
        work = partial(
            self._service.list_operations,
            args.template,
            None if args.run is MISSING else args.run,
            None if args.completeness is MISSING else args.completeness,
            args.limit,
        )
        return list_answer(await self._do("The operations cannot be listed", work))

    async def get_receipt(self, args: models.GetReceiptInput, ctx: CallContext, /) -> ToolResult:
        """Return a receipt as the original prints it."""

        def work() -> ToolResult:
            receipt = self._service.receipt(args.run_id, args.operation_id, args.template)
            return receipt_answer(args.run_id, receipt)

        return await self._do("The receipt cannot be read", work)

    async def check_before_pay(
        self, args: models.CheckBeforePayInput, ctx: CallContext, /
    ) -> Answer:
        """Judge an intended payment. A failure is no decision."""

        def work() -> Answer:
            asset = None if args.asset is MISSING else args.asset
            decision = self._service.check(args.counterparty, args.amount, asset, args.template)
            return portable(decision.to_json())

        failed = "The payment was not checked, which is no allow"
        return await self._do(failed, work)

    async def explain(self, args: models.ExplainInput, ctx: CallContext, /) -> Answer:
        """Explain a receipt."""
        work = partial(self._service.explain, args.run_id, args.operation_id, args.template)
        return portable(await self._do("The receipt cannot be explained", work))

    async def get_review_status(
        self, args: models.GetReviewStatusInput, ctx: CallContext, /
    ) -> Answer:
        """Show what became of a review."""
        work = partial(self._service.review, args.review_id)
        found = await self._do("The review cannot be shown, and nothing is known of it", work)
        return portable(found.to_json())

    async def _do(self, failed: str, work: Callable[[], AnswerT]) -> AnswerT:
        """Carry work out in a thread; it is waited for even if nobody wants the answer any more.

        Raises:
            ToolFailure: the work failed; the text says what could not be read, and where.
        """
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._threads)
        except HaiaTraceError as error:
            raise ToolFailure(_failure(failed, error)) from error


def _failure(failed: str, error: HaiaTraceError) -> str:
    if isinstance(error, RunsError) and len(error.problems) > 1:
        named = [f"- {problem}" for problem in error.problems[:_PROBLEMS]]
        more = len(error.problems) - len(named)
        lines = [f"{failed}:", *named, *([f"- and {more} more runs"] if more else [])]
        return _sendable("\n".join(lines))
    return _sendable(f"{failed}: {error}{_advice(error)}")


def _advice(error: HaiaTraceError) -> str:
    if isinstance(error, UnknownRunError | UnknownOperationError):
        return ". list_operations shows which there are; ids are compared exactly."
    if isinstance(error, UnknownTemplateError):
        return ". Leave template out to read with x402-buyer."
    return "."


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
