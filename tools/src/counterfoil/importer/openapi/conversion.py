"""A server of a contract, from operations of an OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterfoil.contract.canonical import arranged
from counterfoil.contract.excerpts import bounded
from counterfoil.contract.values import is_object, items, members, text, texts
from counterfoil.importer.conversion import Converted, Loss
from counterfoil.importer.openapi.access import credential, other_credentials, outbound
from counterfoil.importer.openapi.document import Document, Operation
from counterfoil.importer.openapi.parameters import (
    is_identifier,
    path_parameter,
    plain_schema,
    query_parameter,
)
from counterfoil.importer.openapi.schemas import Translator, flattened
from counterfoil.schema.refs import reachable

_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json(?:;.*)?")
_PLACES = re.compile(r"\{([^{}/]+)\}")
_BEYOND = frozenset({"allOf", "anyOf", "oneOf", "not", "minProperties"})
_SEGMENT = r"(?:[A-Za-z0-9_.~:-]+|\{[A-Za-z][A-Za-z0-9_]*\})"
_PATH = re.compile(rf"/(?:{_SEGMENT}(?:/{_SEGMENT})*/?)?")
_METHODS = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})


@dataclass
class _Draft:
    """A route and a tool in the making.

    Attributes:
        route, arguments, required, exec: what they will hold.
        losses: what they will not.
    """

    route: dict[str, Any]
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    required: list[str] = field(default_factory=list[str])
    exec: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    losses: list[str] = field(default_factory=list[str])

    def take(self, kind: str, name: str, schema: Any, *, required: bool) -> None:
        self.arguments[name] = schema
        self.exec.setdefault(kind, []).append(name)
        if required:
            self.required.append(name)


class _Refused(Exception):
    """Report an operation that a contract cannot have."""


def convert_operations(
    document: Document, chosen: Sequence[Operation], server: str, binding: str = "mcp"
) -> tuple[Converted, dict[str, Any]]:
    """Return the server, and the shared schemas that it needs.

    Args:
        document: where the operations are from.
        chosen: the operations; each becomes a route, and a tool that calls it.
        server: its id, which is its name.
        binding: ``mcp``, ``snapshot`` or ``wrapper``; a wrapper may call what the routes name.
    """
    translator = Translator(document)
    info = members(document.data.get("info"))
    routes: list[dict[str, Any]] = []
    tools: list[dict[str, Any]] = []
    losses: list[Loss] = []
    taken: set[str] = set()
    for operation in chosen:
        name = _name(operation.id, taken)
        try:
            draft = _draft(document, translator, operation, name)
        except _Refused as refusal:
            losses.append(Loss(f"operation {operation.id}", f"left out whole: {refusal}"))
            continue
        taken.add(name)
        routes.append(draft.route)
        tools.append(_tool(document, translator, operation, name, draft))
        losses += (Loss(f"operation {operation.id}", each) for each in draft.losses)
    made: dict[str, Any] = {
        "binding": binding,
        "name": server,
        "title": text(info.get("title")) or server,
        "version": text(info.get("version")) or "0.0.0",
        "tools": tools,
        "routes": routes,
    }
    if binding == "wrapper":
        # Its handlers call the API, within what its outbound list names; it has no routes.
        made["outbound"] = outbound(document, made.pop("routes"))
        made["tools"] = [{**tool, "exec": {"kind": "handler"}} for tool in tools]
    [[_, data]] = arranged({"servers": {"it": made}})["servers"].items()
    places = ("inputSchema", "outputSchema", "body", "response")
    entries = (*data["tools"], *data.get("routes", ()))
    needed = {"allOf": [entry[key] for entry in entries for key in places if key in entry]}
    converted = Converted(data, tuple(losses), tuple(_assumed(document)))
    # What only an operation that was left out refers to, nobody needs.
    return converted, reachable(needed, translator.shared())


def _assumed(document: Document) -> Iterator[str]:
    yield "no operation has a price: routes are free, or never priced where they need a credential"
    yield "arguments in paths take unreserved characters, and integers from 0 up"
    if names := ", ".join(other_credentials(document)):
        yield f"callers bring a bearer token where the document asks for {names}"
    for address in items(document.data.get("servers")):
        yield f"a contract has no address of the API: give it to the server ({address.get('url')})"


def _name(wanted: str, taken: set[str]) -> str:
    base = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_")[:60] or "operation"
    base = base if base[0].isalpha() else f"op_{base}"
    number, name = 2, base
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name


def _draft(document: Document, translator: Translator, operation: Operation, name: str) -> _Draft:
    if operation.method not in _METHODS:
        raise _Refused(f"a route is not asked with {operation.method}")
    path, renamed = _path(operation.path)
    if not _PATH.fullmatch(path):
        raise _Refused(f"the path {operation.path} has what a contract's path cannot have")
    data = operation.data
    auth, scopes = credential(document, data)
    scope = scopes[0] if len(scopes) == 1 else ""
    told = _first_text(data, "description", "summary")
    draft = _Draft(
        {
            "id": name,
            "method": operation.method,
            "path": path,
            "description": told or f"{operation.method} {operation.path}",
            "auth": auth,
            "class": "never" if auth == "bearer" else "free",
            **({"scope": scope} if scope else {}),
        }
    )
    for parameter in operation.parameters:
        _take_parameter(document, translator, parameter, renamed, draft)
    if "requestBody" in data:
        _take_body(document, translator, document.resolved(data["requestBody"]), draft)
    if len(scopes) > 1:
        draft.losses.append(f"the scopes {', '.join(scopes)}: a route has one at the most")
    if data.get("deprecated") is True:
        draft.losses.append("deprecated: a contract asks for the date of its end")
    return draft


def _first_text(data: Mapping[str, Any], *keys: str) -> str:
    return next((text(data[key]) for key in keys if text(data.get(key)).strip()), "")


def _path(path: str) -> tuple[str, dict[str, str]]:
    """Return a path with names that a contract can have, and those names by what they were.

    The name of a path parameter is not sent: another one changes nothing but the argument.
    """
    renamed = {name: re.sub(r"\W+", "_", name, flags=re.ASCII) for name in _PLACES.findall(path)}
    return _PLACES.sub(lambda found: f"{{{renamed[found[1]]}}}", path), renamed


def _take_parameter(
    document: Document,
    translator: Translator,
    parameter: Mapping[str, Any],
    renamed: Mapping[str, str],
    draft: _Draft,
) -> None:
    name, place = text(parameter.get("name")), text(parameter.get("in"))
    required = parameter.get("required") is True
    told = text(parameter.get("description")) or f"The parameter {name}."
    raw: Any = None if "content" in parameter else parameter.get("schema", {"type": "string"})
    schema = translator.translated(plain_schema(document, raw))
    argument = renamed.get(name, name) if place == "path" else name
    plain = is_object(schema) and is_identifier(argument)
    plain = plain and argument not in draft.arguments
    if place == "path":
        if not plain:
            raise _Refused(f"the path parameter {name} has no name or schema that a route can have")
        made, taken = path_parameter(argument, told, schema)
        draft.route.setdefault("pathParams", []).append(made)
        draft.take("path", argument, {"description": told, **taken}, required=True)
        return
    found = query_parameter(name, told, schema, required=required) if plain else None
    if place == "query" and found is not None:
        draft.route.setdefault("queryParams", []).append(found)
        draft.take("query", name, {"description": told, **schema}, required=required)
    elif required:
        raise _Refused(f"it needs the {place} parameter {name}, which a route cannot have")
    else:
        draft.losses.append(f"the {place} parameter {name}")


def _take_body(
    document: Document, translator: Translator, body: Mapping[str, Any], draft: _Draft
) -> None:
    raw = _json_schema(body)
    if raw is None:
        raise _Refused("its body is no JSON")
    plain = flattened(document, raw)
    every = members(plain.get("properties"))
    if plain.get("type", "object") != "object" or not every:
        raise _Refused("its body is no object with members, whose names could be arguments")
    beyond = sorted(plain.keys() & _BEYOND)
    if beyond:
        draft.losses.append(f"{', '.join(beyond)} of the body, in the tool's arguments")
    # What only the API may set is no argument, and not asked for in a request (OpenAPI, readOnly).
    sent = {
        name: translator.translated(member)
        for name, member in every.items()
        if document.resolved(member).get("readOnly") is not True
    }
    needed = [name for name in texts(plain.get("required")) if name in sent]
    for name, member in sent.items():
        if is_identifier(name) and name not in draft.arguments:
            must = name in needed and body.get("required") is True
            draft.take("body", name, member, required=must)
        elif name in needed:
            raise _Refused(f"the member {name} of its body cannot be the name of an argument")
        else:
            draft.losses.append(f"the member {name} of the body")
    if len(sent) == len(every):
        draft.route["body"] = translator.translated(raw)
    else:
        own = {"type": "object", "properties": sent, "required": needed}
        draft.route["body"] = {**translator.translated({**plain, "properties": {}}), **own}


def _tool(
    document: Document, translator: Translator, operation: Operation, name: str, draft: _Draft
) -> dict[str, Any]:
    data = operation.data
    public = draft.route["auth"] == "none"
    schema: dict[str, Any] = {
        "type": "object",
        "properties": draft.arguments,
        "additionalProperties": False,
    }
    if draft.required:
        schema["required"] = draft.required
    made: dict[str, Any] = {
        "name": name,
        "title": _first_text(data, "summary") or bounded(name.replace("_", " "), 80),
        "description": draft.route["description"],
        "inputSchema": schema,
        "annotations": _hints(operation.method),
        "auth": "none" if public else "grant",
        "surfaces": ["mcp"],
        "exec": {"kind": "public" if public else "route", "route": name, **draft.exec},
    }
    if "scope" in draft.route:
        made["scope"] = draft.route["scope"]
    answer = _answer(document, data)
    response = _json_schema(answer)
    if response is not None:
        draft.route["response"] = translator.translated(response)
        if document.resolved(response).get("type") == "object":
            made["outputSchema"] = draft.route["response"]
    elif answer.get("content"):
        draft.losses.append("its answer, which is no JSON")
    return made


def _hints(method: str) -> dict[str, bool]:
    """Return what HTTP promises of a method (RFC 9110, 9.2)."""
    return {
        "readOnlyHint": method == "GET",
        "destructiveHint": method != "GET",
        "idempotentHint": method in ("DELETE", "GET", "PUT"),
        "openWorldHint": True,
    }


def _answer(document: Document, data: Mapping[str, Any]) -> Mapping[str, Any]:
    answers = members(data.get("responses"))
    for status in ("200", "201", "202", "203", "204", "2XX", "default"):
        if status in answers:
            return document.resolved(answers[status])
    return {}


def _json_schema(holder: Mapping[str, Any]) -> Any:
    for kind, media in members(holder.get("content")).items():
        if _JSON.fullmatch(kind):
            return members(media).get("schema")
    return None
