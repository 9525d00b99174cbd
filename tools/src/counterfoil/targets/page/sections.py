"""What the page says of a server beside its tools, and of what all servers share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from counterfoil.contract.model import Contract, Part, Server
from counterfoil.contract.values import members, text
from counterfoil.targets.page.clients import server_snippets
from counterfoil.targets.page.markup import anchor, code, fragment, marked, paragraphs, words
from counterfoil.targets.page.shapes import Shapes
from counterfoil.targets.page.tools import unreadable
from counterfoil.targets.target import Launch

NEWEST = "2026-07-28"  # the revision in which a request stands on its own
_BINDINGS = {
    "mcp": "typed stubs on the MCP SDK",
    "snapshot": "a vendored snapshot of this contract",
    "wrapper": "typed stubs on the MCP SDK, and the list of permitted requests",
}
_CLASSES = {
    "assistant": "priced as an assistant’s turn",
    "build": "priced as a build",
    "free": "public and free",
    "never": "never priced",
    "read": "priced as a read",
}
_AUTH = {
    "bearer": "a bearer token",
    "none": "nothing",
    "signature": "a signature inside the body",
}
_SOURCES = {
    "embedded": "shipped with the server",
    "handler": "made by the server at each reading",
    "route": "fetched at each reading",
}


def introduction(server: Server, launch: Launch | None) -> Markup:
    """Return what stands before a server's tools."""
    data = server.data
    return fragment(
        "server",
        id=server.id,
        title=words(server.title),
        description=paragraphs(text(data.get("description"))),
        facts=_facts(server),
        instructions=paragraphs(text(data.get("instructions"))),
        snippets=server_snippets(server, launch),
        known=launch is not None or "distribution" in data,
    )


def lists(server: Server, shapes: Shapes) -> Markup:
    """Return what stands after a server's tools."""
    return fragment(
        "lists",
        server=server.id,
        routes=[_route(server, part, shapes) for part in server.parts("routes")],
        outbound=[_outbound(server, part) for part in server.parts("outbound")],
        resources=[*_resources(server)],
        prompts=[_prompt(server, part) for part in server.parts("prompts")],
        payment=_payment(server, shapes),
    )


def shared(contract: Contract, names: Sequence[str], shapes: Shapes) -> Markup:
    """Return the shared schemas and the fixed sentences."""
    types = [
        {
            "id": anchor("", "type", name),
            "name": name,
            "description": paragraphs(text(members(contract.defs[name]).get("description"))),
            "shape": shapes.shared(contract.defs[name]),
        }
        for name in names
    ]
    wording = [(name, words(said)) for name, said in sorted(contract.wording.items())]
    return fragment("shared", types=types, wording=wording)


def _facts(server: Server) -> list[tuple[str, Markup]]:
    data = server.data
    found = [
        ("Name on the wire", code(data["name"])),
        ("Version", code(server.version or "none")),
        ("Fed by", escape(_BINDINGS[server.binding])),
    ]
    versions = data.get("protocolVersions", ())
    if versions:
        newest_first = sorted(versions, reverse=True)
        found.append(("MCP revisions", Markup(", ").join(map(code, newest_first))))
    if "websiteUrl" in data:
        found.append(("Read more", code(data["websiteUrl"])))
    scopes = {each.data["scope"] for each in server.tools if "scope" in each.data}
    if scopes:
        found.append(("Scopes", Markup(", ").join(map(code, sorted(scopes)))))
    return found


def _route(server: Server, part: Part, shapes: Shapes) -> dict[str, Any]:
    data = part.data
    needs = escape(_AUTH[data["auth"]])
    if "scope" in data:
        needs += Markup(" with the scope ") + code(data["scope"])
    return {
        "id": anchor(server.id, "route", part.name),
        "name": part.name,
        "method": data["method"],
        "path": data["path"],
        "description": marked(data.get("deprecated")) + paragraphs(part.description),
        "needs": needs,
        "price": _CLASSES[data["class"]],
        "paths": shapes.parameters(data.get("pathParams", ()), required=True),
        "queries": shapes.parameters(data.get("queryParams", ()), required=False),
        "body": shapes.sentence(data["body"]) if "body" in data else None,
        "response": shapes.sentence(data["response"]) if "response" in data else None,
        "errors": sorted(data.get("errors", {}).items()),
        "unreadable": unreadable(part),
    }


def _outbound(server: Server, part: Part) -> dict[str, Any]:
    return {
        "id": anchor(server.id, "outbound", part.name),
        "name": part.name,
        "method": part.data["method"],
        "origin": code(part.data["origin"]),
        "path": code(part.data["pathPattern"]),
        "description": words(part.description),
    }


def _resources(server: Server) -> Iterator[dict[str, Any]]:
    for kind, key in (("resource", "resources"), ("template", "resourceTemplates")):
        for part in server.parts(key):
            source = members(part.data.get("source"))
            made = _SOURCES.get(text(source.get("kind")), "a pattern of addresses")
            yield {
                "id": anchor(server.id, kind, part.name),
                "kind": kind,
                "name": part.name,
                "shown": code(part.name),
                "title": words(part.title),
                "form": code(part.data["mimeType"]) if "mimeType" in part.data else Markup(),
                "source": made,
                "route": _route_link(server, text(source.get("route"))),
                "description": marked(part.data.get("deprecated")) + paragraphs(part.description),
            }


def _route_link(server: Server, route: str) -> Markup:
    if route not in server.routes:
        return Markup()
    link = Markup('<a href="#{}">{}</a>')
    return link.format(anchor(server.id, "route", route), code(route))


def _prompt(server: Server, part: Part) -> dict[str, Any]:
    return {
        "id": anchor(server.id, "prompt", part.name),
        "name": part.name,
        "title": part.data.get("title", ""),
        "description": marked(part.data.get("deprecated")) + paragraphs(part.description),
        "arguments": [_prompt_argument(each) for each in part.data.get("arguments", ())],
        "messages": part.data.get("messages", ()),
    }


def _prompt_argument(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": code(given["name"]),
        "required": bool(given.get("required")),
        "absent": words(text(given.get("whenAbsent"))),
        "description": marked(given.get("deprecated")) + words(text(given.get("description"))),
    }


def _payment(server: Server, shapes: Shapes) -> list[tuple[str, Markup]]:
    """Return the shapes that every route may answer with."""
    payment = members(server.data.get("payment"))
    found = [("An error’s body", server.data.get("errorBody"))]
    found += [("An offer (402)", payment.get("offer")), ("A receipt", payment.get("receipt"))]
    return [(label, shapes.sentence(schema)) for label, schema in found if schema is not None]
