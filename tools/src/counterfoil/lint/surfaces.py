"""Names, and whether the parts of a server fit one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from counterfoil.contract.model import Contract, Part, Server, Tool
from counterfoil.contract.report import Report
from counterfoil.contract.values import items, members
from counterfoil.names import class_name, collision_keys, function_name, package_name

# MCP lets a name have 128 characters; model providers take 64 (OpenAI and Anthropic, tool names).
_LONGEST_NAME = 64
# What each list's entries must not share, and the member it stands in.
_IDENTITIES = (
    ("tools", "name"),
    ("resources", "uri"),
    ("resourceTemplates", "uriTemplate"),
    ("prompts", "name"),
    ("routes", "id"),
)
# Packages and a method that generated code has beside those of servers and tools; the tests hold
# them against the targets.
TAKEN_PACKAGES = frozenset({"json_schema", "runtime"})
READER = "read_resource"
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
# RFC 6570: an operator, then names with an optional explode or prefix modifier.
_EXPRESSION = re.compile(
    r"[+#./;?&]?[A-Za-z0-9_%]+(?:\.[A-Za-z0-9_%]+)*(?:\*|:[1-9][0-9]{0,3})?"
    r"(?:,[A-Za-z0-9_%]+(?:\.[A-Za-z0-9_%]+)*(?:\*|:[1-9][0-9]{0,3})?)*\Z"
)
# How a call can be carried out, by what feeds the server. A snapshot is read by a generic client,
# which has no handlers; a wrapper may only send what its outbound list names, and routes are not
# in it. Stubs leave the call to a handler, which may well be a client of the routes.
_KINDS = {
    "mcp": frozenset({"embedded", "handler", "local", "public", "route"}),
    "snapshot": frozenset({"embedded", "local", "public", "route"}),
    "wrapper": frozenset({"embedded", "handler", "local"}),
}


def judge_surfaces(contract: Contract, report: Report) -> None:
    """Report names that are too long, given twice or alike in code, and parts that do not fit."""
    _judge_alike(
        ((server.pointer, server.id) for server in contract.servers), report, packages=True
    )
    for server in contract.servers:
        if package_name(server.id) in TAKEN_PACKAGES:
            message = f'"{server.id}" is the package that all servers share'
            report.add("CF114", server.pointer, message)
    _judge_alike(((f"/$defs/{name}", name) for name in contract.defs), report)
    for server in contract.servers:
        _judge_identities(server, report)
        _judge_routes(server, report)
        _judge_outbound(server, report)
        for kind in ("tools", "prompts"):
            parts = server.parts(kind)
            _judge_alike(((f"{part.pointer}/name", part.name) for part in parts), report)
        _judge_tools(contract, server, report)
        _judge_kinds(server, report)
        for template in server.parts("resourceTemplates"):
            _judge_template(template, report)


def _judge_identities(server: Server, report: Report) -> None:
    for kind, key in _IDENTITIES:
        _judge_repeated(
            ((f"{part.pointer}/{key}", part.data[key]) for part in server.parts(kind)),
            report,
            "CF111",
        )
    for prompt in server.parts("prompts"):
        _judge_members(prompt, "arguments", report)
    for route in server.parts("routes"):
        _judge_members(route, "pathParams", report)
        _judge_members(route, "queryParams", report)


def _judge_members(part: Part, key: str, report: Report) -> None:
    entries = enumerate(items(part.data.get(key)))
    names = ((f"{part.pointer}/{key}/{index}/name", entry["name"]) for index, entry in entries)
    _judge_repeated(names, report, "CF111")


def _judge_repeated(found: Iterable[tuple[str, str]], report: Report, code: str) -> None:
    first: dict[str, str] = {}
    for pointer, value in found:
        known = first.setdefault(value, pointer)
        if known != pointer:
            report.add(code, pointer, f'"{value}" stands also at #{known}')


def _judge_routes(server: Server, report: Report) -> None:
    """Report routes that no server could tell apart."""
    _judge_repeated(
        (
            (
                f"{route.pointer}/path",
                f"{route.data['method']} {_PLACEHOLDER.sub('{}', route.data['path'])}",
            )
            for route in server.parts("routes")
        ),
        report,
        "CF112",
    )


def _judge_outbound(server: Server, report: Report) -> None:
    _judge_repeated(
        ((entry.pointer, entry.name) for entry in server.parts("outbound")), report, "CF113"
    )


def _judge_alike(
    named: Iterable[tuple[str, str]], report: Report, *, packages: bool = False
) -> None:
    """Report names that differ as written and not as names in code."""
    first: dict[str, tuple[str, str]] = {}
    for pointer, name in named:
        keys = {f"package {package_name(name)}"} if packages else collision_keys(name)
        for key in sorted(keys):
            known, other = first.setdefault(key, (pointer, name))
            if known != pointer and other != name:
                report.add("CF114", pointer, f'"{name}" and "{other}" become the same {key}')
                break


def _judge_tools(contract: Contract, server: Server, report: Report) -> None:
    tools = {tool.name: tool for tool in server.tools}
    reads = server.parts("resources") or server.parts("resourceTemplates")
    shared = {class_name(name): name for name in contract.defs}
    for tool in server.tools:
        # A longer name of a shared tool is refused by what judges shared tools.
        if len(tool.name) > _LONGEST_NAME and "assistant" not in tool.surfaces:
            message = f"name has {len(tool.name)} characters, more than {_LONGEST_NAME}"
            report.add("CF110", f"{tool.pointer}/name", message)
        if reads and tool.served and function_name(tool.name) == READER:
            message = f'"{tool.name}" and the reader of resources become the same method {READER}'
            report.add("CF114", f"{tool.pointer}/name", message)
        for suffix in ("Input", "Output"):
            name = f"{class_name(tool.name)}{suffix}"
            if name in shared:
                message = f'the class {name} would be that of "{tool.name}" and of a shared schema'
                report.add("CF114", f"/$defs/{shared[name]}", message)
        if "deprecated" in tool.data:
            _judge_replacement(tool, tools, report)


def _judge_replacement(tool: Tool, tools: dict[str, Tool], report: Report) -> None:
    replacement = members(tool.data["deprecated"]).get("replacement")
    if replacement is None:
        return
    pointer = f"{tool.pointer}/deprecated/replacement"
    if replacement not in tools or replacement == tool.name:
        report.add("CF116", pointer, f'"{replacement}" is no other tool of this server')
    elif "deprecated" in tools[replacement].data:
        report.add("CF117", pointer, f'"{replacement}" is deprecated itself')


def _judge_kinds(server: Server, report: Report) -> None:
    for pointer, kind in _kinds(server):
        if kind not in _KINDS[server.binding]:
            message = f'a server with binding "{server.binding}" cannot do the kind "{kind}"'
            report.add("CF115", pointer, message)


def _kinds(server: Server) -> Iterator[tuple[str, str]]:
    for tool in server.tools:
        yield f"{tool.pointer}/exec/kind", tool.exec["kind"]
    for resource in server.parts("resources"):
        yield f"{resource.pointer}/source/kind", resource.data["source"]["kind"]


def _judge_template(template: Part, report: Report) -> None:
    text = template.data["uriTemplate"]
    pointer = f"{template.pointer}/uriTemplate"
    expressions = [each[1:-1] for each in _PLACEHOLDER.findall(text)]
    literal = _PLACEHOLDER.sub("", text)
    if "{" in literal or "}" in literal:
        report.add("CF119", pointer, "a brace is not closed or not opened")
    elif not expressions:
        hint = "list it under resources"
        report.add("CF119", pointer, "a template without a variable is a resource", hint)
    for expression in expressions:
        if not _EXPRESSION.match(expression):
            report.add("CF119", pointer, f"{{{expression}}} is no expression of RFC 6570")
