"""Compare two surfaces: every change, each with its verdict."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from counterfoil.breaking.changes import EVERYONE, Change, Level, Spot
from counterfoil.breaking.deprecation import announced
from counterfoil.breaking.outbound import outbound_changes
from counterfoil.breaking.pairs import of_entries
from counterfoil.breaking.parts import prompt_changes, resource_changes
from counterfoil.breaking.renames import renamed
from counterfoil.breaking.routes import route_changes
from counterfoil.breaking.semver import VersionVerdict, judge
from counterfoil.breaking.servers import server_changes, wording_changes
from counterfoil.breaking.surface import KINDS, Entry, ServerSurface, Surface
from counterfoil.breaking.tools import tool_changes
from counterfoil.contract.values import text
from counterfoil.errors import CounterfoilError

_TOO_SMALL = "CF490"
# A server's id goes over no wire.
_GENERATED: frozenset[Level] = frozenset({"generated"})


def compare(base: Surface, target: Surface, *, today: str = "") -> list[Change]:
    """Return what changed from base to target, the gravest first.

    Args:
        base: what callers rely on.
        target: what they will meet.
        today: the day, ``YYYY-MM-DD``; removals that were announced for it or before are due.
            Without one, none is.

    What one side does not know is passed over; :func:`uncompared` says what that is.

    Raises:
        CounterfoilError: a listing stands against several servers, so that nobody knows which.
    """
    found: list[Change] = []
    servers = _paired(base, target)
    for name, (before, after) in servers.items():
        if before is None and after is not None:
            found.append(_server_added(name, after))
            found += outbound_changes(dataclasses.replace(after, entries={}), after)
        elif after is None and before is not None:
            found.append(_server_removed(name, before))
        elif before is not None and after is not None:
            levelled = _levelled(before, after)
            changes = list(_all_changes(*levelled, today))
            if before.id and after.id and before.id != after.id:
                changes.append(_server_renamed(before, after))
            found += [*changes, *_version(*levelled, changes)]
    found += wording_changes(base, target)
    return sorted(found, key=lambda change: change.order)


def steps(base: Surface, target: Surface, changes: Iterable[Change]) -> dict[str, VersionVerdict]:
    """Return what the changes ask of the version of each server that both sides have."""
    found: dict[str, VersionVerdict] = {}
    listed = list(changes)
    for name, (before, after) in _paired(base, target).items():
        if before is None or after is None:
            continue
        own = [each for each in listed if each.spot.server == before.id and each.code != _TOO_SMALL]
        versions = (text(side.data.get("version")) for side in (before, after))
        found[name] = judge(own, *versions)
    return found


def uncompared(base: Surface, target: Surface) -> list[str]:
    """Return what only one side knows, as clauses for people."""
    found: list[str] = []
    for before, after in _paired(base, target).values():
        if before is None or after is None:
            continue
        levelled = _levelled(before, after)
        for kind, key in KINDS.items():
            known = [kind in side.entries for side in levelled]
            if any(known) and not all(known):
                shown = target.shown if known[0] else base.shown
                found.append(f"{key}: {shown} does not know them")
        if before.whole is not after.whole:
            shown = target.shown if before.whole else base.shown
            found.append(
                f"routes, outbound lists, credentials, scopes, prices and how calls are carried "
                f"out: {shown} does not know them"
            )
    return found


def _paired(
    base: Surface, target: Surface
) -> dict[str, tuple[ServerSurface | None, ServerSurface | None]]:
    if "" not in base.servers and "" not in target.servers:
        successors = _successors(base, target)
        names = sorted(base.servers.keys() | target.servers.keys() - {*successors.values()})
        return {
            name: (base.servers.get(name), target.servers.get(successors.get(name, name)))
            for name in names
        }
    if len(base.servers) != 1 or len(target.servers) != 1:
        raise CounterfoilError(
            f"{base.shown} and {target.shown} do not hold the same number of servers",
            hint="name the server that is meant",
        )
    [before], [after] = base.servers.values(), target.servers.values()
    return {before.id or after.id: (before, after)}


def _successors(base: Surface, target: Surface) -> dict[str, str]:
    """Return the servers that have another id and the name that they had, with the new id."""
    gone = {key: each for key, each in base.servers.items() if key not in target.servers}
    new = {key: each for key, each in target.servers.items() if key not in base.servers}
    found: dict[str, str] = {}
    for key, each in gone.items():
        name = each.data.get("name")
        same = [other for other, one in new.items() if one.data.get("name") == name]
        rivals = [other for other, one in gone.items() if one.data.get("name") == name]
        if len(same) == len(rivals) == 1:
            found[key] = same[0]
    return found


def _levelled(before: ServerSurface, after: ServerSurface) -> tuple[ServerSurface, ServerSurface]:
    """Return both sides with what both can know."""
    if before.whole is after.whole:
        return before, after
    return before.listed, after.listed


def _server_added(name: str, after: ServerSurface) -> Change:
    spot = Spot(name, "server", "")
    return Change("CF480", "additive", EVERYONE, spot, None, after.pointer, "is new")


def _server_renamed(before: ServerSurface, after: ServerSurface) -> Change:
    spot = Spot(before.id, "server", "")
    return Change(
        "CF402", "breaking", _GENERATED, spot, before.pointer, after.pointer,
        f'is "{after.id}" now; what is generated for it has another name', delta=after.id,
    )  # fmt: skip


def _server_removed(name: str, before: ServerSurface) -> Change:
    spot = Spot(name, "server", "")
    return Change("CF401", "breaking", EVERYONE, spot, before.pointer, "/servers", "is gone")


def _all_changes(before: ServerSurface, after: ServerSurface, today: str) -> Iterator[Change]:
    yield from server_changes(before, after, today)
    for kind in KINDS:
        if kind not in before.entries or kind not in after.entries:
            continue
        if kind == "outbound":
            yield from outbound_changes(before, after)
        else:
            yield from _entries(kind, before, after, today)


def _entries(
    kind: str, before: ServerSurface, after: ServerSurface, today: str
) -> Iterator[Change]:
    ours, theirs = before.named(kind), after.named(kind)
    gone = {name: each for name, each in ours.items() if name not in theirs}
    new = {name: each for name, each in theirs.items() if name not in ours}
    due = {name for name, each in gone.items() if _is_due(each, today)}
    sought = {name: each for name, each in gone.items() if name not in due}
    successors = renamed(sought, new) if sought and new else {}
    for name, entry in sorted(ours.items()):
        if name not in gone:
            yield from _entry_changes(before, entry, theirs[name], today)
        elif name in successors:
            yield _renamed(before, entry, new[successors[name]])
            yield from _entry_changes(before, entry, new[successors[name]], today)
        else:
            yield _removed(before, after, entry, today)
    for name in sorted(new.keys() - {*successors.values()}):
        yield _added(before, new[name])


def _entry_changes(
    server: ServerSurface, base: Entry, target: Entry, today: str
) -> Iterator[Change]:
    if base.text == target.text and base.shared.text == target.shared.text:
        return
    pair = of_entries(server, base, target)
    if base.kind == "tool":
        yield from tool_changes(pair, base, target, today)
    elif base.kind == "route":
        yield from route_changes(pair, base, target, today)
    elif base.kind == "prompt":
        yield from prompt_changes(pair, today)
    else:
        yield from resource_changes(pair)


def _renamed(server: ServerSurface, base: Entry, target: Entry) -> Change:
    spot = Spot(server.id, base.kind, base.name)
    return Change(
        "CF402", "breaking", EVERYONE, spot, base.pointer, target.pointer,
        f'is "{target.name}" now', delta=target.name,
        hint=f'keep "{base.name}" beside it, deprecated in favour of "{target.name}"',
    )  # fmt: skip


def _is_due(entry: Entry, today: str) -> bool:
    announcement = announced(entry.data)
    return announcement is not None and announcement.due(today)


def _removed(before: ServerSurface, after: ServerSurface, entry: Entry, today: str) -> Change:
    spot = Spot(before.id, entry.kind, entry.name)
    place = f"{after.pointer}/{KINDS[entry.kind]}"
    announcement = announced(entry.data)
    if announcement is not None and announcement.due(today):
        what = f"is gone, as announced for {announcement.date}"
        return Change("CF468", "behaviour", EVERYONE, spot, entry.pointer, place, what)
    what, hint = "is gone", "keep it, deprecated with a date and a replacement, and remove it then"
    if announcement is not None:
        what, hint = f"is gone before {announcement.date}, the day announced", "keep it until then"
    return Change("CF401", "breaking", EVERYONE, spot, entry.pointer, place, what, hint)


def _added(before: ServerSurface, entry: Entry) -> Change:
    spot = Spot(before.id, entry.kind, entry.name)
    return Change("CF480", "additive", EVERYONE, spot, None, entry.pointer, "is new")


def _version(before: ServerSurface, after: ServerSurface, changes: list[Change]) -> list[Change]:
    """Return what is to be said of a server's version: nothing, or that it is not enough."""
    versions = text(before.data.get("version")), text(after.data.get("version"))
    verdict = judge(changes, *versions)
    if verdict.enough:
        return []
    has = "has none" if verdict.has == "none" else f"has {verdict.has}"
    what = f"the version needs a {verdict.needs} step, {has}: {verdict.base} to {verdict.target}"
    spot = Spot(before.id, "server", "", "version")
    return [
        Change(
            _TOO_SMALL, "breaking" if verdict.needs == "major" else "behaviour", EVERYONE, spot,
            f"{before.pointer}/version", f"{after.pointer}/version", what,
            "raise the version of the server", delta=[verdict.needs, verdict.has],
        )
    ]  # fmt: skip
