"""What a schema tells its readers: valid as before, but it may mean something else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from counterfoil.breaking.changes import EVERYONE, PROGRAMS, READERS, Change, Klass, Level, Spot
from counterfoil.breaking.deprecation import KEY
from counterfoil.breaking.subjects import Subject
from counterfoil.breaking.walker.declared import Note, Told, told
from counterfoil.breaking.walker.nodes import Reader
from counterfoil.breaking.walker.scalars import shown, shown_apart

_PROSE = frozenset({"description", "title"})
_FORMS = frozenset({"contentEncoding", "contentMediaType", "contentSchema", "format"})
_ENDS = frozenset({"deprecated", KEY})
_TYPED: frozenset[Level] = frozenset({"generated", "agent"})


def note_changes(subject: Subject) -> Iterator[Change]:
    """Yield what two versions of a schema tell differently about places that both have."""
    ours, theirs = told(Reader(subject.base.schema)), told(Reader(subject.target.schema))
    for place in sorted(ours.keys() & theirs.keys()):
        before, after = ours[place], theirs[place]
        for keyword in sorted(before.notes.keys() | after.notes.keys()):
            yield from _note(subject, place, keyword, before, after)


def _note(
    subject: Subject, place: str, keyword: str, before: Told, after: Told
) -> Iterator[Change]:
    ours, theirs = before.notes.get(keyword, {}), after.notes.get(keyword, {})
    if before.alternatives != after.alternatives and (_part(ours, theirs) or _part(theirs, ours)):
        return
    lost, new = _fewer(ours, theirs), _fewer(theirs, ours)
    if not lost and not new:
        return
    code, klass, levels = _kind(keyword, typed=before.typed or after.typed)
    delta: list[list[Any]] = [[each.value for each in lost], [each.value for each in new]]
    yield Change(
        code, klass, levels, _spot(subject, place, keyword),
        subject.base.place(lost[0].pointer if lost else before.pointer),
        subject.target.place(new[0].pointer if new else after.pointer),
        f"{subject.where(_shown(place))}: {_sentence(keyword, *delta)}", delta=delta,
    )  # fmt: skip


def _part(some: dict[str, Note], more: dict[str, Note]) -> bool:
    """Say whether alternatives have come or gone, and the others tell what they told."""
    return bool(some) and some.keys() <= more.keys()


def _fewer(some: dict[str, Note], others: dict[str, Note]) -> list[Note]:
    """Return what more of some schemas tell than of others."""
    return [
        note
        for key, note in sorted(some.items())
        if key not in others or others[key].count < note.count
    ]


def _spot(subject: Subject, place: str, keyword: str) -> Spot:
    pair = subject.pair
    path = " ".join(each for each in (subject.key, _shown(place), keyword) if each)
    return Spot(pair.server, pair.kind, pair.name, path)


def _shown(place: str) -> str:
    return place.removeprefix(".")


def _kind(keyword: str, *, typed: bool) -> tuple[str, Klass, frozenset[Level]]:
    if keyword in _PROSE:
        return "CF460", "behaviour", _TYPED if keyword == "title" and typed else READERS
    if keyword == "default":
        return "CF461", "behaviour", EVERYONE
    if keyword in _FORMS:
        return "CF462", "behaviour", EVERYONE
    if keyword in _ENDS:
        return "CF467", "behaviour", PROGRAMS | READERS
    return "CF463", "behaviour", READERS


def _sentence(keyword: str, lost: list[Any], new: list[Any]) -> str:
    if len(lost) == len(new) == 1:
        now, was = shown_apart(new[0], lost[0])
        return f"{keyword} is {now}, was {was}"
    was = " and ".join(shown(each) for each in itertools.islice(lost, 3))
    now = " and ".join(shown(each) for each in itertools.islice(new, 3))
    if not lost:
        return f"{keyword} is {now}, there was none"
    if not new:
        return f"{keyword} is gone, was {was}"
    return f"{keyword} is {now}, was {was}"
