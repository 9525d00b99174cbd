"""OpenAPI documents."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import openapi_spec_validator
import pytest

from counterfoil.contract.model import Contract
from counterfoil.errors import GenerationError
from counterfoil.render import read_stamp
from counterfoil.schema.refs import follow
from counterfoil.targets.openapi import TARGET
from counterfoil.targets.target import Entry

OUTPUT = ("openapi", "docs/{server}.json")
PATH = "docs/harbour.json"


@pytest.fixture
def document(harbour: Contract, make: Any) -> Any:
    return json.loads(make(harbour, OUTPUT)[PATH])


def references(node: Any) -> Iterator[str]:
    """Yield every reference of a document; no data in these contracts has such a key."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


@pytest.mark.parametrize("name", ["harbour", "hostile", "real"])
def test_documents_are_valid_and_their_references_lead_somewhere(
    name: str, request: pytest.FixtureRequest, make: Any
) -> None:
    contract: Contract = request.getfixturevalue(name)
    files = make(contract, OUTPUT)
    assert files
    for content in files.values():
        made = json.loads(content)
        openapi_spec_validator.validate(made)
        found = set(references(made))
        assert found
        for reference in found:
            follow(made, reference)


def test_every_route_is_an_operation_and_the_header_comes_first(
    harbour: Contract, document: Any
) -> None:
    assert list(document)[:2] == ["x-generated", "openapi"]
    operations = {
        operation["operationId"]: (method.upper(), path)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }
    routes = harbour.server("harbour").routes.values()
    assert operations == {each.name: (each.data["method"], each.data["path"]) for each in routes}
    assert document["info"]["title"] == "Harbour"
    assert document["info"]["version"] == "1.2.3"


def test_an_operation_says_what_its_route_says(document: Any) -> None:
    made = document["paths"]["/v1/piers/{pier}/berths"]["get"]
    assert made["parameters"] == [
        {
            "name": "pier",
            "in": "path",
            "required": True,
            "description": "Letter of the pier.",
            "schema": {"type": "string", "pattern": "^[A-Z]$"},
        },
        {
            "name": "first",
            "in": "query",
            "required": False,
            "description": "How many at most.",
            "schema": {"type": "integer", "minimum": 1, "maximum": 50},
            "x-pattern": "^[1-9][0-9]?$",
        },
        {
            "name": "after",
            "in": "query",
            "required": True,
            "description": "Where to go on.",
            "schema": {"type": "string", "pattern": "^[a-z0-9]{1,16}$"},
        },
    ]
    assert made["security"] == [{"bearer": ["read:berths"]}]
    assert made["tags"] == ["read"]
    assert (made["x-auth"], made["x-class"], made["x-scope"]) == ("bearer", "read", "read:berths")
    (place,) = made["x-unreadable"]
    assert place["at"] == "/berths/*/tide/state"
    assert "x-unreadable" in made["responses"]["200"]["description"]


def test_what_will_be_removed_is_deprecated(data: Any, make_contract: Any, make: Any) -> None:
    gone = {"date": "2027-01-31"}
    [route] = [each for each in data["servers"]["harbour"]["routes"] if each["id"] == "berths"]
    route["deprecated"] = route["queryParams"][0]["deprecated"] = gone
    document = json.loads(make(make_contract(data), OUTPUT)[PATH])
    openapi_spec_validator.validate(document)
    made = document["paths"][route["path"]]["get"]
    assert (made["deprecated"], made["x-deprecated"]) == (True, gone)
    assert [each.get("deprecated") for each in made["parameters"]] == [None, True, None]


def test_errors_are_listed_by_status_with_their_codes(document: Any) -> None:
    answers = document["paths"]["/v1/piers/{pier}/berths"]["get"]["responses"]
    assert list(answers) == ["200", "400", "401", "402", "429", "503"]
    schema = answers["401"]["content"]["application/json"]["schema"]
    whole = {**schema, "components": document["components"]}
    validator = jsonschema.Draft202012Validator(whole)
    assert validator.is_valid({"error": {"code": "token_expired", "reason": "It has ended."}})
    assert not validator.is_valid({"error": {"code": "quota_exceeded", "reason": "Too many."}})
    assert not validator.is_valid({"error": {"code": "token_expired"}})
    assert "`token_expired`" in answers["401"]["description"]
    retry = answers["429"]["headers"]["Retry-After"]
    assert retry["required"]
    assert retry["schema"] == {"type": "integer", "minimum": 0}
    assert "unknown" in answers["503"]["description"]
    assert "unknown" not in answers["400"]["description"]


def test_only_priced_classes_answer_a_price(document: Any) -> None:
    paths = document["paths"]
    answers = {
        operation["operationId"]: operation["responses"]
        for item in paths.values()
        for operation in item.values()
    }
    priced = {name for name, responses in answers.items() if "402" in responses}
    assert priced == {"berths", "moor"}
    price = answers["berths"]["402"]["content"]["application/json"]["schema"]
    assert price == {"$ref": "#/components/schemas/price"}
    both = answers["moor"]["402"]["content"]["application/json"]["schema"]["anyOf"]
    assert both[1] == price
    assert both[0]["allOf"][1]["properties"]["error"]["properties"]["code"]["enum"] == [
        "payment_required"
    ]


