"""A call is judged by the contract's schema, carried out, and its answer judged."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import TextContent
from pydantic import BaseModel

Speak = Callable[..., list[dict[str, Any]]]
ERAS = ("2025-11-25", "2026-07-28")
RECEIPT = {"number": "R0001", "total": "4.50", "note": None, "lines": ["pens — 4,50 €"]}


def call(name: str, arguments: Any = None) -> tuple[str, dict[str, Any]]:
    return "tools/call", {"name": name, "arguments": arguments if arguments is not None else {}}


def receipt(**more: Any) -> tuple[str, dict[str, Any]]:
    return call("get_receipt", {"number": "R0001", **more})


def text_of(answer: dict[str, Any]) -> str:
    (block,) = answer["result"]["content"]
    assert block["type"] == "text"
    return str(block["text"])


@pytest.mark.parametrize("version", ERAS)
def test_a_mapping_goes_out_as_it_is_and_as_the_same_text(
    server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    (answer,) = speak(server, version, receipt(copies=2))
    assert answer["result"]["structuredContent"] == RECEIPT
    assert json.loads(text_of(answer)) == RECEIPT
    assert "4,50 €" in text_of(answer)
    assert answer["result"].get("isError", False) is False
    assert (handlers.seen.args.number, handlers.seen.args.copies) == ("R0001", 2)


def test_a_revision_before_structured_content_gets_the_text_alone(
    server: Any, speak: Speak
) -> None:
    (answer,) = speak(server, "2025-03-26", receipt())
    assert "structuredContent" not in answer["result"]
    assert json.loads(text_of(answer)) == RECEIPT


def test_what_a_model_was_not_given_stays_missing(
    desk: ModuleType, server: Any, handlers: Any, speak: Speak
) -> None:
    handlers.answer = desk.models.GetReceiptOutput(number="R0001", total="1.00", lines=[])
    (answer,) = speak(server, "2026-07-28", receipt())
    assert answer["result"]["structuredContent"] == {
        "number": "R0001",
        "total": "1.00",
        "lines": [],
    }


def test_a_model_says_null_where_it_was_given_none(
    desk: ModuleType, server: Any, handlers: Any, speak: Speak
) -> None:
    model = desk.models.GetReceiptOutput
    handlers.answer = model(number="R0001", total="1.00", lines=[], note=None)
    (answer,) = speak(server, "2026-07-28", receipt())
    assert answer["result"]["structuredContent"]["note"] is None


@pytest.mark.parametrize("version", ERAS)
def test_arguments_that_break_the_schema_are_refused_with_every_place(
    server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    arguments = {"copies": 10, "period": {"from": "yesterday", "until": 1}, "secret": "s3cr3t"}
    (answer,) = speak(server, version, call("get_receipt", arguments))
    assert answer["result"]["isError"] is True
    assert "structuredContent" not in answer["result"]
    assert text_of(answer).split("\n") == [
        "The arguments do not fit the input schema of get_receipt:",
        '- $: has members that are not known: "secret"',
        '- $: lacks "number"',
        "- $.copies: must be at most 9",
        '- $.period: has members that are not known: "until"',
        "- $.period.from: must match the pattern ^[0-9]{4}-[0-9]{2}$",
    ]
    assert handlers.seen.args is None


def test_the_end_of_a_pattern_is_the_end_of_the_string(server: Any, speak: Speak) -> None:
    (answer,) = speak(server, "2026-07-28", call("get_receipt", {"number": "R0001\n"}))
    assert "- $.number: must match the pattern" in text_of(answer)


def test_a_value_of_many_forms_is_told_what_each_form_lacks(server: Any, speak: Speak) -> None:
    (answer,) = speak(server, "2026-07-28", call("weigh", {"what": {"sheets": "many"}}))
    _, fault = text_of(answer).split("\n")
    assert fault == (
        "- $.what: fits none of the allowed forms: "
        "form 1: $.what.sheets: must be of type integer; "
        "form 2: $.what: must be of type string"
    )


def test_refusals_are_bounded(server: Any, speak: Speak) -> None:
    arguments = {f"member{'x' * 50}{index}": index for index in range(2000)}
    (answer,) = speak(server, "2026-07-28", call("class", arguments))
    assert answer["result"]["isError"] is True
    assert len(text_of(answer)) < 500


def test_a_fault_in_every_item_names_the_first_ones(judge_of: Any) -> None:
    faults = judge_of({"items": {"type": "string"}}).faults(list(range(1000)))
    assert len(faults) == 9
    assert faults[0] == "$[0]: must be of type string"
    assert faults[-1] == "and more"


def test_arguments_that_are_nested_too_deeply_are_refused(judge_of: Any) -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    assert judge_of({"items": {"$ref": "#"}}).faults(value) == ["$: is nested too deeply"]


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        (r"^\d+$", "12", "١٢"),
        (r"^\w$", "a", "é"),
        (r"^[$]$", "$", "$\n"),
        (r"^\$$", "$", "a"),
        (r"^.$", "a", "\u2028"),
        (r"^\S$", "a", "\u00a0"),
        (r"^\s$", "\ufeff", "a"),
    ],
)
def test_patterns_mean_what_they_mean_in_ecmascript(
    judge_of: Any, pattern: str, accepted: str, refused: str
) -> None:
    judge = judge_of({"pattern": pattern})
    assert judge.faults(accepted) == []
    assert judge.faults(refused) == [f"$: must match the pattern {pattern}"]
    names = judge_of({"patternProperties": {pattern: {}}, "additionalProperties": False})
    assert names.faults({accepted: 1}) == []
    assert len(names.faults({refused: 1})) == 1


def test_data_in_a_schema_is_not_read_as_a_schema(judge_of: Any) -> None:
    value = {"pattern": "a$", "not": False}
    judge = judge_of({"properties": {"const": {"const": value}, "enum": {"enum": [value]}}})
    assert judge.faults({"const": value, "enum": value}) == []


def test_a_forbidden_member_is_named_by_its_place(judge_of: Any) -> None:
    judge = judge_of({"properties": {"old": False}})
    assert judge.faults({"old": 1}) == ["$.old: is not allowed here"]


def test_a_value_that_the_typed_view_cannot_hold_is_refused_honestly(
    runtime: ModuleType, shop: ModuleType, package: str, speak: Speak
) -> None:
    class Narrow(BaseModel):
        item: Literal["ink", "pen"]

    handlers = Shop()
    bindings = {"get_price": runtime.Binding("get_price", lambda: Narrow)}
    server = runtime.bind_server(
        f"{package}.shop", handlers, protocol=shop.ShopHandlers, bindings=bindings
    )
    (answer,) = speak(server, "2026-07-28", call("get_price", {"item": "s3cr3t"}))
    assert answer["result"]["isError"] is True
    assert text_of(answer).split("\n") == [
        "The typed view of this server cannot hold these arguments of get_price:",
        "- $.item: Input should be 'ink' or 'pen'",
    ]
    assert handlers.ctx is None


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("name", ["find_nearby", "get_recipe"])
def test_a_tool_that_is_not_served_is_unknown(
    server: Any, speak: Speak, name: str, version: str
) -> None:
    (answer,) = speak(server, version, call(name))
    assert answer["error"] == {
        "code": -32602,
        "message": f'Unknown tool: "{name}". Known tools: class, file-paper.v2, get_receipt, weigh',
    }


@pytest.mark.parametrize("version", ERAS)
def test_a_crash_is_logged_and_not_told(
    server: Any, handlers: Any, speak: Speak, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    handlers.answer = RuntimeError("the key is in /etc/desk")
    (answer,) = speak(server, version, receipt())
    assert answer["error"] == {"code": -32603, "message": "Internal error"}
    (record,) = [each for each in caplog.records if "get_receipt" in each.getMessage()]
    assert record.getMessage() == "tool get_receipt failed"
    assert record.exc_info is not None
    assert record.exc_info[1] is handlers.answer


@pytest.mark.parametrize("version", ERAS)
def test_a_model_that_a_handler_makes_wrongly_is_a_crash(
    desk: ModuleType, server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    def answer(args: Any, ctx: Any) -> Any:
        return desk.models.GetReceiptOutput(number=object(), total="s3cr3t", lines=[])

    handlers.answer = answer
    (found,) = speak(server, version, receipt())
    assert found["error"] == {"code": -32603, "message": "Internal error"}


@pytest.mark.parametrize("version", ERAS)
def test_an_answer_that_breaks_the_output_schema_does_not_go_out(
    server: Any, handlers: Any, speak: Speak, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    handlers.answer = {**RECEIPT, "total": "s3cr3t", "lines": (1,)}
    (answer,) = speak(server, version, receipt())
    assert answer["error"] == {"code": -32603, "message": "Internal error"}
    (record,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    for part in ("get_receipt", "$.total", "$.lines[0]"):
        assert part in record.getMessage()
    assert "s3cr3t" not in record.getMessage()


@pytest.mark.parametrize(
    "answer",
    ["text", None, 1, [RECEIPT], {**RECEIPT, "note": float("nan")}, {**RECEIPT, "note": object()}],
)
def test_an_answer_that_is_no_json_object_is_a_crash(
    server: Any, handlers: Any, speak: Speak, answer: Any
) -> None:
    handlers.answer = answer
    (found,) = speak(server, "2026-07-28", receipt())
    assert found["error"] == {"code": -32603, "message": "Internal error"}


def test_half_a_character_in_an_answer_is_a_crash_and_in_a_text_is_replaced(
    runtime: ModuleType, server: Any, handlers: Any, speak: Speak
) -> None:
    handlers.answer = {**RECEIPT, "number": "\ud800"}
    (crash,) = speak(server, "2026-07-28", receipt())
    assert crash["error"]["code"] == -32603
    handlers.answer = runtime.ToolFailure("no \ud800 receipt")
    (failure,) = speak(server, "2026-07-28", receipt())
    assert text_of(failure) == "no ? receipt"


@pytest.mark.parametrize("version", ERAS)
def test_a_failure_is_told_in_the_handlers_words(
    runtime: ModuleType, server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    handlers.answer = runtime.ToolFailure("The drawer could not be read.")
    (answer,) = speak(server, version, receipt())
    assert answer["result"]["isError"] is True
    assert text_of(answer) == "The drawer could not be read."
    assert "structuredContent" not in answer["result"]


def test_a_failure_may_carry_an_object_of_its_own(
    runtime: ModuleType, server: Any, handlers: Any, speak: Speak
) -> None:
    handlers.answer = runtime.ToolFailure("Pay first.", {"price": "1.00"})
    (answer,) = speak(server, "2026-07-28", receipt())
    assert answer["result"]["structuredContent"] == {"price": "1.00"}
    (answer,) = speak(server, "2025-03-26", receipt())
    assert "structuredContent" not in answer["result"]


@pytest.mark.parametrize("version", ERAS)
def test_a_protocol_error_of_the_handlers_choice_passes(
    server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    handlers.answer = MCPError(-32603, "Outbound request refused: https://desk.example.test")
    (answer,) = speak(server, version, receipt())
    assert answer["error"]["message"].startswith("Outbound request refused")


def test_a_whole_result_goes_out_whole(
    runtime: ModuleType, server: Any, handlers: Any, speak: Speak
) -> None:
    handlers.answer = runtime.ToolResult(
        {"price": "1.00"},
        content=[TextContent(type="text", text='{"price":"1.00"}'), *TEXT],
        is_error=True,
        meta={"desk.example.test/trace": "t1"},
    )
    (answer,) = speak(server, "2026-07-28", receipt())
    result = answer["result"]
    assert [block["text"] for block in result["content"]] == ['{"price":"1.00"}', "A price."]
    assert result["structuredContent"] == {"price": "1.00"}
    assert result["isError"] is True
    assert result["_meta"]["desk.example.test/trace"] == "t1"


TEXT = [TextContent(type="text", text="A price.")]


def test_a_whole_result_that_did_not_fail_is_held_to_the_output_schema(
    runtime: ModuleType, server: Any, handlers: Any, speak: Speak
) -> None:
    for whole in (runtime.ToolResult({"price": "1.00"}), runtime.ToolResult(content=TEXT)):
        handlers.answer = whole
        (answer,) = speak(server, "2026-07-28", receipt())
        assert answer["error"]["code"] == -32603


@pytest.mark.parametrize("version", ERAS)
def test_a_tool_without_an_output_schema_answers_text_or_an_object(
    server: Any, handlers: Any, speak: Speak, version: str
) -> None:
    handlers.answer = "Filed — под «A»."
    (answer,) = speak(server, version, call("class"))
    assert text_of(answer) == "Filed — под «A»."
    assert "structuredContent" not in answer["result"]
    handlers.answer = {"drawer": "«A»"}
    (answer,) = speak(server, version, call("class"))
    assert text_of(answer) == '{"drawer": "«A»"}'
    assert answer["result"]["structuredContent"] == {"drawer": "«A»"}


def test_a_call_without_arguments_has_none(server: Any, handlers: Any, speak: Speak) -> None:
    handlers.answer = "A"
    (answer,) = speak(server, "2026-07-28", ("tools/call", {"name": "class"}))
    assert text_of(answer) == "A"


def test_the_context_says_what_is_known_of_the_call(
    server: Any, handlers: Any, speak: Speak
) -> None:
    method, params = receipt(copies=1.0)
    speak(server, "2025-06-18", (method, {**params, "_meta": {"desk.example.test/pay": "p"}}))
    ctx = handlers.seen.ctx
    assert (ctx.name, ctx.protocol_version, ctx.headers) == ("get_receipt", "2025-06-18", None)
    assert ctx.request_id == 1
    assert ctx.meta["desk.example.test/pay"] == "p"
    assert repr(ctx.arguments["copies"]) == "1.0"
    assert "desk.example.test/pay" not in repr(ctx)


def test_a_context_can_be_made_for_a_test_of_a_handler(runtime: ModuleType) -> None:
    context = runtime.CallContext("get_receipt", "2026-07-28")
    anyio.run(context.report_progress, 1.0, 2.0, "half")
    assert context.arguments == {}


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_progress_reaches_the_caller(desk: ModuleType, mode: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    class Reporting:
        async def class_(self, args: Any, ctx: Any) -> str:
            await ctx.report_progress(1, 2, "half")
            return "A"

        file_paper_v2 = get_receipt = weigh = read_resource = class_

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def run() -> None:
        with anyio.fail_after(30):
            async with Client(desk.bind(Reporting()), mode=mode) as client:
                await client.call_tool("class", {}, progress_callback=tell)

    anyio.run(run)
    assert told == [(1, 2, "half")]


@dataclass
class Till:
    """A context of a wrapper's own."""

    call: Any
    opened: bool = True


