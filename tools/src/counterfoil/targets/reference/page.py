"""The page of one server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from counterfoil.cache import Cache, key_of
from counterfoil.contract.canonical import compact, digest
from counterfoil.contract.model import Contract, Part, Server, Tool
from counterfoil.contract.values import members
from counterfoil.fingerprint import fingerprint
from counterfoil.render import render
from counterfoil.schema.refs import reachable
from counterfoil.targets.reference.markdown import block, paragraphs, slug, span, table, text
from counterfoil.targets.reference.tools import (
    ending,
    examples,
    facts,
    schema_text,
    shown_cases,
    unreadable_table,
)

Cases = Mapping[tuple[str, str], Mapping[str, Any]]

# What the page leaves out: pictures, and what only programs read.
_TOOL_UNSHOWN = frozenset({"_meta", "execution", "icons"})
_BINDINGS = {
    "mcp": "stubs on the MCP SDK",
    "snapshot": "a vendored snapshot",
    "wrapper": "stubs on the MCP SDK, and an allowlist of outbound requests",
}
_CLASSES = {
    "assistant": "priced as an assistant's turn",
    "build": "priced as a build",
    "free": "public and free",
    "never": "never priced",
    "read": "priced as a read",
}


def source_digest(contract: Contract, server: Server, cases: Cases) -> str:
    """Return the hash of what the page is made from."""
    tools = [
        {key: value for key, value in tool.data.items() if key not in _TOOL_UNSHOWN}
        for tool in server.tools
    ]
    return digest(
        {
            "server": {**server.data, "tools": tools},
            "$defs": _types(contract, server),
            "wording": dict(contract.wording),
            "cases": {tool.name: shown_cases(_case(cases, tool)) for tool in server.tools},
        }
    )


def page(contract: Contract, server: Server, cases: Cases, cache: Cache) -> str:
    """Return the page as Markdown, without a header.

    Every tool, prompt and type has one heading; text of the contract is never read as markup.
    """
    types = _types(contract, server)
    sections = _Sections(server, tuple(types), cache)
    return render(
        "reference.md.jinja",
        title=text(server.title),
        about=_about(server),
        instructions=paragraphs(server.data.get("instructions", "")),
        overview=_overview(server),
        tools=[sections.section(tool, shown_cases(_case(cases, tool))) for tool in server.tools],
        types=[_type(name, schema, types) for name, schema in types.items()],
        tables=list(_tables(server)),
        prompts=[_prompt(part) for part in server.parts("prompts")],
        wording=_wording(contract),
    )


class _Sections:
    """What is told of tools, remembered by its content: most does not change in an edit.

    Args:
        server: the server of the tools.
        types: names that have a heading on the page.
        cache: remembers.
    """

    def __init__(self, server: Server, types: tuple[str, ...], cache: Cache) -> None:
        self._server = server
        self._types = types
        self._cache = cache
        self._base = key_of("reference", fingerprint(), *types)

    def section(self, tool: Tool, cases: Mapping[str, Any]) -> str:
        """Return the section of a tool.

        Args:
            tool: the tool.
            cases: what is shown of its cases.
        """
        route = self._server.routes.get(tool.exec.get("route", ""))
        key = key_of(self._base, tool.text, compact(cases), route.text if route else "")
        return self._cache.remember(key, lambda: self._made(tool, cases))

    def _made(self, tool: Tool, cases: Mapping[str, Any]) -> str:
        output = tool.output_schema
        return render(
            "reference_tool.md.jinja",
            name=span(tool.name),
            title=text(tool.title),
            description=paragraphs(tool.description),
            facts=facts(self._server, tool),
            arguments=schema_text(tool.input_schema, self._types, with_defaults=True),
            result="" if output is None else schema_text(output, self._types),
            unreadable=unreadable_table(self._server, tool),
            accepted=examples(cases["accepted"]),
            refused=examples(cases["refused"]),
            more=cases["more"],
        )


def _case(cases: Cases, tool: Tool) -> Mapping[str, Any]:
    return cases.get((tool.server, tool.name), {})


def _types(contract: Contract, server: Server) -> dict[str, Any]:
    """Return the shared schemas that the tools use, by name."""
    found = {
        name: schema
        for tool in server.tools
        for part in (tool.input_schema, tool.output_schema)
        for name, schema in reachable(part, contract.defs).items()
    }
    return dict(sorted(found.items()))


def _about(server: Server) -> list[str]:
    made = [
        f"Name on the wire: {span(server.data['name'])}",
        f"Version: {span(server.version) if server.version else 'none'}",
        f"Fed by: {_BINDINGS[server.binding]}",
    ]
    versions = server.data.get("protocolVersions", ())
    if versions:
        made.append(f"MCP revisions: {', '.join(span(each) for each in versions)}")
    return made


def _overview(server: Server) -> str:
    anchors: dict[str, int] = {}
    rows: list[list[str]] = []
    for tool in server.tools:
        anchor = slug(f"Tool {tool.name}")
        count = anchors.get(anchor, 0)
        anchors[anchor] = count + 1
        address = f"{anchor}-{count}" if count else anchor
        known = dict(facts(server, tool))
        needs, price, offered = known["Needs"], known["Price"], known["Offered by"]
        rows.append([f"[{text(tool.name)}](#{address})", text(tool.title), needs, price, offered])
    return table(["Tool", "Title", "Needs", "Price", "Offered by"], rows) if rows else ""


def _type(name: str, schema: Any, types: Mapping[str, Any]) -> dict[str, str]:
    described = members(schema).get("description", "")
    return {
        "name": span(name),
        "description": paragraphs(str(described)),
        "text": schema_text(schema, types.keys()),
    }


def _tables(server: Server) -> Iterator[tuple[str, str]]:
    """Yield heading and table of the lists that need no heading for each entry."""
    for title, kind, head, cells in _LISTS:
        rows = [[span(part.name), *cells(part), _told(part.data)] for part in server.parts(kind)]
        if rows:
            yield title, table([*head, "Description"], rows)
        if rows and kind == "routes":
            yield "Error codes", _error_table(server.parts(kind))


def _error_table(routes: Sequence[Part]) -> str:
    """Return each error code once, with the routes that answer it."""
    found: dict[tuple[str, str], list[str]] = {}
    for route in routes:
        for status, codes in route.data.get("errors", {}).items():
            for code in codes:
                found.setdefault((status, code), []).append(route.name)
    rows = [
        [status, span(code), ", ".join(map(span, names)) if len(names) < len(routes) else "all"]
        for (status, code), names in sorted(found.items())
    ]
    return table(["Status", "Code", "Routes"], rows)


def _route_cells(part: Part) -> Sequence[str]:
    data = part.data
    return (
        span(f"{data['method']} {data['path']}"),
        data["auth"],
        span(data["scope"]) if "scope" in data else "",
        _CLASSES[data["class"]],
    )


def _outbound_cells(_part: Part) -> Sequence[str]:
    return ()


def _resource_cells(part: Part) -> Sequence[str]:
    kind = part.data.get("mimeType", "")
    return (text(part.title), span(kind) if kind else "")


_LISTS = (
    ("Routes", "routes", ("Route", "Request", "Auth", "Scope", "Class"), _route_cells),
    ("Outbound requests", "outbound", ("Request",), _outbound_cells),
    ("Resources", "resources", ("Resource", "Title", "Form"), _resource_cells),
    ("Resource templates", "resourceTemplates", ("Template", "Title", "Form"), _resource_cells),
)


def _prompt(part: Part) -> dict[str, Any]:
    rows = [
        [
            span(given["name"]),
            "yes" if given.get("required") else "no",
            text(given.get("whenAbsent", "")),
            _told(given),
        ]
        for given in part.data.get("arguments", ())
    ]
    return {
        "name": span(part.name),
        "title": text(part.title),
        "description": _told(part.data, paragraphs),
        "arguments": table(["Name", "Required", "When absent", "Description"], rows)
        if rows
        else "",
        "messages": [(each["role"], block(each["text"])) for each in part.data.get("messages", ())],
    }


def _told(data: Mapping[str, Any], form: Callable[[str], str] = text) -> str:
    """Return the description of something that is no tool, and when it may go."""
    words = form(str(data.get("description", "")))
    gone = data.get("deprecated")
    return words if gone is None else f"{words} **Deprecated**: {ending(gone)}".strip()


def _wording(contract: Contract) -> str:
    rows = [[span(name), text(words)] for name, words in sorted(contract.wording.items())]
    return table(["Name", "Sentence"], rows) if rows else ""
