"""One data point for each call, with labels that callers cannot invent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from wrapped import ANY, REVISIONS, TOKEN, Handler, tool, wrap

from mcp_wrapper_scaffold import Context, GatedFetchDenied, ToolError
from mcp_wrapper_scaffold.metrics import (
    DenialSink,
    MetricsPage,
    MetricsSink,
    OpenTelemetrySink,
    PrometheusSink,
)
from mcp_wrapper_scaffold.metrics.points import OTHER_ORIGIN, UNKNOWN_TOOL, Meter
from mcp_wrapper_scaffold.testing.client import Answer, CallRefused, WrapperClient, exchange

Args = dict[str, Any]


@dataclass
class Recorder:
    """A sink that keeps everything."""

    points: list[tuple[list[str], list[float], list[str]]] = field(default_factory=list)
    denials: list[tuple[str, str, str]] = field(default_factory=list)

    def write_data_point(
        self, *, blobs: Sequence[str], doubles: Sequence[float], indexes: Sequence[str]
    ) -> None:
        self.points.append((list(blobs), list(doubles), list(indexes)))

    def count_denial(self, *, tool: str, code: str, origin: str) -> None:
        self.denials.append((tool, code, origin))


class Broken:
    """A sink that always raises."""

    def write_data_point(
        self, *, blobs: Sequence[str], doubles: Sequence[float], indexes: Sequence[str]
    ) -> None:
        raise RuntimeError("the sink is full")

    def count_denial(self, *, tool: str, code: str, origin: str) -> None:
        raise RuntimeError("the sink is full")


async def good(args: Args, ctx: Context) -> object:
    return {}


async def failing(args: Args, ctx: Context) -> object:
    raise ToolError("no")


async def crashing(args: Args, ctx: Context) -> object:
    raise RuntimeError


async def denied(args: Args, ctx: Context) -> object:
    for url in args.get("urls", ["https://evil.test/"]):
        with suppress(GatedFetchDenied):
            ctx.fetch(url).close()
    return {}


TOOLS: list[Handler] = [good, failing, crashing, denied]


async def make_calls(
    client: WrapperClient, *names: str, arguments: dict[str, object] | None = None
) -> None:
    for name in names:
        with suppress(CallRefused):
            await client.call_tool(name, arguments)


@pytest.mark.parametrize("version", REVISIONS)
def test_each_call_writes_one_point_in_the_seed_s_shape(version: str) -> None:
    recorder = Recorder()

    async def talk() -> None:
        async with WrapperClient(wrap(*TOOLS, metrics=recorder), TOKEN, version) as client:
            await client.list_tools()
            await make_calls(client, "good", "failing", "crashing", "denied")

    asyncio.run(talk())
    assert [(blobs, indexes) for blobs, _, indexes in recorder.points] == [
        (["good", "ok"], ["good"]),
        (["failing", "error"], ["failing"]),
        (["crashing", "error"], ["crashing"]),
        (["denied", "error"], ["denied"]),
    ]
    for _, (duration, timestamp), _ in recorder.points:
        assert 0 < duration < 60_000
        assert timestamp == int(timestamp) > 1_700_000_000_000


def test_arguments_that_do_not_fit_and_a_cancelled_call_are_errors() -> None:
    recorder = Recorder()
    started = asyncio.Event()

    async def wait(args: Args, ctx: Context) -> object:
        started.set()
        await asyncio.Event().wait()
        return {}

    async def talk() -> None:
        strict = tool(good, name="strict", input_schema={**ANY, "additionalProperties": False})
        async with WrapperClient(wrap(wait, strict, metrics=recorder), TOKEN) as client:
            assert (await client.call_tool("strict", {"surplus": 1}))["isError"] is True
            task = asyncio.create_task(client.call_tool("wait"))
            await started.wait()
            task.cancel()
            await asyncio.wait((task,))

    asyncio.run(talk())
    assert [blobs for blobs, _, _ in recorder.points] == [["strict", "error"], ["wait", "error"]]


def test_names_that_are_no_tool_s_share_one_label() -> None:
    recorder, page = Recorder(), PrometheusSink()

    async def talk() -> None:
        app = wrap(good, metrics=[recorder, page])
        async with WrapperClient(app, TOKEN) as client:
            await make_calls(client, *(f"invented-{number}" for number in range(50)), "good")

    asyncio.run(talk())
    labels = {tuple(blobs) for blobs, _, _ in recorder.points}
    assert labels == {(UNKNOWN_TOOL, "error"), ("good", "ok")}
    assert len(recorder.points) == 51
    assert b"invented" not in page.render()[1]


def test_a_call_without_a_name_is_counted_as_unknown() -> None:
    recorder = Recorder()

    async def talk() -> None:
        async with WrapperClient(wrap(good, metrics=recorder), TOKEN, "2025-11-25") as client:
            wrong: list[dict[str, object]] = [{}, {"name": 5}, {"name": None}, {"name": {}}]
            for params in wrong:
                with pytest.raises(CallRefused):
                    await client.request("tools/call", params)

    asyncio.run(talk())
    assert [blobs for blobs, _, _ in recorder.points] == [[UNKNOWN_TOOL, "error"]] * 4


def test_denials_are_counted_by_tool_code_and_declared_origin() -> None:
    recorder = Recorder()
    urls = [
        "https://one.test/", "https://two.test/", "http://127.0.0.1:9/other",
        "http://u:p@127.0.0.1:9/v1/x",
    ]  # fmt: skip

    async def talk() -> None:
        async with WrapperClient(wrap(denied, metrics=recorder), TOKEN) as client:
            await make_calls(client, "denied", arguments={"urls": urls})

    asyncio.run(talk())
    assert recorder.denials == [
        ("denied", "origin", OTHER_ORIGIN),
        ("denied", "origin", OTHER_ORIGIN),
        ("denied", "path", "http://127.0.0.1:9"),
        ("denied", "userinfo", OTHER_ORIGIN),
    ]
    assert [blobs for blobs, _, _ in recorder.points] == [["denied", "error"]]


def test_a_sink_that_raises_is_logged_and_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder()

    async def talk() -> dict[str, Any]:
        app = wrap(good, denied, metrics=[Broken(), recorder])
        async with WrapperClient(app, TOKEN) as client:
            await make_calls(client, "denied")
            return await client.call_tool("good")

    with caplog.at_level(logging.ERROR):
        assert asyncio.run(talk())["isError"] is False
    assert caplog.text.count("a metrics sink failed: Broken") == 3
    assert "the sink is full" in caplog.text
    assert [blobs for blobs, _, _ in recorder.points] == [["denied", "error"], ["good", "ok"]]
    assert len(recorder.denials) == 1


def test_the_clock_of_a_point_is_in_milliseconds() -> None:
    recorder = Recorder()
    meter = Meter([recorder], lambda name: True, [], wall_clock=lambda: 1_800_000_000.1239)
    meter.call("t", is_ok=True, seconds=0.25)
    assert recorder.points == [(["t", "ok"], [250.0, 1_800_000_000_123.0], ["t"])]


def fetch_page(*sinks: Any, method: str = "GET", token: str | None = TOKEN) -> Answer:
    async def talk() -> Answer:
        app = wrap(*TOOLS, metrics=sinks)
        async with WrapperClient(app, TOKEN) as client:
            await make_calls(client, "good", "good", "failing", "denied")
            fields = {} if token is None else {"authorization": f"Bearer {token}"}
            return await exchange(app, method, "/metrics", fields)

    return asyncio.run(talk())


def test_prometheus_gets_a_page_that_needs_the_token() -> None:
    answer = fetch_page(Recorder(), PrometheusSink())
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    lines = answer.body.decode().splitlines()
    assert 'mcp_tool_call_duration_seconds_count{outcome="ok",tool="good"} 2.0' in lines
    assert 'mcp_tool_call_duration_seconds_count{outcome="error",tool="failing"} 1.0' in lines
    assert 'mcp_fetch_denials_total{code="origin",origin="(other)",tool="denied"} 1.0' in lines
    assert not any("python_info" in line for line in lines)
    for token in (None, "wrong"):
        assert fetch_page(PrometheusSink(), token=token).status == 401
    assert fetch_page(PrometheusSink(), method="POST").status == 405
    assert fetch_page(Recorder()).status == 404


def test_two_prometheus_sinks_in_one_process_do_not_mix() -> None:
    first, second = PrometheusSink(), PrometheusSink()
    first.write_data_point(blobs=["t", "ok"], doubles=[1, 1], indexes=["t"])
    assert b'tool="t"' in first.render()[1]
    assert b'tool="t"' not in second.render()[1]


def test_open_telemetry_gets_durations_in_seconds_and_denials() -> None:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    sink = OpenTelemetrySink(provider)
    sink.write_data_point(blobs=["list", "ok"], doubles=[250.0, 1.0], indexes=["list"])
    sink.write_data_point(blobs=["list", "error"], doubles=[20.0, 1.0], indexes=["list"])
    sink.count_denial(tool="list", code="path", origin="https://a.test")
    data = reader.get_metrics_data()
    assert data is not None
    (resource,) = data.resource_metrics
    (scope,) = resource.scope_metrics
    found = {metric.name: metric for metric in scope.metrics}
    duration = found["mcp.server.operation.duration"]
    assert duration.unit == "s"
    points: list[Any] = list(duration.data.data_points)
    by_error = {point.attributes.get("error.type"): point for point in points}
    assert (by_error[None].sum, by_error["tool_error"].sum) == (0.25, 0.02)
    assert by_error[None].explicit_bounds[0] == 0.01
    assert by_error[None].attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "list",
        "mcp.method.name": "tools/call",
    }
    (denial,) = found["mcp_wrapper.fetch.denials"].data.data_points
    assert dict(denial.attributes or {}) == {
        "gen_ai.tool.name": "list", "error.type": "path", "url.origin": "https://a.test",
    }  # fmt: skip
    provider.shutdown()


def test_the_sinks_are_what_their_protocols_say() -> None:
    sinks: list[MetricsSink] = [PrometheusSink(), OpenTelemetrySink(), Recorder()]
    assert all(isinstance(sink, DenialSink) for sink in sinks)
    assert [isinstance(sink, MetricsPage) for sink in sinks] == [True, False, False]
