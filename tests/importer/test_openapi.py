"""Routes and tools from OpenAPI documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate
from starter import counterfoil

from counterfoil.contract.canonical import arranged, canonical_text
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract_bytes
from counterfoil.errors import CounterfoilError
from counterfoil.importer.merging import new_contract
from counterfoil.importer.openapi.conversion import convert_operations
from counterfoil.importer.openapi.document import Document, chosen, read_document
from counterfoil.importer.openapi.schemas import Translator
from counterfoil.lint import lint_contract
from counterfoil.targets.openapi.document import document as openapi_document

DATA = Path(__file__).with_name("data")
OLD, NEW = "shelf-3.0.yaml", "shelf-3.1.json"


def imported(name: str, *ids: str) -> tuple[Contract, list[str]]:
    document = read_document(DATA / name, name)
    converted, shared = convert_operations(document, chosen(document, ids, ()), "shelf")
    made = new_contract("shelf", converted.data, shared)
    contract = Contract("contract.json", canonical_text(made), arranged(made))
    return contract, [f"{loss.subject}: {loss.what}" for loss in converted.losses]


@pytest.mark.parametrize("name", [OLD, NEW])
def test_what_is_made_keeps_every_rule_but_titles(name: str) -> None:
    contract, _ = imported(name)
    reading = read_contract_bytes(contract.text.encode(), "contract.json")
    assert reading.findings == ()
    assert {finding.code for finding in lint_contract(contract)} <= {"CF104"}


@pytest.mark.parametrize("name", [OLD, NEW])
def test_the_routes_make_an_openapi_document_again(name: str) -> None:
    contract, _ = imported(name)
    validate(openapi_document(contract, contract.server("shelf")))


def test_an_operation_becomes_a_route_and_a_tool_that_fills_it() -> None:
    contract, losses = imported(OLD, "listBooks", "getBook")
    server = contract.server("shelf")
    tools = {tool.name: tool.data for tool in server.tools}
    routes = {part.name: part.data for part in server.parts("routes")}
    assert tools.keys() == routes.keys() == {"getBook", "listBooks"}
    listing = tools["listBooks"]
    assert listing["exec"] == {"kind": "route", "route": "listBooks", "query": ["limit", "sort"]}
    assert (listing["auth"], listing["scope"]) == ("grant", "shelf.read")
    assert listing["inputSchema"]["properties"]["limit"] == {
        "type": "integer", "exclusiveMinimum": 0, "maximum": 100, "description": "How many.",
    }  # fmt: skip
    assert listing["outputSchema"] == {"$ref": "#/$defs/BookList"}
    assert listing["annotations"]["readOnlyHint"] is True
    reading = tools["getBook"]
    assert (reading["auth"], reading["exec"]["kind"]) == ("none", "public")
    assert reading["inputSchema"]["required"] == ["bookId"]
    assert routes["getBook"]["pathParams"][0]["pattern"].startswith("^(0|")
    assert losses == [
        "operation listBooks: the query parameter filter[author]",
        "operation listBooks: the query parameter tags",
        "operation listBooks: the header parameter X-Trace",
    ]


def test_a_body_becomes_arguments_without_what_only_the_api_sets() -> None:
    contract, _ = imported(OLD, "addBook")
    [tool] = contract.server("shelf").tools
    assert sorted(tool.input_schema["properties"]) == ["author", "kind", "price", "shelf", "title"]
    assert tool.input_schema["required"] == ["title"]
    [route] = contract.server("shelf").parts("routes")
    assert "id" not in route.data["body"]["properties"]
    assert route.data["body"]["required"] == ["title"]


def test_what_a_contract_cannot_have_is_named() -> None:
    contract, losses = imported(OLD, "putCover", "removeBook")
    assert [tool.name for tool in contract.server("shelf").tools] == ["removeBook"]
    assert losses == [
        "operation removeBook: deprecated: a contract asks for the date of its end",
        "operation putCover: left out whole: its body is no JSON",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "string", "nullable": True, "enum": ["a"]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"nullable": True, "description": "D.", "oneOf": [{"type": "string"}]},
            {"description": "D.", "anyOf": [{"oneOf": [{"type": "string"}]}, {"type": "null"}]},
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        ({"$ref": "#/components/schemas/a-b", "description": "Lost."}, {"$ref": "#/$defs/AB"}),
        ({"not": {"nullable": True, "type": "string"}}, {"not": {"type": ["string", "null"]}}),
        ({"$ref": "#/components/parameters/p/schema"}, {"type": "string"}),
    ],
)  # fmt: skip
def test_a_schema_of_3_0_is_translated(old: dict[str, Any], new: dict[str, Any]) -> None:
    components = {"schemas": {"a-b": {}}, "parameters": {"p": {"schema": {"type": "string"}}}}
    document = Document("old.json", {"components": components}, legacy=True)
    assert Translator(document).translated(old) == new


def test_shared_schemas_that_become_one_name_are_told_apart() -> None:
    schemas = {"a-b": {"type": "string"}, "a_b": {"$ref": "#/components/schemas/a-b"}}
    document = Document("new.json", {"components": {"schemas": schemas}}, legacy=False)
    translator = Translator(document)
    made = [translator.translated({"$ref": f"#/components/schemas/{name}"}) for name in schemas]
    assert made == [{"$ref": "#/$defs/AB"}, {"$ref": "#/$defs/AB2"}]
    assert translator.shared() == {"AB": {"type": "string"}, "AB2": {"$ref": "#/$defs/AB"}}


def test_operations_are_chosen_by_id_and_by_tag() -> None:
    document = read_document(DATA / OLD, OLD)
    assert len(chosen(document, (), ())) == 5
    by_tag = {each.id for each in chosen(document, ("getBook",), ("writing",))}
    assert by_tag == {"addBook", "getBook", "putCover", "removeBook"}
    with pytest.raises(CounterfoilError, match="has no operation 'nothing'"):
        chosen(document, ("nothing",), ())
    with pytest.raises(CounterfoilError, match="has no tag 'nothing'"):
        chosen(document, (), ("nothing",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ('{"swagger": "2.0"}', "is no OpenAPI document"),
        ('{"openapi": "3.1.0", "info": {}}', "breaks OpenAPI's rules"),
        (
            '{"openapi": "3.1.0", "paths": {"/a": {"$ref": "https://example.com/a.json"}}}',
            "which is outside of the document",
        ),
    ],
)
def test_what_is_no_document_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    path.write_text(text, "utf-8")
    with pytest.raises(CounterfoilError, match=said):
        read_document(path, "api.json")


def test_a_project_is_made_of_a_document(tmp_path: Path) -> None:
    assert counterfoil("init", cwd=tmp_path).status == 0
    outcome = counterfoil(
        "import", "--openapi", str(DATA / OLD), "--tag", "books", "--server", "shelf", "--output",
        "contract/contract.json", cwd=tmp_path,
    )  # fmt: skip
    assert outcome.status == 1
    assert "not represented: operation listBooks: the header parameter X-Trace" in outcome.err
    servers = json.loads((tmp_path / "contract/contract.json").read_text("utf-8"))["servers"]
    assert servers.keys() == {"notes", "shelf"}
    judged = counterfoil("validate", "--format", "json", cwd=tmp_path)
    assert set(judged.codes) == {"CF182"}, judged.out
