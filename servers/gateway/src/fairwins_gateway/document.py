"""The OpenAPI document that this package carries, read as a table of operations.

The document is generated from the contract. What it says about a route (method, path, scope,
parameters, body, errors) is said nowhere else in this package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from jsonschema_rs import Draft202012Validator

from fairwins_gateway.jsontext import JsonObject, is_array, is_object, parse

_METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Parameter:
    """One parameter of the path or the query.

    Attributes:
        name: its name.
        place: ``path`` or ``query``.
        required: whether it has to be there.
        integer: whether its text stands for a whole number.
        pattern: judge of its text.
    """

    name: str
    place: str
    required: bool
    integer: bool
    pattern: Draft202012Validator


@dataclass(frozen=True)
class Operation:
    """One route.

    Attributes:
        id: its name; ``method`` and ``path`` as in the document.
        description: what it is, in words.
        auth: ``bearer``, ``signature`` or ``none``.
        kind: ``never``, ``free``, or the class under which it is priced.
        scope: what a token must permit.
        parameters: all of them, the path's first.
        body: judge of the request's body; None for a route that takes none.
        codes: for each status of a failure, the codes that the document lists.
    """

    id: str
    method: str
    path: str
    description: str
    auth: str
    kind: str
    scope: str | None
    parameters: tuple[Parameter, ...]
    body: Draft202012Validator | None
    codes: Mapping[int, frozenset[str]]

    def lists(self, status: int, code: str) -> bool:
        """Tell whether the document knows this failure of the route."""
        return code in self.codes.get(status, frozenset())


@cache
def document_bytes() -> bytes:
    """Return the document as it is served."""
    return files("fairwins_gateway").joinpath("openapi.json").read_bytes()


@cache
def read_operations(document: bytes) -> Mapping[str, Operation]:
    """Return the operations of a document by id."""
    read = parse(document)
    operations = [
        _operation(method.upper(), path, entry, read["components"])
        for path, item in read["paths"].items()
        for method, entry in item.items()
        if method in _METHODS
    ]
    return MappingProxyType({operation.id: operation for operation in operations})


def _operation(method: str, path: str, entry: JsonObject, components: JsonObject) -> Operation:
    body = entry.get("requestBody", {}).get("content", {}).get("application/json")
    parameters = [_parameter(each, components) for each in entry.get("parameters", [])]
    return Operation(
        id=entry["operationId"],
        method=method,
        path=path,
        description=entry["description"],
        auth=entry["x-auth"],
        kind=entry["x-class"],
        scope=entry.get("x-scope"),
        parameters=tuple(sorted(parameters, key=lambda each: each.place)),
        body=None if body is None else _judge(body["schema"], components),
        codes={
            int(status): frozenset(_codes(response.get("content")))
            for status, response in entry["responses"].items()
            if status >= "400"
        },
    )


def _parameter(entry: JsonObject, components: JsonObject) -> Parameter:
    schema = entry["schema"]
    pattern = {"pattern": entry["x-pattern"]} if "x-pattern" in entry else schema
    return Parameter(
        name=entry["name"],
        place=entry["in"],
        required=entry["required"],
        integer=schema.get("type") == "integer",
        pattern=_judge(pattern, components),
    )


def _judge(schema: JsonObject, components: JsonObject) -> Draft202012Validator:
    whole = {"allOf": [schema], "components": components}
    return Draft202012Validator(whole, validate_formats=False, offline=True)


def _codes(value: Any) -> list[str]:
    """Find the codes that a response's schema lists, wherever in it they are."""
    if is_array(value):
        return [code for item in value for code in _codes(item)]
    if not is_object(value):
        return []
    here: Any = value.get("code")
    found: list[str] = here.get("enum", []) if is_object(here) else []
    return found + [code for inner in value.values() for code in _codes(inner)]
