"""The schemas that models are made of, and the source of the models of each."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
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
from counterfoil.schema.refs import bundled, follow
from counterfoil.targets.models import generation
from counterfoil.targets.models.pool import spread
from counterfoil.targets.models.rules import beyond
from counterfoil.targets.models.view import view

INPUT, OUTPUT = "input", "output"
# Schemas that share a run of the generator, and runs that are worth a worker: it takes as long
# to start as four of them.
_BATCH = 12
_WORTH = 4


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
    takes = tool.description or f"What the tool {tool.name} takes."
    yield Source(server.id, tool.name, INPUT, f"{base}/inputSchema", own, takes)
    if tool.output_schema is not None:
        own = bundled(tool.output_schema, contract.defs)
        target = follow(own, own["$ref"]) if "$ref" in own else own
        told = own.get("description") or target.get("description")
        told = told or f"What the tool {tool.name} answers."
        yield Source(server.id, tool.name, OUTPUT, f"{base}/outputSchema", own, told)


@dataclass(frozen=True)
class Module:
    """The models of one schema.

    Attributes:
        source: the schema.
        names: the classes and other types of the module, sorted.
        beyond: the keywords that its models judge by rules, since types cannot say them.
        code: its source, without a header.
    """

    source: Source
    names: tuple[str, ...]
    beyond: tuple[str, ...]
    code: str


class Making:
    """The models of schemas, from the cache where they are there; the others are begun at once.

    Args:
        wanted: the schemas.
        cache: where models are kept.
    """

    def __init__(self, wanted: Sequence[Source], cache: Cache) -> None:
        self._wanted = wanted
        self._cache = cache
        self._keys = [key_of("models", made_by(), source.text) for source in wanted]
        self._found = [cache.get(key) for key in self._keys]
        missing = [index for index, raw in enumerate(self._found) if raw is None]
        self._batches = [
            missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)
        ]
        items = [[wanted[index].text for index in batch] for batch in self._batches]
        self._made = spread(generate, items, worth=_WORTH)

    def modules(self) -> list[Module]:
        """Return the models of each schema, once they are there.

        Raises:
            GenerationError: a schema has no models.
        """
        self._wait()
        return [
            Module(source, tuple(made["names"]), tuple(made["beyond"]), made["code"])
            for source, raw in zip(self._wanted, self._found, strict=True)
            for made in (json.loads(raw or b""),)
        ]

    def _wait(self) -> None:
        total = sum(map(len, self._batches))
        done = 0
        try:
            for number, made in self._made:
                for index, module in zip(self._batches[number], made, strict=True):
                    raw = json.dumps(module).encode()
                    self._cache.put(self._keys[index], raw)
                    self._found[index] = raw
                done += len(made)
                progress.tell(done, total, "making models")
        except GenerationError as error:
            raise _at_home(error, self._wanted) from error


def generate(batch: list[str]) -> list[dict[str, Any]]:
    """Return ``code``, ``names`` and ``beyond`` of the models of each schema.

    Args:
        batch: texts as in :attr:`Source.text`.

    Raises:
        GenerationError: a schema has no models.
    """
    views = [_view(text) for text in batch]
    try:
        codes = generation.generate(views)
    except Exception as error:
        if len(batch) > 1:  # one of them is to blame
            return [made for text in batch for made in generate([text])]
        raise GenerationError(
            f"no model can be made of the schema: {error}",
            place=views[0][0],
            hint="simplify the schema; `counterfoil validate` may say what is wrong with it",
        ) from error
    return [_checked(name, view, code) for (name, view), code in zip(views, codes, strict=True)]


def _at_home(error: GenerationError, wanted: Sequence[Source]) -> GenerationError:
    """Return an error about a class with its schema's place in the contract instead."""
    places = (source.place for source in wanted if source.name == error.place)
    return GenerationError(error.what, place=next(places, error.place), hint=error.hint)


def _view(text: str) -> tuple[str, dict[str, Any]]:
    source = json.loads(text)
    name = source["name"]
    try:
        return name, view(source["schema"], name, source["description"])
    except RecursionError:
        raise GenerationError(
            "the schema is nested too deeply", place=name, hint="move parts of it to $defs"
        ) from None


def _checked(name: str, document: dict[str, Any], code: str) -> dict[str, Any]:
    """Return code with what is known of it.

    Raises:
        GenerationError: the generator chose other names than the view.
    """
    names = sorted([name, *document["$defs"]])
    lost = [each for each in names if not generation.defines(code, each)]
    if lost:
        raise GenerationError(
            f"the generator renamed {', '.join(lost)}",
            place=name,
            hint="give the objects of the schema other titles",
        )
    classes = [document, *document["$defs"].values()]
    keywords = {each for made in classes for each in beyond(made.get(generation.RULES, {}))}
    return {"code": code, "names": names, "beyond": sorted(keywords)}


@functools.cache
def made_by(python: tuple[int, int] = sys.version_info[:2]) -> str:
    """Return a hash of what makes models: our code, the options, the libraries and Python.

    Args:
        python: its version, since the libraries ask its tables of Unicode.
    """
    folder = Path(__file__).parent
    own = sorted((*folder.glob("*.py"), *(folder.parent.parent / "schema").glob("*.py")))
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in own]
    versions = [metadata.version(name) for name in ("datamodel-code-generator", "pydantic")]
    return key_of(*hashes, *versions, "{}.{}".format(*python), compact(generation.OPTIONS))
