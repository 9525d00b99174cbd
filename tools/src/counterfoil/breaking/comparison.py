"""Compare two surfaces: every change, each with its verdict."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.breaking.changes import EVERYONE, Change, Spot
from counterfoil.breaking.pairs import of_entries
from counterfoil.breaking.surface import KINDS, Entry, ServerSurface, Surface
from counterfoil.breaking.tools import tool_changes
from counterfoil.errors import CounterfoilError


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
        elif after is None and before is not None:
            found.append(_server_removed(name, before))
        elif before is not None and after is not None:
            found.extend(_server_changes(*_levelled(before, after), today))
    return sorted(found, key=lambda change: change.order)


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
        names = sorted(base.servers.keys() | target.servers.keys())
        return {name: (base.servers.get(name), target.servers.get(name)) for name in names}
    if len(base.servers) != 1 or len(target.servers) != 1:
        raise CounterfoilError(
            f"{base.shown} and {target.shown} do not hold the same number of servers",
            hint="name the server that is meant",
        )
    [before], [after] = base.servers.values(), target.servers.values()
    return {before.id or after.id: (before, after)}


def _levelled(before: ServerSurface, after: ServerSurface) -> tuple[ServerSurface, ServerSurface]:
    """Return both sides with what both can know."""
    if before.whole is after.whole:
        return before, after
    return before.listed, after.listed


def _server_added(name: str, after: ServerSurface) -> Change:
    spot = Spot(name, "server", "")
    return Change("CF480", "additive", EVERYONE, spot, None, after.pointer, "is new")


def _server_removed(name: str, before: ServerSurface) -> Change:
    spot = Spot(name, "server", "")
    return Change("CF401", "breaking", EVERYONE, spot, before.pointer, "/servers", "is gone")


def _server_changes(before: ServerSurface, after: ServerSurface, today: str) -> Iterator[Change]:
    for kind in KINDS:
        if kind in before.entries and kind in after.entries:
            yield from _entries(kind, before, after, today)


def _entries(
    kind: str, before: ServerSurface, after: ServerSurface, today: str
) -> Iterator[Change]:
    ours, theirs = before.named(kind), after.named(kind)
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in theirs:
            yield _removed(before, after, ours[name])
        elif name not in ours:
            yield _added(before, theirs[name])
        elif kind == "tool":
            yield from tool_changes(
                of_entries(before, ours[name], theirs[name]), ours[name], theirs[name], today
            )


def _removed(before: ServerSurface, after: ServerSurface, entry: Entry) -> Change:
    spot = Spot(before.id, entry.kind, entry.name)
    place = f"{after.pointer}/{KINDS[entry.kind]}"
    return Change("CF401", "breaking", EVERYONE, spot, entry.pointer, place, "is gone")


def _added(before: ServerSurface, entry: Entry) -> Change:
    spot = Spot(before.id, entry.kind, entry.name)
    return Change("CF480", "additive", EVERYONE, spot, None, entry.pointer, "is new")
