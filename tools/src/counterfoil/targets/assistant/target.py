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
from counterfoil.targets.paths import fill, owned
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
        one, two, three = (
            {
                Entry(server, "tool", tool, path)
                for server, path, content in owned(request, f"{request.path}/{name}", files)
                for tool in read(content)
            }
            for name, read in _READERS.items()
        )
        everywhere = {entry for entry in one if entry in two and entry in three}
        return everywhere | ((one | two | three) - self.expected(request))


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


def _typed_names(content: bytes) -> set[str]:
    return set(read_names(content.decode("utf-8", "replace").replace("\r\n", "\n")))


def _names(content: bytes) -> set[str]:
    try:
        tools = items(members(json.loads(content)).get("tools"))
    except (ValueError, RecursionError):
        return set()
    forms = [members(tool) for tool in tools]
    names = {members(form.get("function", form)).get("name") for form in forms}
    return {name for name in names if isinstance(name, str)}


_READERS = {"anthropic.json": _names, "openai.json": _names, "tools.ts": _typed_names}

TARGET = _Assistant()
