"""What changed about the HTTP API behind a server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.breaking.access import auth_changes
from counterfoil.breaking.changes import EVERYONE, PROGRAMS, Change
from counterfoil.breaking.fields import announcement_changes, text_changes
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.parameters import parameter_changes
from counterfoil.breaking.parts import argument_changes
from counterfoil.breaking.surface import Entry
from counterfoil.breaking.tools import schemas_changes
from counterfoil.breaking.walker.scalars import shown
from counterfoil.contract.values import members, text, texts

# What a call of each class can cost, from nothing on.
_COSTS = {"never": 0, "free": 0, "read": 1, "build": 1, "assistant": 1}
_CALLED = ("method", "path")


def route_changes(pair: Pair, base: Entry, target: Entry, today: str) -> Iterator[Change]:
    """Yield the changes of a route that both sides have."""
    for key in _CALLED:
        ours, theirs = pair.base.get(key), pair.target.get(key)
        if ours != theirs:
            what = f"{key} is {shown(theirs)}, was {shown(ours)}"
            yield pair.change(
                "CF444", "breaking", PROGRAMS, what, at=f"/{key}", delta=[ours, theirs]
            )
    yield from auth_changes(pair)
    yield from _class(pair)
    yield from argument_changes(pair, "queryParams", today)
    for key in ("pathParams", "queryParams"):
        yield from parameter_changes(pair, base, target, key, today)
    yield from schemas_changes(pair, base, target, ("body", "response"), today)
    yield from _errors(pair)
    yield from text_changes(pair, {"description": "CF460", "unreadable": "CF464"})
    yield from announcement_changes(pair)


def _class(pair: Pair) -> Iterator[Change]:
    ours, theirs = text(pair.base.get("class")), text(pair.target.get("class"))
    if ours == theirs:
        return
    before, after = _COSTS.get(ours, 1), _COSTS.get(theirs, 1)
    what, delta = f"class is {theirs}, was {ours}", [ours, theirs]
    if after > before:
        yield pair.change("CF442", "breaking", EVERYONE, what, at="/class", delta=delta)
    elif after < before:
        yield pair.change("CF484", "additive", EVERYONE, what, at="/class", delta=delta)
    else:
        yield pair.change("CF464", "behaviour", EVERYONE, what, at="/class", delta=delta)


def _errors(pair: Pair) -> Iterator[Change]:
    """Yield the error codes that a route answers, too, or no longer."""
    ours, theirs = _codes(pair.base.get("errors")), _codes(pair.target.get("errors"))
    if ours == theirs:
        return
    new, gone = sorted(theirs - ours), sorted(ours - theirs)
    words = [f"answers {each}, too" for each in new] + [f"no longer {each}" for each in gone]
    what = "; ".join(words[:5])
    yield pair.change("CF464", "behaviour", PROGRAMS, what, at="/errors", delta=[new, gone])


def _codes(errors: Any) -> set[str]:
    found = members(errors).items()
    return {f"{status} {code}" for status, codes in found for code in texts(codes)}
