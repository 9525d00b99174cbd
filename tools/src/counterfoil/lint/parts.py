"""Whether the parts of a server fit its binding and one another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from counterfoil.contract.model import Contract, Part, Server
from counterfoil.contract.placeholders import braced, emptied
from counterfoil.contract.report import Report
from counterfoil.contract.values import members

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

_NOUNS = {
    "tools": "tool",
    "resources": "resource",
    "resourceTemplates": "resource template",
    "prompts": "prompt",
    "routes": "route",
}


def judge_parts(contract: Contract, report: Report) -> None:
    """Report kinds that a binding cannot carry out, lost replacements, and bad templates."""
    for server in contract.servers:
        _judge_kinds(server, report)
        for kind, noun in _NOUNS.items():
            parts = {part.name: part for part in server.parts(kind)}
            for part in server.parts(kind):
                if "deprecated" in part.data:
                    _judge_replacement(part, parts, noun, report)
                if kind != "routes":
                    _judge_prose(part, report)
        for template in server.parts("resourceTemplates"):
            _judge_template(template, report)


def _judge_replacement(part: Part, parts: dict[str, Part], noun: str, report: Report) -> None:
    replacement = members(part.data["deprecated"]).get("replacement")
    if replacement is None:
        return
    pointer = f"{part.pointer}/deprecated/replacement"
    if replacement not in parts or replacement == part.name:
        report.add("CF116", pointer, f'"{replacement}" is no other {noun} of this server')
    elif "deprecated" in parts[replacement].data:
        report.add("CF117", pointer, f'"{replacement}" is deprecated itself')


def _judge_prose(part: Part, report: Report) -> None:
    missing = [f"no {key}" for key in ("description", "title") if key not in part.data]
    if missing:
        report.add("CF107", part.pointer, f'"{part.name}" has {" and ".join(missing)}')


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
    for prompt in server.prompted:
        yield prompt.pointer, "handler"


def _judge_template(template: Part, report: Report) -> None:
    text = template.data["uriTemplate"]
    pointer = f"{template.pointer}/uriTemplate"
    expressions = braced(text)
    literal = emptied(text, "")
    if "{" in literal or "}" in literal:
        report.add("CF119", pointer, "a brace is not closed or not opened")
    elif not expressions:
        hint = "list it under resources"
        report.add("CF119", pointer, "a template without a variable is a resource", hint)
    for expression in expressions:
        if not _EXPRESSION.match(expression):
            report.add("CF119", pointer, f"{{{expression}}} is no expression of RFC 6570")
