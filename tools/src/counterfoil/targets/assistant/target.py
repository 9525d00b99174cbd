"""Plan an assistant's tool tables and types, and read what such files hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from counterfoil.contract.canonical import digest
from counterfoil.contract.model import Contract, Server, Tool
from counterfoil.contract.values import items, members
from counterfoil.render import with_comment, with_json_key
from counterfoil.schema.refs import reachable
from counterfoil.targets.assistant.module import module, read_names
from counterfoil.targets.assistant.tables import anthropic, judge_tool, openai
from counterfoil.targets.paths import fill
from counterfoil.targets.target import Entry, Planned, Request

_TYPED = ("deprecated", "description", "inputSchema", "name", "outputSchema", "title")


class _Assistant:
    name = "assistant"
    per_server = True

    def applies(self, server: Server) -> bool:
        return bool(_offered(server))

    def plan(self, request: Request) -> Iterable[Planned]:
        for server in request.servers:
            for tool in _offered(server):
                judge_tool(request.contract, tool)
            folder = fill(request.path, server)
            for name, content in _files(request.contract, server):
                yield Planned(f"{folder}/{name}", content, f"server {server.id}")

    def expected(self, request: Request) -> set[Entry]:
        return {
            Entry(server.id, "tool", tool.name)
            for server in request.servers
            for tool in _offered(server)
        }

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        """Return the tools that every file has, and those that any file has beside them.

        A tool that one of the three files lacks counts as missing, and one that a single file
        has and the contract does not counts as there.
        """
        expected = self.expected(request)
        found: set[Entry] = set()
        for server in request.servers:
            one, two, three = _read(server, fill(request.path, server), files)
            found |= (one & two & three) | ((one | two | three) - expected)
        return found


def _offered(server: Server) -> list[Tool]:
    return [tool for tool in server.tools if "assistant" in tool.surfaces]


def _files(contract: Contract, server: Server) -> Iterator[tuple[str, bytes]]:
    source = f"{contract.path}#{server.pointer}/tools"
    tools = _offered(server)
    for name, table in (("anthropic", anthropic), ("openai", openai)):
        made = table(contract, tools)
        yield f"{name}.json", with_json_key(source, digest(made), {"tools": made})
    text = module(contract, tools)
    yield "tools.ts", with_comment(source, _types_digest(contract, tools), text, "// ")


def _types_digest(contract: Contract, tools: list[Tool]) -> str:
    shown = [{key: tool.data[key] for key in _TYPED if key in tool.data} for tool in tools]
    shared = {
        name: schema
        for tool in tools
        for part in (tool.input_schema, tool.output_schema)
        for name, schema in reachable(part, contract.defs).items()
    }
    return digest({"tools": shown, "$defs": shared, "wording": dict(contract.wording)})


def _read(server: Server, folder: str, files: Mapping[str, bytes]) -> list[set[Entry]]:
    module_text = files.get(f"{folder}/tools.ts", b"").decode("utf-8", "replace")
    names = [
        _names(files.get(f"{folder}/anthropic.json", b"")),
        _names(files.get(f"{folder}/openai.json", b"")),
        read_names(module_text.replace("\r\n", "\n")),
    ]
    return [{Entry(server.id, "tool", name) for name in each} for each in names]


def _names(content: bytes) -> set[str]:
    try:
        tools = items(members(json.loads(content)).get("tools"))
    except (ValueError, RecursionError):
        return set()
    forms = [members(tool) for tool in tools]
    names = {members(form.get("function", form)).get("name") for form in forms}
    return {name for name in names if isinstance(name, str)}


TARGET = _Assistant()
