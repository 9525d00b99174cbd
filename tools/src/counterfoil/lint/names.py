"""Names: how long, how often, and what becomes of them in code."""

from __future__ import annotations

from collections.abc import Iterable

from counterfoil.contract.model import Contract, Part, Server
from counterfoil.contract.placeholders import emptied
from counterfoil.contract.report import Report
from counterfoil.contract.values import items
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
PROMPTER = "get_prompt"


def judge_names(contract: Contract, report: Report) -> None:
    """Report names that are too long, given twice, or one name in code."""
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
                f"{route.data['method']} {emptied(route.data['path'])}",
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
        if server.prompted and tool.served and function_name(tool.name) == PROMPTER:
            message = f'"{tool.name}" and the handler of prompts become the same method {PROMPTER}'
            report.add("CF114", f"{tool.pointer}/name", message)
        for suffix in ("Input", "Output"):
            name = f"{class_name(tool.name)}{suffix}"
            if name in shared:
                message = f'the class {name} would be that of "{tool.name}" and of a shared schema'
                report.add("CF114", f"/$defs/{shared[name]}", message)
