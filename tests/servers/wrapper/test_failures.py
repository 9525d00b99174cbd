"""What of a failed call leaves the server: what was written for the model, and nothing else."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from local_upstream import LocalUpstream
from mcp import MCPError
from wrapped import REVISIONS, TOKEN, Handler, wrap

from mcp_wrapper_scaffold import (
    AllowEntry,
    CallableSecret,
    Context,
    FetchError,
    Limits,
    ToolError,
)
from mcp_wrapper_scaffold.testing.client import CallRefused, WrapperClient

NOWHERE = [AllowEntry("http://127.0.0.1:9", "GET", "/v1/*")]
KEY = "live-key-0123456789abcdef"
Args = dict[str, Any]


def call(handler: Handler, version: str = "2026-07-28", **options: Any) -> dict[str, Any]:
    """Return the result of the handler's tool, upstream and secret provided."""

    async def talk() -> dict[str, Any]:
        answers = {"/v1/broken": (500, f'{{"error":"{KEY}"}}'), "/v1/page": (200, "<p>hello")}
        async with LocalUpstream(answers=answers) as upstream:
            secrets = {"KEY": CallableSecret(lambda: KEY, label="the key")}
            app = wrap(handler, origin=upstream.origin, **{"secrets": secrets, **options})
            async with WrapperClient(app, TOKEN, version) as client:
                return await client.call_tool(handler.__name__, {"origin": upstream.origin})

    return asyncio.run(talk())


def text_of(result: dict[str, Any]) -> str:
    (item,) = result["content"]
    return str(item["text"])


def assert_failed(result: dict[str, Any], version: str = "2026-07-28") -> None:
    assert result["isError"] is True
    assert "structuredContent" not in result
    expected = {"content", "isError"}
    if version == "2026-07-28":
        expected |= {"resultType", "_meta"}
        assert result["resultType"] == "complete"
    assert set(result) == expected


@pytest.mark.parametrize("version", REVISIONS)
def test_a_tool_error_is_told_to_the_model(version: str) -> None:
    async def failing(args: Args, ctx: Context) -> object:
        raise ToolError("Orders before 2019 are not kept.")

    result = call(failing, version)
    assert_failed(result, version)
    assert text_of(result) == "Orders before 2019 are not kept."


