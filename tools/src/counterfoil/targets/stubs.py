"""Target ``stubs``: typed handlers of a server, and what binds them to the MCP SDK."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from itertools import chain

from counterfoil.contract.canonical import digest
from counterfoil.contract.model import Part, Server, Tool
from counterfoil.errors import GenerationError
from counterfoil.names import class_name, function_name, package_name
from counterfoil.render import render, with_comment, with_json_key
from counterfoil.targets.paths import owned
from counterfoil.targets.snapshot import read_entries, surface, surface_entries
from counterfoil.targets.target import Entry, Planned, Request

_RUNTIME = "runtime"
_TEMPLATES = f"targets/templates/{_RUNTIME}"
_READER = "read_resource"
_PROMPTER = "get_prompt"


@dataclass(frozen=True)
class Method:
    """One method of a server's protocol.

    Attributes:
        name: the method.
        tool: the tool that it carries out.
        description: the tool's description.
        input, output: classes of the models; ``output`` is empty for a tool without a schema.
    """

    name: str
    tool: str
    description: str
    input: str
    output: str


def method(tool: Tool) -> Method:
    """Return the method of a tool."""
    name = class_name(tool.name)
    return Method(
        name=function_name(tool.name),
        tool=tool.name,
        description=tool.description or f"Carry out the tool {tool.name}.",
        input=f"{name}Input",
        output=f"{name}Output" if tool.output_schema is not None else "",
    )


class _Stubs:
    name = "stubs"
    per_server = False

    def applies(self, server: Server) -> bool:
        return server.binding in ("mcp", "wrapper")

    def plan(self, request: Request) -> Iterable[Planned]:
        if request.servers:
            yield from _runtime(request.path)
        for server in request.servers:
            made = surface(request.contract, server)
            whole = digest(made)
            source = f"{request.contract.path}#{server.pointer}"
            about = f"server {server.id}"
            folder = _folder(request.path, server)
            code = with_comment(source, whole, stubs(server))
            yield Planned(f"{folder}/stubs.py", code, about)
            data = with_json_key(source, whole, made)
            yield Planned(f"{folder}/surface.json", data, about)

    def expected(self, request: Request) -> set[Entry]:
        return {
            entry
            for server in request.servers
            for entry in chain(
                surface_entries(server),
                (Entry(server.id, "handler", tool.name) for tool in server.served),
            )
        }

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        return {
            entry
            for name, read in (("surface.json", read_entries), ("stubs.py", _read_handlers))
            for server, path, content in owned(request, f"{request.path}/{{package}}/{name}", files)
            for entry in read(server, content, path)
        }


def stubs(server: Server) -> str:
    """Return the stubs module of a server.

    Raises:
        GenerationError: a tool's method would hide the method that reads resources, or the one
            that answers prompts.
    """
    methods = [method(tool) for tool in server.served]
    readable, prompted = _readable(server), _prompted(server)
    for each in methods:
        for name, needed, what in (
            (_READER, readable, "resources"),
            (_PROMPTER, prompted, "prompts"),
        ):
            if needed and each.name == name:
                raise GenerationError(
                    f"the tool {each.tool!r} and the server's {what} need the same method {name}",
                    place=f"server {server.id}",
                    hint=f"rename the tool, or take the {what} out",
                )
    return render(
        "stubs.py.jinja",
        server=server.id,
        protocol=f"{class_name(server.id)}Handlers",
        methods=methods,
        readable=readable,
        prompted=prompted,
    )


def _folder(path: str, server: Server) -> str:
    """Return the folder of a server's package.

    Raises:
        GenerationError: its name is that of the package that all servers share.
    """
    package = package_name(server.id)
    if package == _RUNTIME:
        raise GenerationError(
            f"the package {package!r} is the one that all servers share",
            place=f"server {server.id}",
            hint="give the server another id",
        )
    return f"{path}/{package}"


def _runtime(path: str) -> Iterator[Planned]:
    """Yield what all servers share, as it ships with this package."""
    folder = resources.files("counterfoil") / _TEMPLATES
    for name in sorted(each.name for each in folder.iterdir() if each.name.endswith(".py")):
        text = (folder / name).read_text("utf-8")
        content = with_comment(f"counterfoil/{_TEMPLATES}/{name}", digest(text), text)
        yield Planned(f"{path}/{_RUNTIME}/{name}", content, "what all servers share")


def _readable(server: Server) -> str:
    """Return what the method that reads resources is documented with; empty if it has none."""
    offered = (*server.parts("resources"), *server.parts("resourceTemplates"))
    return _listed("Return a resource, or ``None`` if there is none at the URI.", offered)


def _prompted(server: Server) -> str:
    """Return what the method that answers prompts is documented with; empty if it has none."""
    return _listed("Return the text or the messages of a prompt.", server.prompted)


def _listed(heading: str, parts: tuple[Part, ...]) -> str:
    lines = [f"- {part.name}: {part.description}".removesuffix(": ") for part in parts]
    return "\n".join([heading, "", *lines]) if parts else ""


def _read_handlers(server: str, content: bytes, path: str) -> set[Entry]:
    """Return the handlers that a stubs module holds, by the names of their tools.

    A method that no tool is recorded for, or a record without its method, goes by its own name.
    """
    try:
        module = ast.parse(content)
    except (SyntaxError, ValueError):
        return set()
    methods = {
        item.name
        for node in module.body
        if isinstance(node, ast.ClassDef)
        for item in node.body
        if isinstance(item, ast.AsyncFunctionDef) and item.name not in (_READER, _PROMPTER)
    }
    tools = _recorded(module)
    bound = {name for name in methods if name in tools}
    return {
        *(Entry(server, "handler", tools[name], path) for name in bound),
        *(Entry(server, "handler", f"{name} (no tool)", path) for name in methods - bound),
    }


def _recorded(module: ast.Module) -> dict[str, str]:
    """Return the tool by the method, from the calls ``"tool": Binding("method", …)``."""
    return {
        str(value.args[0].value): str(key.value)
        for node in ast.walk(module)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
        and isinstance(value, ast.Call)
        and value.args
        and isinstance(value.args[0], ast.Constant)
    }


TARGET = _Stubs()
