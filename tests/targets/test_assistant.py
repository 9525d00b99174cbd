"""Tool tables and TypeScript types for an assistant."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
import pytest

from counterfoil.contract.model import Contract
from counterfoil.errors import GenerationError
from counterfoil.render import read_stamp
from counterfoil.targets.assistant import TARGET
from counterfoil.targets.target import Entry

OUTPUT = ("assistant", "app/{server}")
FILES = ("anthropic.json", "openai.json", "tools.ts")


def tables(files: dict[str, bytes], server: str = "harbour") -> tuple[Any, Any]:
    one, two = (json.loads(files[f"app/{server}/{name}"]) for name in FILES[:2])
    return one, two


def test_tables_hold_the_tools_that_the_assistant_is_offered(harbour: Contract, make: Any) -> None:
    files = make(harbour, OUTPUT)
    assert sorted(files) == [f"app/harbour/{name}" for name in FILES]
    one, two = tables(files)
    assert list(one) == list(two) == ["$comment", "tools"]
    names = ["find_page", "list_berths", "measure"]  # the local one too, and none that only MCP has
    assert [tool["name"] for tool in one["tools"]] == names
    assert [tool["function"]["name"] for tool in two["tools"]] == names


def test_a_tool_has_the_form_that_each_provider_takes(harbour: Contract, make: Any) -> None:
    one, two = tables(make(harbour, OUTPUT))
    tool = harbour.server("harbour").tools[0]
    assert one["tools"][0] == {
        "name": "find_page",
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
    assert two["tools"][0] == {
        "type": "function",
        "function": {
            "name": "find_page",
            "description": tool.description,
            "parameters": tool.input_schema,
            "strict": False,
        },
    }


def test_input_schemas_of_the_tables_need_nothing_outside_themselves(
    harbour: Contract, make: Any
) -> None:
    one, two = tables(make(harbour, OUTPUT))
    (schema,) = (tool["input_schema"] for tool in one["tools"] if tool["name"] == "measure")
    assert schema == two["tools"][2]["function"]["parameters"]
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"any": 1, "root": {"name": "A", "branches": [{"name": "B"}]}})
    assert not validator.is_valid({"any": 1, "root": {"name": "A", "branches": [{}]}})
    assert not validator.is_valid({"any": 1, "local": "four"})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "list.berths"}, "list.berths has a name that model providers refuse"),
        ({"name": "a" * 65}, "has a name that model providers refuse"),
        ({"inputSchema": {"type": "object", "anyOf": [{}]}}, "list_berths has anyOf at the root"),
        (
            {"inputSchema": {"type": "object", "properties": {"filter[id]": {}}}},
            "list_berths has an argument 'filter[id]'",
        ),
    ],
)
def test_a_tool_that_providers_refuse_is_named(
    change: Any, words: str, data: Any, make_contract: Any, make: Any
) -> None:
    (tool,) = (
        each for each in data["servers"]["harbour"]["tools"] if each["name"] == "list_berths"
    )
    tool.update(change)
    with pytest.raises(GenerationError) as caught:
        make(make_contract(data), OUTPUT)
    assert words in caught.value.what
    assert caught.value.place.startswith("contract/contract.json#/servers/harbour/tools/")
    tool["surfaces"] = ["mcp"]
    assert make(make_contract(data), OUTPUT)


def test_servers_without_tools_for_an_assistant_have_no_tables(
    data: Any, make_contract: Any, make: Any
) -> None:
    for tool in data["servers"]["harbour"]["tools"]:
        tool.update(surfaces=["mcp"], auth="none", exec={"kind": "handler"})
        tool.pop("scope", None)
    assert make(make_contract(data), OUTPUT) == {}


def test_tables_hold_hostile_texts_as_they_are(hostile: Contract, make: Any) -> None:
    one, two = tables(make(hostile, OUTPUT))
    texts = {tool.description for tool in hostile.server("harbour").tools}
    assert {tool["description"] for tool in one["tools"]} == texts
    assert {tool["function"]["description"] for tool in two["tools"]} == texts


def declaration(module: bytes, name: str) -> str:
    found = [
        line for line in module.decode().split("\n") if line.startswith(f"export type {name} =")
    ]
    assert len(found) == 1
    return found[0]


def test_names_that_meet_are_told_apart(data: Any, make_contract: Any, make: Any) -> None:
    tools = data["servers"]["harbour"]["tools"]
    tools.append({**copy.deepcopy(tools[0]), "name": "find-page"})
    data["$defs"]["MeasureOutput"] = {"type": "string"}
    measure = next(tool for tool in tools if tool["name"] == "measure")
    measure["inputSchema"]["properties"]["root"] = {"$ref": "#/$defs/ToolName"}
    measure["outputSchema"] = {"$ref": "#/$defs/MeasureOutput"}
    module = make(make_contract(data), OUTPUT)["app/harbour/tools.ts"]
    assert declaration(module, "ToolName_") == "export type ToolName_ = string;"
    assert declaration(module, "MeasureOutput") == "export type MeasureOutput = string;"
    assert declaration(module, "MeasureOutput_") == "export type MeasureOutput_ = MeasureOutput;"
    assert b'"find-page": { input: FindPageInput; output: unknown };' in module
    assert b"find_page: { input: FindPageInput_; output: unknown };" in module


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"$ref": "#/$defs/Nobody"}, "refers to #/$defs/Nobody, which is not there"),
        ({"$ref": "#/$defs/Loop"}, "the schemas of Loop refer to one another without end"),
        ({"$ref": "#/$defs/Astray"}, "refers to #/properties/x, which is not there"),
    ],
)
def test_references_that_lead_nowhere_are_refused(
    schema: Any, words: str, data: Any, make_contract: Any, make: Any
) -> None:
    data["$defs"]["Loop"] = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Loop"}]}
    data["$defs"]["Astray"] = {"type": "array", "items": {"$ref": "#/properties/x"}}
    data["servers"]["harbour"]["tools"][0]["inputSchema"]["properties"]["x"] = schema
    with pytest.raises(GenerationError) as caught:
        make(make_contract(data), OUTPUT)
    assert words in caught.value.what


def test_the_files_hold_the_offered_tools(harbour: Contract, make_steps: Any, make: Any) -> None:
    (step,) = make_steps(harbour, OUTPUT)
    files = make(harbour, OUTPUT)
    expected = TARGET.expected(step.request)
    assert expected == {
        Entry("harbour", "tool", name) for name in ("find_page", "list_berths", "measure")
    }
    assert TARGET.found(step.request, files) == expected
    crlf = {path: content.replace(b"\n", b"\r\n") for path, content in files.items()}
    assert TARGET.found(step.request, crlf) == expected


@pytest.mark.parametrize("name", FILES)
def test_one_file_that_lacks_a_tool_or_has_another_is_noticed(
    name: str, harbour: Contract, make_steps: Any, make: Any
) -> None:
    (step,) = make_steps(harbour, OUTPUT)
    files = make(harbour, OUTPUT)
    path = f"app/harbour/{name}"
    files[path] = files[path].replace(b'"measure"', b'"ghost"')
    expected, found = TARGET.expected(step.request), TARGET.found(step.request, files)
    assert expected - found == {Entry("harbour", "tool", "measure")}
    assert found - expected == {Entry("harbour", "tool", "ghost")}
    files[path] = b"{"
    assert TARGET.found(step.request, files) == set()


def test_the_hash_of_a_file_covers_what_it_is_made_from(
    data: Any, make_contract: Any, make: Any
) -> None:
    def digests(changed: Any) -> list[str]:
        files = make(make_contract(changed), OUTPUT)
        stamps = [read_stamp(files[f"app/harbour/{name}"]) for name in FILES]
        assert all(stamp is not None and stamp.intact for stamp in stamps)
        return [stamp.digest for stamp in stamps if stamp]

    before = digests(data)
    output = copy.deepcopy(data)
    output["$defs"]["Berth"]["description"] = "Other words."
    assert [a == b for a, b in zip(before, digests(output), strict=True)] == [True, True, False]
    hidden = copy.deepcopy(data)
    (tool,) = (
        each for each in hidden["servers"]["harbour"]["tools"] if each["name"] == "plan.trip"
    )
    tool["description"] = "Other words."
    assert digests(hidden) == before
