"""Which tools and routes were judged before, just as they are now, and found faultless.

Nothing else is remembered: what has a finding is judged again in every run, so that no entry of
a cache can hide or repeat one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from counterfoil.cache import Cache, key_of
from counterfoil.contract.canonical import compact
from counterfoil.contract.report import Report
from counterfoil.lint.survey import Place, Survey

# In compact text. The grammar has no name of a shared schema that JSON or a pointer escapes.
_MENTION = re.compile(r'"\$ref":"#/\$defs/([A-Za-z0-9_]+)')


class Ledger:
    """The faultless tools and routes of one project, by a hash of all that rules read of them.

    Args:
        cache: where they are kept, in one entry, since a thousand take long to open.
        project: what tells the project from others.
        judge: what tells those who judge from others, such as the toolchain's fingerprint.
    """

    def __init__(self, cache: Cache, project: str, judge: str) -> None:
        self._cache = cache
        self._judge = judge
        self._entry = key_of("faultless", project)
        self._known = frozenset((cache.get(self._entry) or b"").decode().split())
        self._keys: dict[str, str] = {}

    def suspects(self, survey: Survey) -> tuple[Place, ...]:
        """Return the schemas that have to be judged: all but those of faultless owners."""
        self._keys = _keys(survey, self._judge)
        return tuple(
            place
            for place in survey.places
            if place.owner is None or self._keys[place.owner.pointer] not in self._known
        )

    def settle(self, survey: Survey, report: Report) -> None:
        """Remember the owners in which, and in whose shared schemas, a report has no finding."""
        faulty = _holders(report.pointers())
        clean = frozenset(
            key
            for pointer, key in self._keys.items()
            if pointer not in faulty and faulty.isdisjoint(_needed(survey, pointer))
        )
        if clean != self._known:
            self._known = clean
            self._cache.put(self._entry, "\n".join(sorted(clean)).encode())


def _keys(survey: Survey, judge: str) -> dict[str, str]:
    """Return a key of each tool and route with schemas, by its pointer.

    It covers the whole owner, and every shared schema that it mentions or names one of its own
    like, directly or not. A mention may be no reference: then it is judged once more than needed.
    """
    shared = {name: compact(place.schema) for name, place in survey.shared.items()}
    mentions = {name: _mentioned(text) for name, text in shared.items()}
    found: dict[str, str] = {}
    for pointer, places in survey.by_owner.items():
        owner = places[0].owner
        assert owner is not None
        names = _mentioned(owner.text).union(*(place.own for place in places))
        reached = sorted(_closure(names, mentions))
        roles = (place.role for place in places)
        parts = (part for name in reached for part in (name, shared[name]))
        found[pointer] = key_of("lint", judge, *roles, owner.text, *parts)
    return found


def _mentioned(text: str) -> set[str]:
    return set(_MENTION.findall(text)) if '"$ref"' in text else set()


def _closure(names: Iterable[str], mentions: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name in mentions and name not in found:
            found.add(name)
            pending.extend(mentions[name])
    return found


def _holders(pointers: Iterable[str]) -> set[str]:
    """Return pointers, and those of all that they stand in."""
    found: set[str] = set()
    for pointer in pointers:
        while pointer and pointer not in found:
            found.add(pointer)
            pointer = pointer.rpartition("/")[0]
    return found


def _needed(survey: Survey, owner: str) -> set[str]:
    return {each.pointer for place in survey.by_owner[owner] for each in survey.needed(place)}
