"""Target ``fidelity``: where the models and the schemas that they are made from part."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from counterfoil import progress
from counterfoil.cache import Cache, key_of
from counterfoil.contract.canonical import compact, digest
from counterfoil.contract.model import Server
from counterfoil.render import with_html_comment, with_json_key
from counterfoil.targets.fidelity.differences import Comparison, Difference
from counterfoil.targets.fidelity.report import Result, data, page
from counterfoil.targets.models.generation import begin
from counterfoil.targets.models.pool import prepare, spread
from counterfoil.targets.models.sources import INPUT, Making, Source, made_by, sources
from counterfoil.targets.reference.markdown import untext
from counterfoil.targets.target import Entry, Planned, Request

# A worker takes about 0.4 s to start, and a schema 10 ms.
_WORTH = 32
Cases = Mapping[tuple[str, str], Mapping[str, Any]]
_SERVER = re.compile(r"## Server (?P<name>.+)")
_TOOL = re.compile(r"### Tool (?P<name>.+)")


class _Fidelity:
    name = "fidelity"
    per_server = False

    def applies(self, server: Server) -> bool:
        return bool(server.tools)

    def prepare(self) -> None:
        """Let a process import the generator: what is compared has first to be made."""
        prepare(begin)

    def plan(self, request: Request) -> Iterable[Planned]:
        wanted = sources(request.contract, request.servers)
        examples = [_examples(each, request.cases) for each in wanted]
        results = _results(wanted, examples, request.cache)
        source = f"{request.contract.path}#/servers"
        pairs = zip(wanted, examples, strict=True)
        whole = digest([[each.digest, values] for each, values in pairs])
        if request.path.endswith(".json"):
            content = with_json_key(source, whole, data(results))
        else:
            content = with_html_comment(source, whole, page(results))
        yield Planned(request.path, content, "the models of all tools")

    def expected(self, request: Request) -> set[Entry]:
        return {
            Entry(server.id, "tool", tool.name)
            for server in request.servers
            for tool in server.tools
        }

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        content = files.get(request.path, b"")
        read = _read_data if request.path.endswith(".json") else _read_page
        return set(read(content))


def _examples(source: Source, cases: Cases) -> list[Any]:
    """Return the values of a tool's cases that are about a schema."""
    own: Mapping[str, Any] = cases.get((source.server, source.tool), {})
    given: Mapping[str, Any] = own if source.direction == INPUT else own.get("results", {})
    key = "arguments" if source.direction == INPUT else "value"
    return [each[key] for verdict in ("accepted", "refused") for each in given.get(verdict, ())]


def _results(wanted: Sequence[Source], examples: Sequence[list[Any]], cache: Cache) -> list[Result]:
    """Return what came of each schema; the models of those in the cache are not even read."""
    pairs = zip(wanted, examples, strict=True)
    keys = [key_of("fidelity", _judged_by(), each.text, compact(values)) for each, values in pairs]
    found = [cache.get(key) for key in keys]
    missing = [index for index, raw in enumerate(found) if raw is None]
    made = Making([wanted[index] for index in missing], cache).modules()
    items = [
        {"source": module.source.text, "code": module.code, "examples": examples[index]}
        for index, module in zip(missing, made, strict=True)
    ]
    for done, (number, compared) in enumerate(spread(_compare, items, worth=_WORTH), start=1):
        raw = json.dumps({"beyond": made[number].beyond, "compared": compared}).encode()
        cache.put(keys[missing[number]], raw)
        found[missing[number]] = raw
        progress.tell(done, len(items), "comparing models with schemas")
    return [
        Result(source, tuple(result["beyond"]), _comparison(result["compared"]))
        for source, raw in zip(wanted, found, strict=True)
        for result in (json.loads(raw or b""),)
    ]


def _compare(item: dict[str, Any]) -> dict[str, Any]:
    # Imported here: models take long to import, and mostly a worker does this.
    from counterfoil.targets.fidelity.comparison import compare

    return compare(item)


def _comparison(raw: dict[str, Any]) -> Comparison:
    differences = (
        Difference(
            each["kind"],
            each["keyword"],
            each["place"],
            tuple(each["modes"]),
            each["example"],
            each["became"],
        )
        for each in raw["differences"]
    )
    return Comparison(raw["probes"], raw["accepted"], tuple(differences))


@functools.cache
def _judged_by() -> str:
    """Return a hash of what compares: our code and the libraries."""
    folder = Path(__file__).parent
    own = [*sorted(folder.glob("*.py")), *sorted((folder.parent / "templates").glob("*.py"))]
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in own]
    versions = [metadata.version(name) for name in ("jsonschema", "jsonschema-rs")]
    return key_of(made_by(), *hashes, *versions)


def _read_page(content: bytes) -> Iterator[Entry]:
    server = ""
    for line in content.decode("utf-8", "replace").splitlines():
        if found := _SERVER.fullmatch(line):
            server = untext(found["name"])
        elif found := _TOOL.fullmatch(line):
            yield Entry(server, "tool", untext(found["name"]))


def _read_data(content: bytes) -> Iterator[Entry]:
    try:
        servers = json.loads(content)["servers"]
        found = [(server, tool) for server, tools in servers.items() for tool in tools]
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    yield from (Entry(server, "tool", tool) for server, tool in found)


TARGET = _Fidelity()