def test_scopes_stand_with_the_bearer_scheme(document: Any) -> None:
    scheme = document["components"]["securitySchemes"]["bearer"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert scheme["x-scopes"] == {"read:berths": ["berths"]}
    paths = document["paths"]
    assert paths["/v1/moorings"]["delete"]["security"] == [{"bearer": []}]
    assert paths["/v1/moorings"]["post"]["security"] == []
    assert paths["/v1/moorings"]["post"]["x-auth"] == "signature"


def test_an_api_without_tokens_has_no_security_scheme(
    data: Any, make_contract: Any, make: Any
) -> None:
    for route in data["servers"]["harbour"]["routes"]:
        route["auth"] = "none"
        route.pop("scope", None)
    made = json.loads(make(make_contract(data), OUTPUT)[PATH])
    assert "securitySchemes" not in made["components"]


def test_shared_schemas_that_are_used_become_components(document: Any) -> None:
    schemas = document["components"]["schemas"]
    assert set(schemas) == {
        "Berth", "Pier", "Position", "Tide", "errorEnvelope", "moor.response", "price",
    }  # fmt: skip
    body = document["paths"]["/v1/moorings"]["post"]["requestBody"]
    assert body["required"]
    assert body["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Berth"}
    assert schemas["Pier"]["properties"]["branches"]["items"]["$ref"] == "#/components/schemas/Pier"


def test_a_schema_that_refers_to_itself_keeps_its_meaning(document: Any) -> None:
    schema = {"$ref": "#/components/schemas/moor.response", "components": document["components"]}
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(
        {"kind": "page", "next": {"kind": "page", "mark": "abc", "next": None}}
    )
    assert not validator.is_valid({"kind": "page", "next": {"kind": "page", "mark": "abcd"}})
    assert not validator.is_valid({"kind": "page", "next": {"kind": "book"}})


def test_data_that_looks_like_a_reference_stays_as_it_is(
    data: Any, make_contract: Any, make: Any
) -> None:
    literal = {"$ref": "#/$defs/Nothing"}
    member = {"type": "object", "default": literal, "examples": [literal], "enum": [literal]}
    data["servers"]["harbour"]["routes"][0]["response"]["properties"]["$ref"] = member
    made = json.loads(make(make_contract(data), OUTPUT)[PATH])
    operation = made["paths"]["/v1/piers/{pier}/berths"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema["properties"]["$ref"] == member


def broken_dangling(route: Any) -> None:
    route["response"] = {"$ref": "#/$defs/Nobody"}


def broken_base(route: Any) -> None:
    route["response"] = {"type": "object", "properties": {"a": {"$id": "x:y"}}}


def broken_method(route: Any) -> None:
    route.update(method="DELETE", path="/v1/moorings")
    del route["pathParams"]


def broken_template(route: Any) -> None:
    route["path"] = "/v1/piers/{letter}"
    route["pathParams"][0]["name"] = "letter"


def broken_parameters(route: Any) -> None:
    route["pathParams"][0]["name"] = "letter"


def broken_id(route: Any) -> None:
    route["id"] = "pier"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (broken_dangling, "#/$defs/Nobody, which is not there"),
        (broken_base, "holds $id"),
        (broken_method, "DELETE /v1/moorings is there twice"),
        (broken_template, "the same path with other names"),
        (broken_parameters, "name different parameters"),
        (broken_id, "the id pier is used twice"),
    ],
)
def test_what_no_document_can_say_is_refused_with_its_place(
    change: Any, words: str, data: Any, make_contract: Any, make: Any
) -> None:
    routes = data["servers"]["harbour"]["routes"]
    change(next(route for route in routes if route["id"] == "berths"))
    with pytest.raises(GenerationError) as caught:
        make(make_contract(data), OUTPUT)
    assert words in caught.value.what
    assert caught.value.place.startswith("contract/contract.json#/servers/harbour/routes/")


def test_a_shared_schema_that_leads_nowhere_is_refused(
    data: Any, make_contract: Any, make: Any
) -> None:
    data["$defs"]["Tide"] = {"$ref": "#/properties/x"}
    with pytest.raises(GenerationError) as caught:
        make(make_contract(data), OUTPUT)
    assert caught.value.place == "contract/contract.json#/$defs/Tide"


def test_servers_without_routes_have_no_document(harbour: Contract, make: Any) -> None:
    assert set(make(harbour, OUTPUT)) == {PATH}


def test_the_document_holds_every_route(harbour: Contract, make_steps: Any, make: Any) -> None:
    (step,) = make_steps(harbour, OUTPUT)
    files = make(harbour, OUTPUT)
    expected = TARGET.expected(step.request)
    assert TARGET.found(step.request, files) == expected
    made = json.loads(files[PATH])
    made["paths"]["/v1/moorings"]["post"]["operationId"] = "ghost"
    found = TARGET.found(step.request, {PATH: json.dumps(made).encode()})
    assert expected - found == {Entry("harbour", "route", "moor")}
    assert found - expected == {Entry("harbour", "route", "ghost")}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"paths": 3}', b'{"paths": {"/": [1]}}'])
def test_a_document_that_cannot_be_read_holds_nothing(
    content: bytes, harbour: Contract, make_steps: Any
) -> None:
    (step,) = make_steps(harbour, OUTPUT)
    assert TARGET.found(step.request, {PATH: content}) == set()


def test_the_hash_covers_what_the_document_is_made_from_and_nothing_else(
    data: Any, make_contract: Any, make: Any
) -> None:
    def digest(changed: Any) -> str:
        stamp = read_stamp(make(make_contract(changed), OUTPUT)[PATH])
        assert stamp is not None
        assert stamp.intact
        return stamp.digest

    before = digest(data)
    same = copy.deepcopy(data)
    same["servers"]["harbour"]["tools"][0]["description"] = "Other words."
    same["$defs"]["Unused"]["description"] = "Other words."
    assert digest(same) == before
    other = copy.deepcopy(data)
    other["$defs"]["Position"]["description"] = "Other words."  # two references away
    assert digest(other) != before
