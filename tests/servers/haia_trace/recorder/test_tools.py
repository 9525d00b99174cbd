"""Tools that cost money: one payment stays one operation, whoever of the client's parts sees it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from x402 import SettleResponse, x402Client
from x402.mcp import x402MCPClient
from x402_buyer import CONTROLS, SIGNATURE, Scheme, offer, settled, unsettled

from haia_trace_mcp.index import Operation, TraceIndex
from haia_trace_mcp.recorder import Recorder
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates


class Session:
    """A session with a server whose one tool costs money."""

    def __init__(self, settlement: SettleResponse | None) -> None:
        self._settlement = settlement

    async def call_tool(self, params: dict[str, Any], **options: Any) -> object:
        """Ask for a payment, or answer one."""
        if "x402/payment" not in params.get("_meta", {}):
            asked = offer().model_dump(by_alias=True, exclude_none=True)
            return answer(asked, is_error=True)
        found = answer({"quote": "7"}, is_error=False)
        if self._settlement is not None:
            told = self._settlement.model_dump(by_alias=True, exclude_none=True)
            vars(found)["_meta"] = {"x402/payment-response": told}
        return found


def answer(content: dict[str, Any], *, is_error: bool) -> SimpleNamespace:
    text = {"type": "text", "text": json.dumps(content)}
    return SimpleNamespace(content=[text], isError=is_error, structuredContent=content)


def buy(root: Path, settlement: SettleResponse | None) -> tuple[Operation, list[dict[str, Any]]]:
    """Return the one operation of a paid call, and the events of its run."""
    client = x402Client().register("eip155:*", Scheme()).set_spend_controls(CONTROLS)
    tools = x402MCPClient(Session(settlement), client, auto_payment=True)
    with Recorder.start(root).attach(client, mcp=tools):
        asyncio.run(tools.call_tool("get_quote", {"city": "Oslo"}))
    (path,) = (root / "events").iterdir()
    text = path.read_text("utf-8")
    assert SIGNATURE not in text
    assert "Oslo" not in text
    index = TraceIndex(TraceRoot(root), Templates(TraceRoot(root)))
    index.refresh()
    (operation,) = index.operations("x402-buyer")
    return operation, [json.loads(line) for line in text.splitlines()]


def test_a_tool_that_is_paid_is_one_operation(tmp_path: Path) -> None:
    operation, events = buy(tmp_path, settled())
    assert operation.completeness == "full"
    assert [event["event_type"] for event in events] == [
        "trace.attached",
        "trace.attached",
        "x402.payment.required",
        "x402.payment.requested",
        "x402.payment.creating",
        "x402.payment.submitted",
        "x402.payment.responded",
    ]
    assert events[1]["payload"] == {
        "kind": "mcpClient",
        "attached": ["onPaymentRequired", "onBeforePayment", "onAfterPayment"],
    }
    assert [event["payload"].get("tool_name") for event in events[2:]] == [
        "get_quote", "get_quote", None, None, "get_quote",
    ]  # fmt: skip
    assert list(events[-1]["payload"])[-2:] == ["settle", "tool_name"]


@pytest.mark.parametrize(
    ("settlement", "kind"), [(None, "payment.failed"), (unsettled(), "settle.failed")]
)
def test_a_tool_that_says_nothing_of_the_settlement_leaves_the_operation_open(
    tmp_path: Path, settlement: SettleResponse | None, kind: str
) -> None:
    operation, events = buy(tmp_path, settlement)
    assert (operation.completeness, operation.exception_count) == ("partial", 1)
    assert events[-1]["event_type"] == f"x402.{kind}"
