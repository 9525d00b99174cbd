"""Target ``models``: Pydantic models of what each tool takes and answers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources

from counterfoil.contract.canonical import digest
from counterfoil.contract.model import Server
from counterfoil.errors import GenerationError
from counterfoil.names import package_name
from counterfoil.render import render, with_comment
from counterfoil.targets.models.generation import begin
from counterfoil.targets.models.pool import prepare
from counterfoil.targets.models.sources import Making, Module, Source, sources
from counterfoil.targets.target import Entry, Planned, Request

SUPPORT = "json_schema"
_SUPPORT_FILE = f"targets/templates/{SUPPORT}.py"
_MODULE = re.compile(r"(?P<package>[^/]+)/models/(?P<module>[^/]+_(?:input|output))\.py")


class _Models:
    name = "models"
    per_server = False

    def applies(self, server: Server) -> bool:
        return True

    def prepare(self) -> None:
        """Let a process import the generator while the contract is read and judged."""
        prepare(begin)

    def plan(self, request: Request) -> Iterable[Planned]:
        return _files(request, Making(sources(request.contract, request.servers), request.cache))

    def expected(self, request: Request) -> set[Entry]:
        return {_entry(source) for source in sources(request.contract, request.servers)}

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        ids = {package_name(server.id): server.id for server in request.servers}
        return {
            Entry(ids.get(match["package"], match["package"]), "schema", name, path)
            for path, content in files.items()
            if path.startswith(f"{request.path}/")
            and (match := _MODULE.fullmatch(path, len(request.path) + 1))
            for name in read_roots(match["module"], content)
        }


def read_roots(module: str, content: bytes) -> Iterator[str]:
    """Yield the class of a module that is named like the module itself.

    A module without it yields its own name, which no contract expects.
    """
    folded = module.replace("_", "").lower()
    try:
        nodes = ast.parse(content).body
    except (SyntaxError, ValueError):
        return
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    yield next((name for name in classes if name.lower() == folded), module)


def _entry(source: Source) -> Entry:
    return Entry(source.server, "schema", source.name)


def _files(request: Request, making: Making) -> Iterator[Planned]:
    if request.servers:
        yield from _shared(request)
    made = making.modules()
    for server in request.servers:
        own = [module for module in made if module.source.server == server.id]
        yield from _server(request, server, own)


def _shared(request: Request) -> Iterator[Planned]:
    """Yield what the packages of all servers share."""
    about = "what all servers share"
    body = '"""Bindings of MCP servers, generated from their contract."""\n'
    source = request.contract.path
    yield Planned(f"{request.path}/__init__.py", with_comment(source, digest(body), body), about)
    yield Planned(f"{request.path}/py.typed", with_comment(source, digest(""), ""), about)
    text = (resources.files("counterfoil") / _SUPPORT_FILE).read_text("utf-8")
    content = with_comment(f"counterfoil/{_SUPPORT_FILE}", digest(text), text)
    yield Planned(f"{request.path}/{SUPPORT}.py", content, about)


def _server(request: Request, server: Server, made: Sequence[Module]) -> Iterator[Planned]:
    """Yield the package of one server.

    Raises:
        GenerationError: the package or two types would have the same name.
    """
    package = package_name(server.id)
    if package == SUPPORT:
        raise GenerationError(
            f"the package {package!r} has the name of the module that all servers share",
            place=f"server {server.id}",
            hint="give the server another id",
        )
    folder = f"{request.path}/{package}"
    place = f"{request.contract.path}#{server.pointer}"
    about = f"server {server.id}"
    facts = {"name": server.data["name"], "title": server.title}
    body = render("models/server.py.jinja", **facts)
    yield Planned(f"{folder}/__init__.py", with_comment(place, digest(facts), body), about)
    if not made:
        return
    exports = _exports(server, made)
    body = render("models/exports.py.jinja", server=server.id, modules=exports)
    content = with_comment(f"{place}/tools", digest(exports), body)
    yield Planned(f"{folder}/models/__init__.py", content, about)
    for module in made:
        source = module.source
        yield Planned(
            f"{folder}/models/{source.module}.py",
            with_comment(source.place, source.digest, module.code),
            f"tool {source.server}/{source.tool}",
        )


def _exports(server: Server, made: Sequence[Module]) -> dict[str, list[str]]:
    """Return the names that each module of a package defines.

    Raises:
        GenerationError: two modules define the same name.
    """
    homes: dict[str, str] = {}
    for module in made:
        for name in module.names:
            if homes.setdefault(name, module.source.module) != module.source.module:
                raise GenerationError(
                    f"{homes[name]} and {module.source.module} both define {name}",
                    place=f"server {server.id}",
                    hint="give one of the objects another title, or rename a tool",
                )
    return {module.source.module: list(module.names) for module in made}


TARGET = _Models()
