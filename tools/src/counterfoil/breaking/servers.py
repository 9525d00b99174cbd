"""What changed about a server as a whole, and about the wording that all share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.breaking.changes import EVERYONE, PROGRAMS, READERS, Change, Spot
from counterfoil.breaking.fields import text_changes
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.surface import Entry, ServerSurface, Surface
from counterfoil.breaking.tools import schemas_changes
from counterfoil.breaking.walker.scalars import shown
from counterfoil.contract.source import escape
from counterfoil.contract.values import members, texts

_TOLD = {
    "description": "CF460",
    "icons": "CF463",
    "instructions": "CF460",
    "name": "CF460",
    "title": "CF460",
    "websiteUrl": "CF463",
}
_PAYMENT = ("offer", "receipt")


def server_changes(before: ServerSurface, after: ServerSurface, today: str) -> Iterator[Change]:
    """Yield the changes of a server's own fields; its version is judged by all its changes."""
    pair = Pair(
        before.id, "server", "", before.data, after.data, before.pointer, after.pointer,
        before.whole,
    )  # fmt: skip
    both = before.data.keys() & after.data.keys()
    # What a listing does not say of its server is not known, and not gone.
    known = _TOLD if before.whole else {key: _TOLD[key] for key in _TOLD if key in both}
    yield from text_changes(pair, known)
    yield from _revisions(pair)
    if before.whole:
        yield from text_changes(pair, {"binding": "CF464"})
        ours, theirs = (_entry(side) for side in (before, after))
        yield from schemas_changes(pair, ours, theirs, ("errorBody",), today)
        yield from _payment(before, after, pair, today)
        yield from _distribution(before, after, pair)


def _entry(server: ServerSurface) -> Entry:
    return Entry("server", server.id, server.pointer, server.data, server.shared)


def _payment(
    before: ServerSurface, after: ServerSurface, pair: Pair, today: str
) -> Iterator[Change]:
    """Yield what changed about the schemas of an offer and of a receipt."""
    ours, theirs = _part(before, "payment"), _part(after, "payment")
    if bool(ours.data) is not bool(theirs.data):
        what = f"what is said of payments is {'new' if theirs.data else 'gone'}"
        delta = [dict(ours.data), dict(theirs.data)]
        yield pair.change("CF464", "behaviour", PROGRAMS, what, at="/payment", delta=delta)
        return
    yield from schemas_changes(_paired(pair, ours, theirs), ours, theirs, _PAYMENT, today)


def _distribution(before: ServerSurface, after: ServerSurface, pair: Pair) -> Iterator[Change]:
    """Yield what changed about how a server is installed and reached."""
    ours, theirs = _part(before, "distribution"), _part(after, "distribution")
    fields = sorted((ours.data.keys() | theirs.data.keys()) - {"package"})
    yield from text_changes(_paired(pair, ours, theirs), dict.fromkeys(fields, "CF464"))
    # A version of the package is new with each release.
    packages: list[Any] = [
        {key: value for key, value in members(each.data.get("package")).items() if key != "version"}
        for each in (ours, theirs)
    ]
    if packages[0] != packages[1]:
        what = f"package is {shown(packages[1])}, was {shown(packages[0])}"
        at = "/distribution/package"
        yield pair.change("CF464", "behaviour", PROGRAMS, what, at=at, delta=packages)


def _part(server: ServerSurface, key: str) -> Entry:
    data = members(server.data.get(key))
    return Entry("server", server.id, f"{server.pointer}/{key}", data, server.shared)


def _paired(pair: Pair, ours: Entry, theirs: Entry) -> Pair:
    base, target = (
        each.pointer if each.data else each.pointer.rpartition("/")[0] for each in (ours, theirs)
    )
    return Pair(pair.server, "server", "", ours.data, theirs.data, base, target, pair.whole)


def _revisions(pair: Pair) -> Iterator[Change]:
    ours = {*texts(pair.base.get("protocolVersions"))}
    theirs = {*texts(pair.target.get("protocolVersions"))}
    if not ours or not theirs:
        return
    at = "/protocolVersions"
    for name in sorted(ours - theirs):
        what = f"no longer speaks MCP {name}"
        yield pair.change("CF446", "breaking", EVERYONE, what, at=at, delta=name)
    for name in sorted(theirs - ours):
        what = f"speaks MCP {name}, too"
        yield pair.change("CF484", "additive", EVERYONE, what, at=at, delta=name)


def wording_changes(base: Surface, target: Surface) -> Iterator[Change]:
    """Yield the fixed sentences that read otherwise, where both sides know them."""
    if base.wording is None or target.wording is None:
        return
    ours: Mapping[str, str] = members(dict(base.wording))
    theirs: Mapping[str, str] = members(dict(target.wording))
    for name in sorted(ours.keys() | theirs.keys()):
        before, after = ours.get(name), theirs.get(name)
        if before == after:
            continue
        spot = Spot("", "wording", name)
        at = f"/wording/{escape(name)}"
        delta = [before, after]
        if before is None:
            yield Change("CF480", "additive", READERS, spot, None, at, "is new", delta=delta)
        else:
            gone = after is None
            what = "is gone" if gone else f"reads {shown(after)}, was {shown(before)}"
            place = "/wording" if gone and theirs else "" if gone else at
            yield Change("CF465", "behaviour", READERS, spot, at, place, what, delta=delta)
