"""A review as a page of its own: each change, both sides of it, and the call that shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from counterfoil.breaking import Witness
from counterfoil.config import CLASSES
from counterfoil.contract.excerpts import bounded
from counterfoil.editions import Edition
from counterfoil.review.formats import sentences
from counterfoil.review.weighing import NOWHERE, Review, Verdict
from counterfoil.schema.refs import DanglingReference, follow
from counterfoil.targets.page.assets import policy, script, style
from counterfoil.targets.page.markup import code, fragment, json_text, paragraphs, seen, words

_MEANINGS = {
    "breaking": "What worked before is refused, or its result cannot be read.",
    "security": "More is allowed than was.",
    "undecided": "Neither safe nor breaking could be shown: never taken for safe.",
    "behaviour": "Valid as before, and may mean something else.",
    "additive": "New; nobody who relied on what was there notices.",
    "accepted": "Changes that people have looked at and accepted.",
}
_STYLES = {
    "breaking": "grave",
    "security": "grave",
    "undecided": "alert",
    "behaviour": "alert",
    "additive": "calm",
}
# Characters of one side of a change; the contract itself has all of them.
_LONGEST = 2_000
_NUMBERS = re.compile(r"/[0-9]+(?=/|$)")


def as_html(review: Review) -> str:
    """Return one HTML file that needs nothing else: no network, no server."""
    sides = (_Side(review.base), _Side(review.target))
    made = fragment(
        "review",
        policy=policy(),
        style=style(),
        script=script(),
        title="What this changes for callers",
        search="Search the changes",
        counts=words(
            "; ".join(filter(None, (sentences.counts(review), *sentences.remarks(review))))
        ),
        base=words(review.base.shown),
        target=words(review.target.shown),
        groups=list(_groups(review, *sides)),
        uncompared=[words(each) for each in review.uncompared],
        findings=[(each.code, words(f"{each.message} ({each.place})")) for each in review.findings],
    )
    return str(made)


class _Side:
    """One edition, and what its text holds at a place."""

    def __init__(self, edition: Edition) -> None:
        self._data: Any = json.loads(edition.text) if edition.text else None

    def excerpt(self, pointer: str | None) -> str | None:
        """Return what stands at a pointer as JSON; ``None`` where there is no such place."""
        if pointer is None or self._data is None:
            return None
        try:
            return bounded(json_text(follow(self._data, f"#{pointer}")), _LONGEST)
        except DanglingReference:
            return None


def _groups(review: Review, base: _Side, target: _Side) -> Iterator[dict[str, Any]]:
    """Yield the open changes of each class, the gravest first, then what is accepted."""
    numbers = iter(range(len(review.verdicts)))
    opened = [each for each in review.verdicts if each.acceptance is None]
    kinds = [(k, [each for each in opened if each.change.klass == k]) for k in CLASSES]
    for kind, verdicts in (*kinds, ("accepted", list(review.accepted))):
        if verdicts:
            yield {
                "id": kind,
                "title": f"{len(verdicts)} {kind}",
                "meaning": _MEANINGS[kind],
                "changes": [_change(each, base, target, next(numbers)) for each in verdicts],
            }


def _change(verdict: Verdict, base: _Side, target: _Side, number: int) -> dict[str, Any]:
    change = verdict.change
    spot, witness = change.spot, change.witness
    owner = f"{spot.server} " if spot.server else ""
    # Of what is gone or new, the other side's pointer leads to the place that held or holds it.
    ours, theirs = change.base, change.target
    is_new = ours is not None and theirs is not None and _holds(ours, theirs)
    is_gone = ours is not None and theirs is not None and _holds(theirs, ours)
    return {
        "id": f"{change.fingerprint}-{number}",
        "klass": change.klass,
        "style": _STYLES[change.klass],
        "code": change.code,
        "server": spot.server,
        "name": witness.tool if witness is not None else spot.name,
        "subject": words(f"{owner}{spot.subject}"),
        "sentence": seen(_sentence(change.sentence)),
        "hint": seen(_sentence(change.hint)) if change.hint else "",
        "witness": None if witness is None else _witness(witness),
        "base": None if is_new else base.excerpt(ours),
        "base_place": _place(verdict.base),
        "target": None if is_gone else target.excerpt(theirs),
        "target_place": _place(verdict.target),
        "levels": sentences.levels(verdict),
        "at": code(verdict.at),
        "fingerprint": change.fingerprint,
        "accepted": paragraphs(sentences.acceptance(verdict)),
    }


def _witness(witness: Witness) -> dict[str, Any]:
    """Return the call that worked and why it is refused, or the result that can come now."""
    (lead, _), (then, reason) = sentences.witness_lines(witness)
    return {
        "lead": f"{lead[:1].upper()}{lead[1:]}:",
        "value": json_text(witness.value),
        "is_call": witness.direction == "input",
        "then": f"{then[:1].upper()}{then[1:]}:",
        "reason": words(reason),
    }


def _place(place: tuple[int, int]) -> str:
    return "" if place == NOWHERE else f"line {place[0]}"


def _holds(outer: str, inner: str) -> bool:
    """Say whether a pointer leads to what another one is inside of, wherever lists have it."""
    around, within = _NUMBERS.sub("/0", outer), _NUMBERS.sub("/0", inner)
    return within.startswith(f"{around}/")


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}{'' if clause.endswith('.') else '.'}"
