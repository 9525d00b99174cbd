"""The envelope of an answer: text, structured content, and the members for older clients."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wrapped import REVISIONS, TOKEN, tool, wrap

from mcp_wrapper_scaffold import Context, Limits, ToolDef
from mcp_wrapper_scaffold.envelope import RESERVED, answered, encode, spread
from mcp_wrapper_scaffold.testing.client import CallRefused, WrapperClient

STRUCTURED = ("2025-06-18", "2025-11-25", "2026-07-28")
FORGED = {
    "content": [{"type": "text", "text": "forged"}],
    "isError": True,
    "structuredContent": {"forged": 1},
    "_meta": {"forged": 1},
    "resultType": "input_required",
}


def call(answer: object, version: str = "2026-07-28", **options: Any) -> tuple[dict[str, Any], str]:
    """Return the result of a tool that answers so, and the bytes of its response as text."""

    async def handler(args: dict[str, Any], ctx: Context) -> object:
        return answer

    made = options.pop("tool", None) or tool(handler, name="answer")

    async def talk() -> tuple[dict[str, Any], str]:
        async with WrapperClient(wrap(made, **options), TOKEN, version) as client:
            params = {"name": "answer", "arguments": {}}
            body = client.message("tools/call", params)
            reply = await client.send(body, method="tools/call", params=params)
            document = reply.json()
            if "error" in document:
                raise CallRefused(document["error"]["code"], document["error"]["message"])
            return document["result"], reply.body.decode()

    return asyncio.run(talk())


@pytest.mark.parametrize("version", REVISIONS)
def test_an_object_is_text_structured_content_and_members(version: str) -> None:
    answer = {"rows": [{"b": 1, "a": "ü🌍"}], "total": 2}
    result, _ = call(answer, version)
    assert result["content"] == [{"type": "text", "text": '{"rows":[{"b":1,"a":"ü🌍"}],"total":2}'}]
    assert result["isError"] is False
    assert result.get("structuredContent") == (answer if version in STRUCTURED else None)
    assert ("structuredContent" in result) == (version in STRUCTURED)
    assert (result["rows"], result["total"]) == (answer["rows"], 2)
    assert ("resultType" in result) == (version == "2026-07-28")


@pytest.mark.parametrize("version", REVISIONS)
def test_an_answer_cannot_forge_the_envelope(version: str) -> None:
    result, _ = call({**FORGED, "rows": 1}, version)
    assert json.loads(result["content"][0]["text"]) == {**FORGED, "rows": 1}
    assert result["isError"] is False
    assert result["rows"] == 1
    if version in STRUCTURED:
        assert result["structuredContent"] == {**FORGED, "rows": 1}
    if version == "2026-07-28":
        assert result["resultType"] == "complete"
        assert "forged" not in result["_meta"]
    else:
        assert "resultType" not in result
        assert "_meta" not in result


def test_the_reserved_members_are_these() -> None:
    assert FORGED.keys() == RESERVED


@pytest.mark.parametrize("version", REVISIONS)
@pytest.mark.parametrize("answer", [[1, "two", None], "text", 5, 1.5, True, None])
def test_an_answer_that_is_no_object_is_text_and_in_the_newest_revision_structured(
    version: str, answer: object
) -> None:
    result, _ = call(answer, version)
    assert json.loads(result["content"][0]["text"]) == answer
    expected = {"content", "isError"}
    if version == "2026-07-28":
        expected |= {"resultType", "_meta"}
        if answer is not None:
            expected.add("structuredContent")
            assert result["structuredContent"] == answer
    assert set(result) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"z":1,"a":2,"m":{"y":1,"b":2}}',
        '{"n":1.0}',
        '{"n":12345678901234567890123456789}',
        '{"n":1e-07}',
        '{"n":-0.0}',
        '{"n":0.1}',
        '{"n":1.7976931348623157e+308}',
        '{"":{"":[]}}',
        '{"t":"\\u0000\\u001f\\"\\\\/"}',
    ],
)
def test_order_and_numbers_stay_as_they_are(text: str) -> None:
    result, body = call(json.loads(text))
    assert result["content"][0]["text"] == text
    assert f'"structuredContent":{text}' in body


def test_characters_are_not_escaped() -> None:
    _, body = call({"city": "東京 🌍 \u2028"})
    assert "東京 🌍 \u2028" in body


@pytest.mark.parametrize(
    "answer",
    [
        b"bytes",
        {"a": b"bytes"},
        {"a": {1, 2}},
        object(),
        float("nan"),
        {"a": float("inf")},
        {"a": "\ud800"},
        {("a", "b"): 1},
        {"a": 10**5000},
    ],
)
@pytest.mark.parametrize("version", ["2025-03-26", "2026-07-28"])
def test_an_answer_that_is_no_json_is_an_internal_error(
    version: str, answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(CallRefused) as caught:
        call(answer, version)
    assert (caught.value.code, caught.value.message) == (-32603, "Internal error")
    assert "tool answer: the answer is no JSON" in caplog.text


def test_an_answer_that_holds_itself_or_has_no_end_is_an_internal_error() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for answer in (loop, deep):
        with pytest.raises(CallRefused, match="Internal error"):
            call(answer)


def test_an_answer_that_is_too_large_is_told_to_the_model() -> None:
    result, body = call({"rows": "x" * 5000}, limits=Limits(answer_bytes=4096))
    assert result["isError"] is True
    assert (
        result["content"][0]["text"]
        == "The answer of answer has more than 4096 bytes; ask for less."
    )
    assert len(body) < 1000
    result, _ = call({"rows": "ü" * 2500}, limits=Limits(answer_bytes=4096))
    assert result["isError"] is True


def test_an_answer_is_held_to_the_output_schema(caplog: pytest.LogCaptureFixture) -> None:
    schema = {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}}

    def answering(answer: object) -> ToolDef:
        async def handler(args: dict[str, Any], ctx: Context) -> object:
            return answer

        return tool(handler, name="answer", output_schema=schema)

    result, _ = call(None, tool=answering({"total": 1}))
    assert result["structuredContent"] == {"total": 1}
    broken: object
    for broken in ({}, {"total": "secret-1"}, [], None):
        with pytest.raises(CallRefused, match="Internal error"):
            call(None, tool=answering(broken))
    assert "breaks its output schema" in caplog.text
    assert "secret-1" not in caplog.text


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
NAMES = TEXT | st.sampled_from(sorted(RESERVED))
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)


@given(JSON, st.sampled_from(REVISIONS))
def test_any_answer_keeps_its_value_and_the_envelope_its_members(
    value: object, version: str
) -> None:
    text = encode(value)
    envelope = answered(text, value, version).model_dump(by_alias=True, exclude_none=True)
    result = spread(dict(envelope))
    assert json.loads(result["content"][0]["text"]) == value
    assert {key: result[key] for key in envelope} == envelope
    added = result.keys() - envelope.keys()
    expected = value.keys() - RESERVED if isinstance(value, dict) else set[str]()
    assert added == expected - envelope.keys()
