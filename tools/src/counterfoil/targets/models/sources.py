"""The schemas that models are made of, and the source of the models of each."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from counterfoil import progress
from counterfoil.cache import Cache, key_of
from counterfoil.contract.canonical import compact
from counterfoil.contract.model import Contract, Server, Tool
from counterfoil.errors import GenerationError
from counterfoil.names import class_name, function_name, package_name
from counterfoil.schema.refs import bundled
from counterfoil.targets.models import generation
from counterfoil.targets.models.pool import spread
from counterfoil.targets.models.view import view

INPUT, OUTPUT = "input", "output"
# A worker takes about 0.7 s to import the generator, and a schema 10 ms.
_WORTH = 32


@dataclass(frozen=True)
class Source:
    """One schema of one tool.

    Attributes:
        server: id of the server.
        tool: name of the tool.
        direction: ``input`` or ``output``.
        place: where the schema stands in the contract, as headers say it. Tools are named there
            and not numbered, so that a new tool leaves the headers of the others as they are.
        schema: the schema, standing on its own.
        description: what the docstring of the class says.
    """

    server: str
    tool: str
    direction: str
    place: str
    schema: dict[str, Any]
    description: str

    @property
    def package(self) -> str:
        """Return the package of the server."""
        return package_name(self.server)

    @property
    def module(self) -> str:
        """Return the module of the models."""
        return f"{function_name(self.tool)}_{self.direction}"

    @property
    def name(self) -> str:
        """Return the class of the root."""
        return f"{class_name(self.tool)}{self.direction.capitalize()}"

    @functools.cached_property
    def text(self) -> str:
        """Return all that the models are made from, as one text."""
        return compact({"schema": self.schema, "name": self.name, "description": self.description})

    @property
    def digest(self) -> str:
        """Return the sha256 of all that the models are made from."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def sources(contract: Contract, servers: Iterable[Server]) -> list[Source]:
    """Return the schemas of all tools of some servers."""
    return [
        source
        for server in servers
        for tool in server.tools
        for source in _of_tool(contract, server, tool)
    ]


def _of_tool(contract: Contract, server: Server, tool: Tool) -> Iterable[Source]:
    base = f"{contract.path}#{server.pointer}/tools/{tool.name}"
    own = bundled(tool.input_schema, contract.defs)
    yield Source(server.id, tool.name, INPUT, f"{base}/inputSchema", own, tool.description)
    if tool.output_schema is not None:
        own = bundled(tool.output_schema, contract.defs)
        told = str(own.get("description", f"What the tool {tool.name} answers."))
        yield Source(server.id, tool.name, OUTPUT, f"{base}/outputSchema", own, told)


@dataclass(frozen=True)
class Module:
    """The models of one schema.

    Attributes:
        source: the schema.
        names: the classes and other types of the module, sorted.
        code: its source, without a header.
    """

    source: Source
    names: tuple[str, ...]
    code: str


def modules(wanted: Sequence[Source], cache: Cache) -> list[Module]:
    """Return the models of each schema, from the cache where they are there.

    Raises:
        GenerationError: a schema has no models.
    """
    keys = [key_of("models", made_by(), source.text) for source in wanted]
    found = [cache.get(key) for key in keys]
    missing = [index for index, raw in enumerate(found) if raw is None]
    items = [wanted[index].text for index in missing]
    for done, (number, made) in enumerate(spread(generate, items, worth=_WORTH), start=1):
        index = missing[number]
        raw = json.dumps(made).encode()
        cache.put(keys[index], raw)
        found[index] = raw
        progress.tell(done, len(items))
    return [
        Module(source, tuple(made["names"]), made["code"])
        for source, raw in zip(wanted, found, strict=True)
        for made in (json.loads(raw or b""),)
    ]


def generate(text: str) -> dict[str, Any]:
    """Return the ``code`` and the ``names`` of the models of one schema.

    Args:
        text: :attr:`Source.text`.

    Raises:
        GenerationError: no models can be made of it.
    """
    source = json.loads(text)
    name = source["name"]
    document = view(source["schema"], name, source["description"])
    names = sorted([name, *document["$defs"]])
    try:
        code = generation.generate(document, name)
    except Exception as error:
        raise GenerationError(
            f"no model can be made of the schema: {error}",
            place=name,
            hint="simplify the schema; `counterfoil validate` may say what is wrong with it",
        ) from error
    lost = [each for each in names if not generation.defines(code, each)]
    if lost:
        raise GenerationError(
            f"the generator renamed {', '.join(lost)}",
            place=name,
            hint="give the objects of the schema other titles",
        )
    return {"code": code, "names": names}


@functools.cache
def made_by() -> str:
    """Return a hash of what makes models: our code, the options, and the libraries."""
    folder = Path(__file__).parent
    own = sorted((*folder.glob("*.py"), *(folder.parent.parent / "schema").glob("*.py")))
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in own]
    versions = [metadata.version(name) for name in ("datamodel-code-generator", "pydantic")]
    return key_of(*hashes, *versions, compact(generation.OPTIONS))
