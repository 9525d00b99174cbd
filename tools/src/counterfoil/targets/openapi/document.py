"""The OpenAPI document of one server's routes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.contract.canonical import digest
from counterfoil.contract.model import Contract, Part, Server
from counterfoil.contract.placeholders import braced, emptied
from counterfoil.errors import GenerationError
from counterfoil.schema.refs import reachable
from counterfoil.targets.openapi.components import Components
from counterfoil.targets.openapi.responses import PRICED, responses

# Named exactly by many readers; later patches of 3.1 only clarify it.
_VERSION = "3.1.0"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_BEARER = "bearer"
_CLASSES = {
    "assistant": "Priced as an assistant's turn.",
    "build": "Priced as a build.",
    "free": "Public and free of charge.",
    "never": "Never priced.",
    "read": "Priced as a read.",
}


def source_digest(contract: Contract, server: Server) -> str:
    """Return the hash of what the document is made from."""
    routes = server.parts("routes")
    schemas = [part for route in routes for part in _schemas(route)]
    schemas += [server.data[key] for key in ("errorBody",) if key in server.data]
    schemas += list(server.data.get("payment", {}).values())
    shared = {
        name: schema for part in schemas for name, schema in reachable(part, contract.defs).items()
    }
    keys = ("errorBody", "name", "payment", "title", "version")
    names = {key: server.data[key] for key in keys if key in server.data}
    return digest(
        {"server": names, "routes": [dict(route.data) for route in routes], "$defs": shared}
    )


def document(contract: Contract, server: Server) -> dict[str, Any]:
    """Return the document.

    Every route is an operation whose id is the route's. What OpenAPI has no word for stands in
    ``x-auth``, ``x-class``, ``x-scope`` and ``x-unreadable``, as the contract has it.

    Raises:
        GenerationError: two routes cannot be told apart, a path and its parameters disagree, or
            a schema refers to something that is not there.
    """
    routes = server.parts("routes")
    _judge_paths(contract, routes)
    components = Components(contract)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        item = paths.setdefault(route.data["path"], {})
        item[route.data["method"].lower()] = _operation(server, route, components)
    used = sorted({route.data["class"] for route in routes})
    made: dict[str, Any] = {
        "openapi": _VERSION,
        "info": _info(server),
        "jsonSchemaDialect": _DIALECT,
        "tags": [{"name": name, "description": _CLASSES[name]} for name in used],
        "paths": paths,
    }
    schemes = _security_schemes(routes)
    holds = {"schemas": components.as_sorted(), "securitySchemes": schemes}
    made["components"] = {key: value for key, value in holds.items() if value}
    return made


def _info(server: Server) -> dict[str, Any]:
    return {
        "title": server.title,
        "version": server.version or "0.0.0",  # OpenAPI asks for one
        "description": f"The HTTP API behind the MCP server `{server.data['name']}`.",
    }


def _operation(server: Server, route: Part, components: Components) -> dict[str, Any]:
    data = route.data
    made: dict[str, Any] = {
        "operationId": data["id"],
        "description": data["description"],
        "tags": [data["class"]],
    }
    made |= _ended(data)
    parameters = [*_path_parameters(route), *_query_parameters(route, components)]
    if parameters:
        made["parameters"] = parameters
    if "body" in data:
        schema = components.placed(data["body"], f"{data['id']}.body", f"{route.pointer}/body")
        made["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        }
    made["responses"] = responses(server, route, components)
    scopes = [data["scope"]] if "scope" in data else []
    made["security"] = [{_BEARER: scopes}] if data["auth"] == _BEARER else []
    for key in ("auth", "class", "scope", "unreadable"):
        if key in data:
            made[f"x-{key}"] = data[key]
    receipt = server.data.get("payment", {}).get("receipt")
    if receipt is not None and data["class"] in PRICED:
        pointer = f"{server.pointer}/payment/receipt"
        made["x-payment-receipt"] = components.placed(receipt, "paymentReceipt", pointer)
    return made


def _ended(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a document says of something whose removal is announced."""
    gone = data.get("deprecated")
    return {} if gone is None else {"deprecated": True, "x-deprecated": gone}


def _path_parameters(route: Part) -> Iterator[dict[str, Any]]:
    for given in route.data.get("pathParams", ()):
        yield {
            "name": given["name"],
            "in": "path",
            "required": True,
            "description": given["description"],
            "schema": {"type": "string", "pattern": given["pattern"]},
        }


def _query_parameters(route: Part, components: Components) -> Iterator[dict[str, Any]]:
    for index, given in enumerate(route.data.get("queryParams", ())):
        made: dict[str, Any] = {
            "name": given["name"],
            "in": "query",
            "required": bool(given.get("required", False)),
            "description": given["description"],
            **_ended(given),
        }
        if "schema" in given:
            pointer = f"{route.pointer}/queryParams/{index}/schema"
            name = f"{route.name}.{given['name']}"
            made["schema"] = components.placed(given["schema"], name, pointer)
            made["x-pattern"] = given["pattern"]  # of the value as text, before it is read
        else:
            made["schema"] = {"type": "string", "pattern": given["pattern"]}
        yield made


def _security_schemes(routes: tuple[Part, ...]) -> dict[str, Any]:
    """Return the bearer scheme with its scopes, which OpenAPI has no field for."""
    guarded = [route for route in routes if route.data["auth"] == _BEARER]
    if not guarded:
        return {}
    scopes: dict[str, list[str]] = {}
    for route in guarded:
        if "scope" in route.data:
            scopes.setdefault(route.data["scope"], []).append(route.name)
    scheme: dict[str, Any] = {
        "type": "http",
        "scheme": _BEARER,
        "description": "A token in the Authorization header, never in a URL. An operation's "
        "security names the scope that the token must carry; x-scopes lists the operations of "
        "each scope.",
    }
    if scopes:
        scheme["x-scopes"] = dict(sorted(scopes.items()))
    return {_BEARER: scheme}


def _judge_paths(contract: Contract, routes: tuple[Part, ...]) -> None:
    """Refuse what no OpenAPI document can say."""
    names: set[str] = set()
    taken: set[tuple[str, str]] = set()
    templates: dict[str, str] = {}
    for route in routes:
        method, path = route.data["method"], route.data["path"]
        given = [parameter["name"] for parameter in route.data.get("pathParams", ())]
        template = emptied(path)
        if route.name in names:
            raise _error(contract, route, f"the id {route.name} is used twice")
        if (method, path) in taken:
            raise _error(contract, route, f"{method} {path} is there twice")
        if templates.setdefault(template, path) != path:
            what = f"{path} and {templates[template]} are the same path with other names"
            raise _error(contract, route, what)
        if sorted(braced(path)) != sorted(given):
            raise _error(contract, route, f"{path} and its pathParams name different parameters")
        names.add(route.name)
        taken.add((method, path))


def _error(contract: Contract, route: Part, what: str) -> GenerationError:
    place = f"{contract.path}#{route.pointer}"
    return GenerationError(what, place=place, hint="mend the route in the contract")


def _schemas(route: Part) -> Iterator[Any]:
    data: Mapping[str, Any] = route.data
    yield from (data[key] for key in ("body", "response") if key in data)
    yield from (each["schema"] for each in data.get("queryParams", ()) if "schema" in each)