class Shop:
    def __init__(self) -> None:
        self.ctx: Any = None
        self.opened = False

    async def get_price(self, args: Any, ctx: Any) -> dict[str, Any]:
        self.ctx, self.opened = ctx, ctx.opened
        return {"price": "2.00"}


PRICE = call("get_price", {"item": "pen"})


def test_a_wrapper_hands_over_its_own_context(shop: ModuleType, speak: Speak) -> None:
    handlers = Shop()
    (answer,) = speak(shop.bind(handlers, context=Till), "2026-07-28", PRICE)
    assert answer["result"]["structuredContent"] == {"price": "2.00"}
    assert isinstance(handlers.ctx, Till)
    assert handlers.ctx.call.name == "get_price"


def test_a_context_can_be_open_for_the_time_of_the_call(shop: ModuleType, speak: Speak) -> None:
    @asynccontextmanager
    async def till(call: Any) -> AsyncGenerator[Till]:
        made = Till(call)
        yield made
        made.opened = False

    handlers = Shop()
    (answer,) = speak(shop.bind(handlers, context=till), "2026-07-28", PRICE)
    assert answer["result"]["structuredContent"] == {"price": "2.00"}
    assert handlers.opened is True
    assert handlers.ctx.opened is False


@pytest.mark.parametrize("version", ERAS)
def test_a_context_can_refuse_an_answer_when_it_closes(
    shop: ModuleType, speak: Speak, version: str
) -> None:
    @asynccontextmanager
    async def till(call: Any) -> AsyncGenerator[Till]:
        yield Till(call)
        raise MCPError(-32603, "Outbound request refused")

    (answer,) = speak(shop.bind(Shop(), context=till), version, PRICE)
    assert answer["error"]["message"] == "Outbound request refused"


def test_a_context_that_swallows_a_crash_does_not_make_an_answer_of_it(
    shop: ModuleType, speak: Speak
) -> None:
    @asynccontextmanager
    async def till(call: Any) -> AsyncGenerator[object]:
        try:
            yield object()  # has no "opened", so the handler crashes
        except AttributeError:
            return

    (answer,) = speak(shop.bind(Shop(), context=till), "2026-07-28", PRICE)
    assert answer["error"] == {"code": -32603, "message": "Internal error"}
