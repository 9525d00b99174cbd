"""Tools written by hand: what is refused when they are declared, and what is served."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from wrapped import ANY, REVISIONS, TOKEN, wrap

from mcp_wrapper_scaffold import Context, ToolDeclarationError, ToolDef
from mcp_wrapper_scaffold.testing.client import CallRefused, WrapperClient


async def handler(args: dict[str, Any], ctx: Context) -> object:
    return {"got": args}


class Callable:
    async def __call__(self, args: dict[str, Any], ctx: Context) -> object:
        return {"got": args}


def define(**fields: Any) -> ToolDef:
    return ToolDef(**{"name": "t", "description": "Does it.", "handler": handler, **fields})


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": ""}, "has a name"),
        ({"name": "two words"}, "has a name"),
        ({"name": "töol"}, "has a name"),
        ({"name": "x" * 129}, "has a name"),
        ({"name": "tool\n"}, "has a name"),
        ({"description": " \n"}, "has no description"),
        ({"handler": lambda args, ctx: None}, "is not async"),
        ({"input_schema": {}}, 'input schema that has no "type": "object"'),
        ({"input_schema": {"type": "array"}}, 'has no "type": "object"'),
        ({"input_schema": []}, "is no JSON object"),
        ({"output_schema": {"type": "string"}}, 'output schema that has no "type": "object"'),
        ({"input_schema": {"type": "object", "properties": 5}}, "is no JSON Schema 2020-12"),
        (
            {"input_schema": {**ANY, "$schema": "http://json-schema.org/draft-07/schema#"}},
            "is of another dialect",
        ),
        (
            {"input_schema": {**ANY, "properties": {"a": {"$ref": "https://x.test/s"}}}},
            "refers to something outside of itself: https://x.test/s",
        ),
        ({"input_schema": {**ANY, "properties": {"a": {"pattern": "["}}}}, "is not a 'regex'"),
        ({"input_schema": {**ANY, "patternProperties": {"\\p{L}": {}}}}, "is not a 'regex'"),
        ({"input_schema": {**ANY, "properties": {"a": {"pattern": "(?u)a"}}}}, "a pattern"),
        (
            {"input_schema": {**ANY, "properties": {"a": {"type": "array", "x-mcp-header": "A"}}}},
            "x-mcp-header",
        ),
    ],
)
def test_a_tool_that_cannot_be_served_is_refused_when_it_is_declared(
    fields: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ToolDeclarationError) as caught:
        define(**fields)
    assert reason in str(caught.value)
    assert caught.value.tool == fields.get("name", "t")


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ToolDeclarationError, match="'t' is declared 2 times"):
        wrap(define(), define(title="Another"))


def test_an_object_with_an_async_call_is_a_handler() -> None:
    async def talk() -> None:
        async with WrapperClient(
            wrap(define(handler=Callable(), input_schema=ANY)), TOKEN
        ) as client:
            result = await client.call_tool("t", {"a": 1})
            assert result["structuredContent"] == {"got": {"a": 1}}

    asyncio.run(talk())


@pytest.mark.parametrize("version", REVISIONS)
def test_a_tool_is_listed_as_its_revision_knows_it(version: str) -> None:
    schema = {"type": "object", "properties": {"page": {"type": "integer", "x-note": [1]}}}
    made = define(title="Tool", input_schema=schema, output_schema=ANY)

    async def talk() -> None:
        async with WrapperClient(wrap(made), TOKEN, version) as client:
            (listed,) = await client.list_tools()
            assert (listed["name"], listed["description"]) == ("t", "Does it.")
            assert listed["inputSchema"] == schema
            assert ("title" in listed) == (version >= "2025-06-18")
            assert ("outputSchema" in listed) == (version >= "2025-06-18")
            assert ("annotations" in listed) == (version >= "2025-03-26")
            if "annotations" in listed:
                assert listed["annotations"] == {"readOnlyHint": True, "openWorldHint": True}
            assert None not in listed.values()

    asyncio.run(talk())


def test_tools_are_listed_in_the_order_in_which_they_are_given() -> None:
    names = ["zebra", "apple", "Mango"]

    async def talk() -> None:
        async with WrapperClient(wrap(*(define(name=name) for name in names)), TOKEN) as client:
            for _ in range(2):
                assert [each["name"] for each in await client.list_tools()] == names

    asyncio.run(talk())


def test_a_tool_without_a_schema_takes_no_arguments() -> None:
    async def talk() -> None:
        async with WrapperClient(wrap(define()), TOKEN) as client:
            assert (await client.call_tool("t"))["isError"] is False
            assert (await client.call_tool("t", {"a": 1}))["isError"] is True

    asyncio.run(talk())


@pytest.mark.parametrize("version", REVISIONS)
def test_arguments_are_judged_before_the_handler_runs(version: str) -> None:
    called: list[object] = []

    async def remember(args: dict[str, Any], ctx: Context) -> object:
        called.append(args)
        return {}

    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["page"],
        "properties": {
            "page": {"type": "integer", "minimum": 1},
            "name": {"type": "string", "pattern": "^[a-z]+$"},
        },
    }

    async def talk() -> None:
        made = define(handler=remember, input_schema=schema)
        async with WrapperClient(wrap(made), TOKEN, version) as client:
            for wrong in (
                {},
                {"page": 0},
                {"page": "1"},
                {"page": True},
                {"page": 1, "extra": 1},
                {"page": 1, "name": "abc\n"},
                {"page": 1, "name": "x" * 100_000 + "!"},
            ):
                result = await client.call_tool("t", wrong)
                assert result["isError"] is True
                text = result["content"][0]["text"]
                assert text.startswith("The arguments do not fit the input schema of t:\n- $")
                assert len(text) < 1000
            assert called == []
            assert (await client.call_tool("t", {"page": 1, "name": "abc"}))["isError"] is False
            assert (await client.call_tool("t", {"page": 1.0}))["isError"] is False

    asyncio.run(talk())
    assert called == [{"page": 1, "name": "abc"}, {"page": 1.0}]


def test_arguments_that_are_nested_too_deeply_are_refused() -> None:
    value: dict[str, Any] = {}
    for _ in range(300):
        value = {"inner": value}
    schema = {
        **ANY,
        "$defs": {"n": {"properties": {"inner": {"$ref": "#/$defs/n"}}}},
        "$ref": "#/$defs/n",
    }

    async def talk() -> None:
        async with WrapperClient(wrap(define(input_schema=schema)), TOKEN) as client:
            assert (await client.call_tool("t", value))["isError"] in (True, False)
            assert (await client.call_tool("t"))["isError"] is False

    asyncio.run(talk())


def test_an_unknown_tool_is_an_error_of_the_protocol_and_names_the_known_ones() -> None:
    async def talk() -> None:
        async with WrapperClient(wrap(define()), TOKEN) as client:
            with pytest.raises(CallRefused) as caught:
                await client.call_tool("x" * 500)
            assert caught.value.code == -32602
            assert caught.value.message == f"Unknown tool: {'x' * 128}. Known: t"

    asyncio.run(talk())


def test_no_repr_of_a_tool_holds_its_handler() -> None:
    assert "handler" not in repr(define())
