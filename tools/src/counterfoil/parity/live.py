"""The contract against a running server, asked as a client asks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil import progress
from counterfoil.config import FILE, Live
from counterfoil.contract.model import Contract, Server
from counterfoil.contract.report import Report
from counterfoil.contract.values import items, members
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding, rule
from counterfoil.parity.fields import by_name, field_differences, name_of
from counterfoil.schema.semantics import equal
from counterfoil.targets.snapshot import standalone
from counterfoil.wire import (
    REVISIONS,
    HttpTarget,
    StdioTarget,
    Surface,
    survey,
)

# The revision that brought a field; fields that are not named are in all of them. An older one
# may do without it, and what it sends all the same is compared.
_SINCE = {
    "annotations": "2025-03-26",
    "title": "2025-06-18",
    "outputSchema": "2025-06-18",
    "_meta": "2025-06-18",
    "icons": "2025-11-25",
    "execution": "2025-11-25",
}
# The last revision that has a field: 2026-07-28 moved tasks out of the core.
_UNTIL = {"execution": "2025-11-25"}
# What of an entry of the contract goes over the wire; the rest is for the toolchain.
_TOOL_FIELDS = frozenset(
    {
        "name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons",
        "_meta", "execution",
    }
)  # fmt: skip
_RESOURCE_FIELDS = frozenset(
    {"name", "title", "description", "mimeType", "annotations", "icons", "_meta"}
)
_OTHER_FIELDS: Mapping[str, frozenset[str]] = {
    "resources": _RESOURCE_FIELDS | {"uri", "size"},
    "resourceTemplates": _RESOURCE_FIELDS | {"uriTemplate"},
    "prompts": frozenset({"name", "title", "description", "arguments", "icons", "_meta"}),
}
_NOUNS = {"prompts": "prompt", "resources": "resource", "resourceTemplates": "resource template"}
_NAMING = frozenset({"name", "title", "version", "description", "websiteUrl", "icons"})
_NAMED_SINCE = "2025-11-25"  # the revision that brought the last three
_ARGUMENT_FIELDS = frozenset({"name", "title", "description", "required"})

Note = tuple[str, str, str]


@dataclass(frozen=True)
class Answers:
    """What asking servers has shown.

    Attributes:
        findings: where they differ from the contract.
        errors: why servers could not be asked, one each.
    """

    findings: tuple[Finding, ...]
    errors: tuple[CounterfoilError, ...]


def judge_live(contract: Contract, live: Iterable[Live], root: Path) -> Answers:
    """Ask each server, at each revision that it claims, and report every difference.

    CF301 to CF309 are differences, CF350 is a server that the contract does not have, CF351 one
    that shows what was not compared. A server that cannot be asked does not keep the others
    from being asked.
    """
    known = {server.id: server for server in contract.servers}
    found: list[Finding] = []
    errors: list[CounterfoilError] = []
    entries = list(live)
    for number, entry in enumerate(entries, start=1):
        progress.tell(number, len(entries), f"asking server {entry.id}")
        if entry.id not in known:
            found.append(_stale(f"the contract has no server {entry.id!r}"))
            continue
        report = Report(contract.path, contract.text)
        try:
            _judge(contract, known[entry.id], target_of(entry, root), report)
        except CounterfoilError as error:
            errors.append(error)
        found += report.findings()  # with what was seen before an error
    return Answers(tuple(found), tuple(errors))


def target_of(entry: Live, root: Path) -> StdioTarget | HttpTarget:
    """Return how the wire client reaches a server."""
    if entry.url:
        return HttpTarget(entry.url, dict(entry.headers), entry.timeout)
    return StdioTarget(entry.command, str(root / entry.cwd), dict(entry.env), entry.timeout)


def _judge(
    contract: Contract, server: Server, target: StdioTarget | HttpTarget, report: Report
) -> None:
    """Put every difference of one server into a report.

    Raises:
        CounterfoilError: the server cannot be asked, or not to the end.
    """
    seen = survey(target, server.data.get("protocolVersions", REVISIONS))
    claimed = tuple(server.data.get("protocolVersions", seen.claimed))
    asked = [each for each in claimed if each in seen.claimed and each in REVISIONS]
    _judge_revisions(server, claimed, seen.claimed, asked, report)
    notes: dict[Note, list[str]] = {}
    for revision in asked:
        if revision in seen.surfaces:
            for note in compare_surface(contract, server, seen.surfaces[revision]):
                notes.setdefault(note, []).append(revision)
    for (code, pointer, message), revisions in notes.items():
        partly = f" (on MCP {', '.join(revisions)})" if len(revisions) < len(asked) else ""
        report.add(code, pointer, f"server {server.id}: {message}{partly}")
    if seen.fault is not None:
        raise seen.fault


def _judge_revisions(
    server: Server,
    claimed: Sequence[str],
    spoken: Sequence[str],
    asked: Sequence[str],
    report: Report,
) -> None:
    at = f"{server.pointer}/protocolVersions"
    for revision in sorted(set(claimed) - set(spoken)):
        report.add("CF308", at, f"the server {server.id} does not speak {revision}")
    for revision in sorted(set(spoken) - set(claimed)):
        report.add("CF309", at, f"the server {server.id} speaks {revision}, too")
    for revision in sorted(set(spoken) - set(REVISIONS)):
        what = f"the server {server.id} speaks {revision!r}, which this toolchain does not"
        report.add("CF351", at, f"{what}: what it lists there was not compared")
    if not asked:
        what = f"no revision that the server {server.id} speaks could be asked"
        report.add("CF351", at, f"{what}: nothing of it was compared")


def compare_surface(contract: Contract, server: Server, surface: Surface) -> Iterable[Note]:
    """Yield code, pointer and sentence of every difference in one revision."""
    yield from _compare_identity(server, surface)
    tools = {tool.name: _sent(standalone(contract, tool), _TOOL_FIELDS) for tool in server.served}
    pointers = {tool.name: tool.pointer for tool in server.served}
    codes = ("CF301", "CF302", "CF303")
    yield from _compare_lists("tool", codes, tools, surface.tools, pointers, server, surface)
    others = {
        "resources": surface.resources,
        "resourceTemplates": surface.resource_templates,
        "prompts": surface.prompts,
    }
    for kind, given in others.items():
        noun, codes = _NOUNS[kind], ("CF304", "CF305", "CF306")
        parts = server.parts(kind)
        ours = {part.name: _sent(part.data, _OTHER_FIELDS[kind]) for part in parts}
        pointers = {part.name: part.pointer for part in parts}
        yield from _compare_lists(noun, codes, ours, given, pointers, server, surface)


def _compare_lists(
    noun: str,
    codes: tuple[str, str, str],
    ours: Mapping[str, Mapping[str, Any]],
    theirs: Iterable[Mapping[str, Any]],
    pointers: Mapping[str, str],
    server: Server,
    surface: Surface,
) -> Iterable[Note]:
    entries = list(theirs)
    given = by_name(entries)
    missing, extra, different = codes
    for name in sorted(ours.keys() - given.keys()):
        yield missing, pointers[name], f"does not list the {noun} {name}"
    for name in sorted(given.keys() - ours.keys()):
        yield extra, server.pointer, f"lists the {noun} {name}, which the contract does not have"
    for name, count in sorted(Counter(map(name_of, entries)).items()):
        if count > 1:
            yield (
                extra,
                pointers.get(name, server.pointer),
                f"lists the {noun} {name} {count} times",
            )
    for name in sorted(ours.keys() & given.keys()):
        known = _known(ours[name], given[name], surface.revision)
        for each in field_differences(known, given[name]):
            yield different, f"{pointers[name]}/{each.field}", f"{noun} {name}: {each.what}"


def _compare_identity(server: Server, surface: Surface) -> Iterable[Note]:
    info = surface.server
    # A title is optional on the wire; a server without one is shown by its name.
    declared = {"description", "websiteUrl", "icons"} & server.data.keys()
    asked = declared if surface.revision >= _NAMED_SINCE else set[str]()
    for field in sorted({"name", "version"} | info.keys() | asked):
        ours, theirs = server.data.get(field) or None, info.get(field) or None
        if field not in _NAMING:
            ours = None
        if not equal(ours, theirs):
            what = f"{field} is {ours!r} in the contract and {theirs!r} there"
            at = f"{server.pointer}/{field}" if field in _NAMING else server.pointer
            yield "CF307", at, what
    if (surface.instructions or None) != server.data.get("instructions"):
        yield "CF307", f"{server.pointer}/instructions", "other instructions than the contract's"


def _sent(data: Mapping[str, Any], fields: frozenset[str]) -> dict[str, Any]:
    """Return an entry without what only the contract knows."""
    return {
        key: _sent_arguments(value) if key == "arguments" else value
        for key, value in data.items()
        if key in fields
    }


def _sent_arguments(arguments: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [_sent(argument, _ARGUMENT_FIELDS) for argument in arguments]


def _known(ours: Mapping[str, Any], theirs: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """Return our entry without what the other side leaves out because its revision may."""
    kept = {
        key: value
        for key, value in ours.items()
        if key in theirs or _SINCE.get(key, "") <= revision <= _UNTIL.get(key, revision)
    }
    if "arguments" in kept:
        given = by_name(map(members, items(theirs.get("arguments"))))
        kept["arguments"] = [
            _known(argument, given.get(argument["name"], {}), revision)
            for argument in kept["arguments"]
        ]
    return kept


def _stale(message: str) -> Finding:
    entry = rule("CF350")
    return Finding(FILE, 0, 0, "", entry.code, message, entry.mend, entry.severity)
