"""Where models and schemas part: every class of difference is found, and the report says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from counterfoil.cache import Cache
from counterfoil.contract.cases import read_cases
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract
from counterfoil.render import read_stamp
from counterfoil.schema.judge import judge
from counterfoil.schema.refs import bundled
from counterfoil.targets.fidelity import TARGET
from counterfoil.targets.fidelity.comparison import compare
from counterfoil.targets.fidelity.reasons import KINDS
from counterfoil.targets.models.sources import generate
from counterfoil.targets.target import Request

ROOT = Path(__file__).parents[2]
CORPUS: dict[str, Any] = json.loads((Path(__file__).parent / "data/nasty.json").read_text("utf-8"))
Found = set[tuple[str, str, str]]

HEAD = """from __future__ import annotations
from datetime import datetime
from typing import Annotated, Any, Literal
from pydantic import *
from ...json_schema import StrictFloat, StrictInt, SchemaModel
"""


def differences(schema: dict[str, Any], fields: str, examples: Sequence[Any] = ()) -> Any:
    """Compare a schema with a model that is written by hand."""
    body = "\n".join(f"    {line}" for line in fields.split("; "))
    source = json.dumps({"schema": schema, "name": "Model"})
    code = f"{HEAD}\nclass Model(SchemaModel):\n{body}\n"
    return compare({"source": source, "code": code, "examples": list(examples)})["differences"]


def found(schema: dict[str, Any], fields: str, examples: Sequence[Any] = ()) -> Found:
    made = differences(schema, fields, examples)
    return {(each["kind"], each["keyword"], each["place"]) for each in made}


def taking(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}, **more}


FIRST = "Annotated[{} | StrictStr, Field(union_mode='left_to_right')]"
OPEN = "model_config = ConfigDict(extra='allow'); "

LAX: list[tuple[str, Any, str, tuple[str, str, str]]] = [
    ("text as a number", {"type": "integer"}, "int", ("accepts", "type", "/x")),
    ("a flag as a number", {"type": "number"}, "float", ("accepts", "type", "/x")),
    ("a number as a flag", {"type": "boolean"}, "bool", ("accepts", "type", "/x")),
    ("null", {"type": "string"}, "StrictStr | None", ("accepts", "type", "/x")),
    ("true for 1", {"const": 1}, "Literal[1]", ("accepts", "const", "/x")),
    ("1 for true", {"enum": [True]}, "Literal[True]", ("accepts", "enum", "/x")),
    ("a bound", {"type": "integer", "minimum": 3}, "StrictInt", ("accepts", "minimum", "/x")),
    (
        "an open bound",
        {"type": "number", "exclusiveMaximum": 1},
        "Annotated[StrictFloat, Field(le=1)]",
        ("accepts", "exclusiveMaximum", "/x"),
    ),
    (
        "a multiple",
        {"type": "integer", "multipleOf": 3},
        "StrictInt",
        ("accepts", "multipleOf", "/x"),
    ),
    ("a length", {"type": "string", "maxLength": 2}, "StrictStr", ("accepts", "maxLength", "/x")),
    (
        "a trailing newline",
        {"type": "string", "pattern": "^[a-z]+$"},
        "Annotated[StrictStr, Field(pattern=r'^[a-z]+\\n?$')]",
        ("accepts", "pattern", "/x"),
    ),
    (
        "other digits",
        {"type": "string", "pattern": "^[0-9]+$"},
        r"Annotated[StrictStr, Field(pattern=r'^\d+$')]",
        ("accepts", "pattern", "/x"),
    ),
    (
        "an item twice",
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "list[StrictStr]",
        ("accepts", "uniqueItems", "/x"),
    ),
    (
        "positions",
        {"prefixItems": [{"type": "string"}, {"type": "integer"}], "type": "array"},
        "list[Any]",
        ("accepts", "type", "/x/*"),
    ),
    (
        "no item of the form",
        {"type": "array", "contains": {"const": "a"}},
        "list[Any]",
        ("accepts", "contains", "/x"),
    ),
    (
        "two forms at once",
        {"oneOf": [{"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}]},
        "StrictInt",
        ("accepts", "oneOf", "/x"),
    ),
    (
        "names of members",
        {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}},
        "dict[str, Any]",
        ("accepts", "pattern", "/x"),
    ),
    (
        "members more",
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        "dict[str, Any]",
        ("accepts", "additionalProperties", "/x"),
    ),
    ("a narrow type", {"type": "number"}, "StrictInt", ("refuses", "type", "/x")),
    ("1.0 for 1", {"type": "integer"}, "Annotated[int, Strict()]", ("refuses", "type", "/x")),
    (
        "a narrow pattern",
        {"type": "string", "pattern": "^[a-z]+$"},
        "Annotated[StrictStr, Field(pattern='^[a-m]+$')]",
        ("refuses", "pattern", "/x"),
    ),
    (
        "a text that a format rewrites",
        {"type": "string", "format": "uri"},
        FIRST.format("AnyUrl"),
        ("changes", "type", "/x"),
    ),
    (
        "a moment",
        {"type": "string", "format": "date-time"},
        FIRST.format("datetime"),
        ("changes", "type", "/x"),
    ),
    ("digits", {"type": "number", "minimum": 2**53 + 1}, "float", ("changes", "type", "/x")),
]


@pytest.mark.parametrize(
    ("schema", "annotation", "wanted"), [row[1:] for row in LAX], ids=[row[0] for row in LAX]
)
def test_a_difference_is_found_where_it_is(
    schema: Any, annotation: str, wanted: tuple[str, str, str]
) -> None:
    assert wanted in found(taking(schema), f"{OPEN}x: {annotation} | MISSING = MISSING")


CONDITIONAL: list[tuple[str, dict[str, Any], str]] = [
    ("a member that another needs", {"dependentRequired": {"x": ["y"]}}, "dependentRequired"),
    ("then", {"if": {"required": ["x"]}, "then": {"required": ["y"]}}, "required"),
    (
        "else",
        {
            "if": {"properties": {"x": {"const": "a"}}, "required": ["x"]},
            "else": {"properties": {"y": False}},
        },
        "false",
    ),
    ("not", {"not": {"required": ["x", "y"]}}, "not"),
    ("one group", {"oneOf": [{"required": ["x"]}, {"required": ["y"]}]}, "oneOf"),
    ("any group", {"anyOf": [{"required": ["x"]}, {"required": ["y"]}]}, "anyOf"),
    ("a count of members", {"maxProperties": 1}, "maxProperties"),
    ("a member that nobody describes", {"required": ["z"]}, "required"),
]


@pytest.mark.parametrize(
    ("more", "keyword"), [row[1:] for row in CONDITIONAL], ids=[row[0] for row in CONDITIONAL]
)
def test_a_condition_between_members_is_found(more: dict[str, Any], keyword: str) -> None:
    schema = taking({"enum": ["a", "b"]}, **more)
    schema["properties"]["y"] = {"type": "string"}
    fields = f"{OPEN}x: Literal['a', 'b'] | MISSING = MISSING; y: StrictStr | MISSING = MISSING"
    assert ("accepts", keyword) in {each[:2] for each in found(schema, fields)}


def test_an_example_is_what_it_is_said_to_be() -> None:
    schema = taking({"type": "integer", "minimum": 3}, required=["x"])
    for each in differences(schema, "x: int"):
        assert judge(schema).is_valid(each["example"]) == (each["kind"] != "accepts")


def test_a_difference_has_its_shortest_example_and_its_modes() -> None:
    fields = "model_config = ConfigDict(extra='forbid'); x: bool = False"
    [each] = differences(taking({"type": "boolean"}, additionalProperties=False), fields)
    assert each["example"] in ({"x": 0}, {"x": "1"}, {"x": 1.0})
    assert each["modes"] == ("python",)


def test_an_example_from_the_case_files_is_tried() -> None:
    schema = taking({"type": "string", "not": {"const": "rather unlikely"}})
    fields = f"{OPEN}x: StrictStr | MISSING = MISSING"
    assert ("accepts", "not", "/x") in found(schema, fields, [{"x": "rather unlikely"}])


def test_a_member_of_a_list_of_objects_is_reached() -> None:
    schema = taking({"type": "array", "items": taking({"type": "integer", "maximum": 5})})
    fields = f"{OPEN}x: list[dict[str, StrictInt]] | MISSING = MISSING"
    assert ("accepts", "maximum", "/x/*/x") in found(schema, fields)


@pytest.mark.parametrize("case", CORPUS["cases"], ids=lambda case: case["name"])
def test_a_generated_model_agrees_with_its_schema(case: dict[str, Any]) -> None:
    schema = bundled(case["schema"], CORPUS["$defs"])
    source = json.dumps({"schema": schema, "name": "Root", "description": ""})
    [made] = generate([source])
    item = {"source": source, "code": made["code"], "examples": case["accepted"] + case["refused"]}
    result = compare(item)
    assert result["accepted"] > 0
    assert result["differences"] == ()


def lossy() -> dict[str, Any]:
    """Return a schema with a rule that would be endless."""
    tree = {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "uniqueItems": True}
    return {**taking({"$ref": "#/$defs/Tree"}), "$defs": {"Tree": tree}}


def contract_of(**schemas: dict[str, Any]) -> Contract:
    tools = [
        {
            "auth": "none",
            "description": "Do it.",
            "exec": {"kind": "handler"},
            "inputSchema": schema,
            "name": name,
            "surfaces": ["mcp"],
            "title": name,
        }
        for name, schema in schemas.items()
    ]
    server = {"binding": "mcp", "name": "shop", "title": "Shop", "tools": tools, "version": "1.0.0"}
    return Contract("contract/contract.json", "", {"counterfoil": 1, "servers": {"shop": server}})


def report(made: Contract, path: str, folder: Path | None = None) -> tuple[Request, bytes]:
    request = Request(made, made.servers, path, Cache(folder), {})
    [file] = TARGET.plan(request)
    assert file.path == path
    return request, file.content


def test_the_page_names_place_keyword_kind_and_example() -> None:
    _, content = report(contract_of(grow=lossy(), go=taking({"type": "string"})), "fidelity.md")
    text = content.decode()
    [row, *_] = [line for line in text.splitlines() if line.startswith("| input |")]
    assert "`uniqueItems`" in row
    assert KINDS["accepts"].title in row
    assert "`/x/*`" in row
    assert "### Tool go\n\nValues tried: input" in text


def test_the_page_says_why() -> None:
    _, content = report(contract_of(grow=lossy()), "fidelity.md")
    assert "cannot be written out as a rule of the model" in content.decode()


def test_the_page_says_so_where_nothing_was_found() -> None:
    _, content = report(contract_of(go=taking({"type": "string"})), "fidelity.md")
    assert "No difference was found" in content.decode()


def test_the_data_hold_the_whole_example() -> None:
    _, content = report(contract_of(grow=lossy()), "fidelity.json")
    entries = json.loads(content)["servers"]["shop"]["grow"]["input"]["differences"]
    assert entries
    assert not any(judge(lossy()).is_valid(each["example"]) for each in entries)
    assert all(each["reason"] for each in entries)


@pytest.mark.parametrize("path", ["fidelity.md", "fidelity.json"])
def test_what_is_expected_is_found(path: str) -> None:
    made = contract_of(grow=lossy(), **{"go_on.2": taking({})})
    request, content = report(made, path)
    assert TARGET.found(request, {path: content}) == TARGET.expected(request)
    stamp = read_stamp(content)
    assert stamp is not None
    assert stamp.intact


@pytest.mark.parametrize("path", ["fidelity.md", "fidelity.json"])
def test_a_report_that_is_not_there_or_not_readable_holds_nothing(path: str) -> None:
    made = contract_of(go=taking({}))
    request = Request(made, made.servers, path, Cache(None), {})
    assert TARGET.found(request, {}) == TARGET.found(request, {path: b"\xff[]"}) == set()


def test_results_come_from_the_cache_without_running_anything(tmp_path: Path) -> None:
    made = contract_of(grow=lossy())
    _, first = report(made, "fidelity.md", tmp_path / "cache")
    (tmp_path / "contract.json").write_text(json.dumps(made.data), "utf-8")
    code = """
