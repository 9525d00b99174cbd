"""The contract against a running server, asked as a client asks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from counterfoil.config import FILE, Live
from counterfoil.contract.model import Contract, Part, Server
from counterfoil.contract.report import Report
from counterfoil.findings import Finding, rule
from counterfoil.parity.fields import by_name, field_differences, name_of
from counterfoil.targets.snapshot import standalone
from counterfoil.wire import (
    REVISIONS,
    HttpTarget,
    StdioTarget,
    Surface,
    claimed_revisions,
    read_surface,
)

# The revision that brought a field; fields that are not named are in all of them.
_SINCE = {
    "annotations": "2025-03-26",
    "title": "2025-06-18",
    "outputSchema": "2025-06-18",
    "_meta": "2025-06-18",
    "icons": "2025-11-25",
    "execution": "2025-11-25",
}
_TOOL_FIELDS = (
    "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta",
    "execution",
)  # fmt: skip
_OTHER_FIELDS: Mapping[str, tuple[str, ...]] = {
    "resources": ("name", "title", "description", "mimeType"),
    "resourceTemplates": ("name", "title", "description", "mimeType"),
    "prompts": ("title", "description", "arguments"),
}
_NOUNS = {"prompts": "prompt", "resources": "resource", "resourceTemplates": "resource template"}
_ARGUMENT_FIELDS = ("name", "title", "description", "required")

Note = tuple[str, str, str]


def judge_live(contract: Contract, live: Iterable[Live], root: Path) -> list[Finding]:
    """Ask each server, at each revision that it claims, and report every difference (CF301-CF309).

    Raises:
        CounterfoilError: a server cannot be started or asked.
    """
    known = {server.id: server for server in contract.servers}
    found: list[Finding] = []
    for entry in live:
        if entry.id in known:
            found += _judge(contract, known[entry.id], target_of(entry, root))
        else:
            found.append(_stale(f"the contract has no server {entry.id!r}"))
    return found


def target_of(entry: Live, root: Path) -> StdioTarget | HttpTarget:
    """Return how the wire client reaches a server."""
    if entry.url:
        return HttpTarget(entry.url, dict(entry.headers), entry.timeout)
    return StdioTarget(entry.command, str(root / entry.cwd), dict(entry.env), entry.timeout)


def _judge(contract: Contract, server: Server, target: StdioTarget | HttpTarget) -> list[Finding]:
    report = Report(contract.path, contract.text)
    spoken = claimed_revisions(target)
    claimed = tuple(server.data.get("protocolVersions", spoken))
    at = f"{server.pointer}/protocolVersions"
    for revision in sorted(set(claimed) - set(spoken)):
        report.add("CF308", at, f"the server {server.id} does not speak {revision}")
    for revision in sorted(set(spoken) - set(claimed)):
        report.add("CF309", at, f"the server {server.id} speaks {revision}, too")
    asked = [revision for revision in claimed if revision in spoken and revision in REVISIONS]
    notes: dict[Note, list[str]] = {}
    for revision in asked:
        for note in _compare(contract, server, read_surface(target, revision)):
            notes.setdefault(note, []).append(revision)
    for (code, pointer, message), revisions in notes.items():
        partly = f" (on MCP {', '.join(revisions)})" if len(revisions) < len(asked) else ""
        report.add(code, pointer, f"server {server.id}: {message}{partly}")
    return list(report.findings())


def _compare(contract: Contract, server: Server, surface: Surface) -> Iterable[Note]:
    yield from _compare_identity(server, surface)
    tools = {tool.name: standalone(contract, tool) for tool in server.served}
    pointers = {tool.name: tool.pointer for tool in server.served}
    codes = ("CF301", "CF302", "CF303")
    yield from _compare_lists(
        "tool", codes, tools, surface.tools, pointers, server, _fields(_TOOL_FIELDS, surface)
    )
    others = {
        "resources": surface.resources,
        "resourceTemplates": surface.resource_templates,
        "prompts": surface.prompts,
    }
    for kind, given in others.items():
        parts = server.parts(kind)
        yield from _compare_lists(
            _NOUNS[kind],
            ("CF304", "CF305", "CF306"),
            {part.name: _on_wire(part, surface.revision) for part in parts},
            given,
            {part.name: part.pointer for part in parts},
            server,
            _fields(_OTHER_FIELDS[kind], surface),
        )


def _compare_lists(
    noun: str,
    codes: tuple[str, str, str],
    ours: Mapping[str, Mapping[str, Any]],
    theirs: Iterable[Mapping[str, Any]],
    pointers: Mapping[str, str],
    server: Server,
    fields: tuple[str, ...],
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
        for each in field_differences(ours[name], given[name], fields):
            yield different, f"{pointers[name]}/{each.field}", f"{noun} {name}: {each.what}"


def _compare_identity(server: Server, surface: Surface) -> Iterable[Note]:
    fields = ["name", "version"] + (["title"] if surface.revision >= "2025-06-18" else [])
    info = surface.server
    for field in fields:
        if field == "title" and "title" not in info:
            continue  # optional on the wire; a server without one is shown by its name
        if info.get(field) != server.data[field]:
            what = f"{field} is {server.data[field]!r} in the contract and {info.get(field)!r} here"
            yield "CF307", f"{server.pointer}/{field}", what
    if surface.instructions != server.data.get("instructions"):
        yield "CF307", f"{server.pointer}/instructions", "other instructions than the contract's"


def _fields(fields: tuple[str, ...], surface: Surface) -> tuple[str, ...]:
    return tuple(field for field in fields if surface.revision >= _SINCE.get(field, ""))


def _on_wire(part: Part, revision: str) -> dict[str, Any]:
    """Return an entry as a revision of MCP knows it, without what only the contract knows."""
    data = dict(part.data)
    if "arguments" in data:
        fields = [field for field in _ARGUMENT_FIELDS if revision >= _SINCE.get(field, "")]
        data["arguments"] = [
            {field: argument[field] for field in fields if field in argument}
            for argument in data["arguments"]
        ]
    return data


def _stale(message: str) -> Finding:
    entry = rule("CF350")
    return Finding(FILE, 0, 0, "", entry.code, message, entry.mend, entry.severity)