@pytest.mark.parametrize("version", REVISIONS)
@pytest.mark.parametrize(
    "make",
    [
        lambda: RuntimeError(f"{KEY} at https://a.test/?key={KEY}"),
        lambda: ValueError(KEY),
        lambda: SystemExit(KEY),
        lambda: asyncio.CancelledError(KEY),
        lambda: GeneratorExit(KEY),
        lambda: ExceptionGroup("both", [ToolError("fine"), KeyError(KEY)]),
        lambda: LookupError(KEY),
        lambda: StopAsyncIteration(KEY),
        lambda: json.JSONDecodeError("bad", KEY, 0),
    ],
)
def test_any_other_exception_is_generic_and_logged_without_known_secrets(
    version: str, make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def crash(args: Args, ctx: Context) -> object:
        await ctx.secret("KEY")
        raise make()

    with pytest.raises(CallRefused) as caught:
        call(crash, version)
    assert (caught.value.code, caught.value.message) == (-32603, "Internal error")
    assert caught.value.data is None
    assert "tool crash failed" in caplog.text
    assert KEY not in caplog.text


def test_the_log_has_the_traceback_of_a_crash(caplog: pytest.LogCaptureFixture) -> None:
    async def crash(args: Args, ctx: Context) -> object:
        raise ZeroDivisionError("a line of the handler")

    with pytest.raises(CallRefused):
        call(crash)
    assert "in crash" in caplog.text
    assert "ZeroDivisionError: a line of the handler" in caplog.text


@pytest.mark.parametrize("version", REVISIONS)
def test_a_text_for_the_model_holds_no_known_secret_either(version: str) -> None:
    async def quoting(args: Args, ctx: Context) -> object:
        raise ToolError(f"The key {await ctx.secret('KEY')} was refused.")

    result = call(quoting, version)
    assert_failed(result, version)
    assert text_of(result) == "The key [secret removed] was refused."


def test_a_protocol_error_of_a_handler_holds_no_known_secret() -> None:
    async def quoting(args: Args, ctx: Context) -> object:
        key = await ctx.secret("KEY")
        raise MCPError(-32602, f"{key} is no order", {"given": key})

    with pytest.raises(CallRefused) as caught:
        call(quoting)
    assert caught.value.message == "[secret removed] is no order"
    assert caught.value.data == {"given": "[secret removed]"}


def test_a_protocol_error_that_a_handler_chose_passes() -> None:
    async def choose(args: Args, ctx: Context) -> object:
        raise MCPError(-32602, "That order is no number", {"field": "order"})

    with pytest.raises(CallRefused) as caught:
        call(choose)
    assert (caught.value.code, caught.value.data) == (-32602, {"field": "order"})


@pytest.mark.parametrize("version", REVISIONS)
def test_an_upstream_that_is_down_is_named_without_the_query(version: str) -> None:
    async def read(args: Args, ctx: Context) -> object:
        return (await ctx.fetch("http://127.0.0.1:9/v1/orders?key=" + KEY)).json()

    result = call(read, version, allowlist=NOWHERE)
    assert_failed(result, version)
    assert text_of(result) == (
        "An upstream read failed. GET http://127.0.0.1:9/v1/orders: no connection could be made"
    )


@pytest.mark.parametrize(
    ("path", "limits", "told"),
    [
        ("/v1/broken", Limits(), "the answer is no JSON"),
        ("/v1/page", Limits(), "the answer is no JSON"),
        ("/v1/slow", Limits(fetch_seconds=0.05), "it took longer than the call has"),
        ("/v1/orders", Limits(response_bytes=5), "the answer is larger than the gate takes"),
    ],
)
def test_an_upstream_s_failure_is_told_without_its_body(
    path: str, limits: Limits, told: str
) -> None:
    async def read(args: Args, ctx: Context) -> object:
        answer = await ctx.fetch(f"{args['origin']}{path}?key={KEY}")
        if path == "/v1/broken":
            raise FetchError("not_json", method="GET", origin=answer.origin, path=answer.path)
        return answer.json()

    result = call(read, limits=limits)
    assert_failed(result)
    assert told in text_of(result)
    assert KEY not in text_of(result)
    assert "hello" not in text_of(result)


def test_failures_in_parallel_are_told_together() -> None:
    async def read(args: Args, ctx: Context) -> object:
        async with asyncio.TaskGroup() as group:
            for name in ("a", "b"):
                group.create_task(ctx.fetch(f"http://127.0.0.1:9/v1/{name}"))
        return {}

    result = call(read, allowlist=NOWHERE)
    assert_failed(result)
    assert "http://127.0.0.1:9/v1/" in text_of(result)


def test_a_missing_secret_is_named_by_its_source() -> None:
    async def read(args: Args, ctx: Context) -> object:
        return {"key": await ctx.secret("KEY")}

    result = call(read, secrets={"KEY": CallableSecret(lambda: None, label="the variable LS_KEY")})
    assert_failed(result)
    assert "the variable LS_KEY is not set" in text_of(result)


def test_a_secret_that_was_not_declared_is_a_fault_of_the_wrapper(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def read(args: Args, ctx: Context) -> object:
        return {"key": await ctx.secret("PATH")}

    with pytest.raises(CallRefused, match="Internal error"):
        call(read)
    assert "no secret 'PATH' is declared; declared are: KEY" in caplog.text


def test_a_context_shows_no_secret_and_no_token() -> None:
    async def show(args: Args, ctx: Context) -> object:
        await ctx.secret("KEY")
        return {"repr": repr(ctx), "tool": ctx.tool, "version": ctx.protocol_version}

    answer = call(show)["structuredContent"]
    assert KEY not in answer["repr"]
    assert TOKEN not in answer["repr"]
    assert (answer["tool"], answer["version"]) == ("show", "2026-07-28")


@pytest.mark.parametrize("version", REVISIONS)
def test_a_cancellation_of_the_task_itself_is_no_failure_of_the_handler(version: str) -> None:
    started = asyncio.Event()

    async def wait(args: Args, ctx: Context) -> object:
        started.set()
        await asyncio.Event().wait()
        return {}

    async def talk() -> None:
        async with WrapperClient(wrap(wait), TOKEN, version) as client:
            task = asyncio.create_task(client.call_tool("wait"))
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(talk())