import hashlib, json, sys
from pathlib import Path
from counterfoil.cache import Cache
from counterfoil.contract.model import Contract
from counterfoil.targets.fidelity import TARGET
from counterfoil.targets.target import Request
made = Contract("contract/contract.json", "", json.loads(Path("contract.json").read_text("utf-8")))
[file] = TARGET.plan(Request(made, made.servers, "fidelity.md", Cache(Path("cache")), {}))
print("counterfoil_scratch.json_schema" in sys.modules)
sys.stdout.write(file.content.decode())
"""
    environment = {**os.environ, "PYTHONHASHSEED": "5", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=True,
    )
    ran, _, text = done.stdout.partition(b"\n")
    assert ran.strip() == b"False"
    assert text.replace(b"\r\n", b"\n") == first


def test_no_model_of_our_contract_turns_a_caller_away_or_changes_a_value() -> None:
    reading = read_contract(ROOT / "contract/contract.json", "contract/contract.json")
    made = reading.contract
    assert made is not None
    cases, _ = read_cases(ROOT, "contract/cases", made)
    [file] = TARGET.plan(Request(made, made.servers, "fidelity.json", Cache(None), cases))
    servers = json.loads(file.content)["servers"]
    parted = [
        (server, tool, direction, each["kind"], each["keyword"], each["place"])
        for server, tools in servers.items()
        for tool, directions in tools.items()
        for direction, result in directions.items()
        for each in result["differences"]
    ]
    assert parted == []
    assert all(r["accepted"] for t in servers.values() for d in t.values() for r in d.values())
