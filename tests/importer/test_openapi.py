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
from counterfoil.importer.openapi.parameters import plain_schema
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


def api(operation: dict[str, Any], path: str = "/a", method: str = "get", **more: Any) -> Document:
    """Return a document with one operation."""
    answers = {"responses": {"204": {"description": "Done."}}}
    data = {"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, **more}
    return Document(
        "api.json", {**data, "paths": {path: {method: answers | operation}}}, legacy=False
    )


def converted(document: Document, binding: str = "mcp") -> tuple[dict[str, Any], list[str]]:
    """Return the server of all operations, and the losses."""
    made, _ = convert_operations(document, chosen(document, (), ()), "a", binding)
    return made.data, [loss.what for loss in made.losses]


TEXT = {"type": "string"}
NULL = {"type": "null"}


@pytest.mark.parametrize(
    "schema",
    [
        TEXT,
        {"type": "string", "nullable": True},
        {"type": ["string", "null"], "default": None},
        {"anyOf": [TEXT, NULL]},
        {"oneOf": [NULL, {"allOf": [TEXT]}]},
        {"$ref": "#/components/schemas/Word"},
        {"allOf": [{"$ref": "#/components/schemas/Word"}], "description": "A word."},
    ],
)
def test_an_optional_text_is_an_argument_however_it_is_written(schema: dict[str, Any]) -> None:
    parameters = [{"name": "q", "in": "query", "schema": schema}]
    document = api({"parameters": parameters}, components={"schemas": {"Word": TEXT}})
    data, losses = converted(document)
    assert losses == []
    [tool] = data["tools"]
    assert tool["inputSchema"]["properties"]["q"]["type"] == "string"
    contract = Contract("c.json", "", {"counterfoil": 1, "servers": {"a": data}})
    assert lint_contract(contract) == ()


@pytest.mark.parametrize(("legacy", "default"), [(False, {"default": "red"}), (True, {})])
def test_what_stands_beside_a_reference_counts_since_3_1(
    legacy: bool, default: dict[str, str]
) -> None:
    components = {"schemas": {"Colour": {"type": "string", "enum": ["red", "blue"]}}}
    document = Document("a.json", {"components": components}, legacy)
    schema = {"$ref": "#/components/schemas/Colour", "default": "red"}
    assert plain_schema(document, schema) == components["schemas"]["Colour"] | default


@pytest.mark.parametrize(
    "parameter",
    [
        {"in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
        {"in": "query", "schema": {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}},
        {"in": "query", "schema": {"type": "array", "items": TEXT}},
        {"in": "cookie", "schema": TEXT},
    ],
)
def test_a_parameter_that_a_route_cannot_have_is_named(parameter: dict[str, Any]) -> None:
    data, losses = converted(api({"parameters": [{"name": "q", **parameter}]}))
    assert losses == [f"the {parameter['in']} parameter q"]
    assert data["tools"][0]["inputSchema"]["properties"] == {}
    _, losses = converted(api({"parameters": [{"name": "q", "required": True, **parameter}]}))
    assert losses[0].startswith("left out whole: it needs the ")


def test_a_path_parameter_has_a_name_that_a_contract_can_have() -> None:
    parameters = [{"name": "order-id", "in": "path", "required": True, "schema": TEXT}]
    data, losses = converted(api({"parameters": parameters}, "/orders/{order-id}"))
    assert losses == []
    assert data["routes"][0]["path"] == "/orders/{order_id}"
    assert data["tools"][0]["exec"]["path"] == ["order_id"]


@pytest.mark.parametrize("path", ["/", "/orders/", "/orders/{id}/"])
def test_a_slash_at_the_end_of_a_path_counts(path: str) -> None:
    named = [{"name": "id", "in": "path", "required": True, "schema": TEXT}]
    data, losses = converted(api({"parameters": named if "{" in path else []}, path))
    assert losses == []
    assert data["routes"][0]["path"] == path
    made = new_contract("shelf", data, {})
    text = canonical_text(made)
    assert read_contract_bytes(text.encode(), "contract.json").findings == ()
    contract = Contract("contract.json", text, arranged(made))
    assert list(openapi_document(contract, contract.server("shelf"))["paths"]) == [path]


@pytest.mark.parametrize("path", ["//", "/orders//", "/orders/{id}.json", "orders"])
def test_a_path_that_a_contract_cannot_have_is_named(path: str) -> None:
    data, losses = converted(api({}, path))
    assert len(losses) == 1
    assert data["routes"] == []


def test_the_parts_of_a_body_are_arguments_together() -> None:
    part = {"properties": {"name": TEXT}, "required": ["name"], "type": "object"}
    size = {"properties": {"size": {"type": "integer"}}}
    schema = {
        "allOf": [{"$ref": "#/components/schemas/Part"}, size],
        "properties": {"home-town": TEXT},
    }
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    document = api({"requestBody": body}, method="post", components={"schemas": {"Part": part}})
    data, losses = converted(document)
    assert losses == ["the member home-town of the body"]
    [tool] = data["tools"]
    assert list(tool["inputSchema"]["properties"]) == ["name", "size"]
    assert tool["inputSchema"]["required"] == ["name"]
    assert data["routes"][0]["body"]["allOf"][0] == {"$ref": "#/$defs/Part"}


def test_a_body_that_leads_to_itself_is_named() -> None:
    loop = {"allOf": [{"$ref": "#/components/schemas/Loop"}]}
    body = {"content": {"application/json": {"schema": loop}}}
    document = api({"requestBody": body}, method="post", components={"schemas": {"Loop": loop}})
    data, [loss] = converted(document)
    assert loss.startswith("left out whole: its body is no object")
    assert data["tools"] == []


def test_what_an_operation_asks_of_callers_is_taken_or_named() -> None:
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "login": {"type": "oauth2", "flows": {}},
        "token": {"type": "http", "scheme": "Bearer"},
    }
    more = {"components": {"securitySchemes": schemes}}
    document = api({"security": [{"key": []}, {"login": ["read"]}]}, **more)
    made, _ = convert_operations(document, chosen(document, (), ()), "a")
    assert (made.data["tools"][0]["auth"], made.data["tools"][0]["scope"]) == ("grant", "read")
    assert "callers bring a bearer token where the document asks for key" in made.assumed
    data, losses = converted(api({"security": [{"login": ["read", "write"]}]}, **more))
    assert losses == ["the scopes read, write: a route has one at the most"]
    assert "scope" not in data["tools"][0]


def test_what_only_looks_like_a_text_is_none() -> None:
    data, _ = converted(api({"operationId": "get_a", "summary": "  ", "description": "\n"}))
    [tool] = data["tools"]
    assert (tool["title"], tool["description"]) == ("get a", "GET /a")


def test_other_answers_and_methods_are_named() -> None:
    answer = {"responses": {"200": {"description": "A.", "content": {"text/csv": {}}}}}
    _, losses = converted(api(answer))
    assert losses == ["its answer, which is no JSON"]
    _, losses = converted(api({}, method="head"))
    assert losses == ["left out whole: a route is not asked with HEAD"]


def test_a_wrapper_may_call_what_it_was_made_of() -> None:
    addresses = [{"url": "https://api.example.com/v1"}, {"url": "https://{region}.example.com"}]
    parameters = [{"name": "id", "in": "path", "required": True, "schema": TEXT}]
    document = api({"parameters": parameters}, "/a/{id}", servers=addresses)
    data, _ = converted(document, "wrapper")
    assert data["outbound"] == [
        {"method": "GET", "origin": "https://api.example.com", "pathPattern": "/v1/a/*"}
    ]
    assert "routes" not in data
    contract = Contract("c.json", "", {"counterfoil": 1, "servers": {"a": data}})
    assert lint_contract(contract) == ()


def test_two_operations_of_one_id_are_refused(tmp_path: Path) -> None:
    one = {"operationId": "a", "responses": {"204": {"description": "Done."}}}
    data = {
        "openapi": "3.0.3",
        "info": {"title": "A", "version": "1"},
        "paths": {"/a": {"get": one}, "/b": {"get": one}},
    }
    path = tmp_path / "api.json"
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(CounterfoilError, match=r"breaks OpenAPI's rules: .*'a'"):
        read_document(path, "api.json")


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


def test_a_reference_may_be_written_as_part_of_an_address() -> None:
    schemas = {"a": {"type": "string"}}
    document = Document("new.json", {"components": {"schemas": schemas}}, legacy=False)
    reference = {"$ref": "#/components/schemas/%61"}
    assert document.resolved(reference) == schemas["a"]
    assert Translator(document).translated(reference) == {"$ref": "#/$defs/A"}


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


def circle(schema: dict[str, Any]) -> str:
    """Return a document that answers with one schema, which is called A."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}
    answer = {"200": {"description": "A.", "content": content}}
    paths = {"/a": {"get": {"responses": answer}}}
    data = {"openapi": "3.0.3", "info": {"title": "A", "version": "1"}, "paths": paths}
    return json.dumps({**data, "components": {"schemas": {"A": schema}}})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ('{"swagger": "2.0"}', "is no OpenAPI document"),
        ('{"openapi": "3.1.0", "info": {}}', "breaks OpenAPI's rules"),
        (
            '{"openapi": "3.0.3", "info": {"title": "A", "version": 1.0}, "paths": {}}',
            "#/info/version: breaks OpenAPI's rules",
        ),
        (
            '{"openapi": "3.1.0", "paths": {"/a": {"$ref": "https://example.com/a.json"}}}',
            "which is outside of the document",
        ),
        (
            '{"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/components/pathItems/a"}}}',
            "api.json #/paths/~1a: refers to #/components/pathItems/a, where nothing is",
        ),
        (circle({"allOf": [{"$ref": "#/components/schemas/A"}]}), "made of nothing but itself"),
    ],
)
def test_what_is_no_document_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    path.write_text(text, "utf-8")
    with pytest.raises(CounterfoilError, match=said):
        read_document(path, "api.json")


def test_examples_may_hold_what_looks_like_a_reference(tmp_path: Path) -> None:
    named = {"example": {"$ref": "#/components/schemas/A"}}
    schema = {"type": "object", "properties": named, "example": {"$ref": "no-such.yaml"}}
    path = tmp_path / "api.json"
    path.write_text(circle(schema), "utf-8")
    assert len(chosen(read_document(path, "api.json"), (), ())) == 1


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
