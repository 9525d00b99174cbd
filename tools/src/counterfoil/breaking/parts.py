"""What changed about resources, resource templates and prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.breaking.changes import EVERYONE, PROGRAMS, READERS, Change
from counterfoil.breaking.deprecation import announced
from counterfoil.breaking.fields import (
    TEXTS,
    announcement_changes,
    other_changes,
    text_changes,
)
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.surface import PRIVATE_FIELDS
from counterfoil.breaking.walker.scalars import shown
from counterfoil.contract.values import is_object, items, text
from counterfoil.schema.semantics import equal

_COMPARED = frozenset(
    {"arguments", "deprecated", "description", "mimeType", "name", "title", "uri", "uriTemplate"}
)

# Of arguments; the others only tell their readers something.
_JUDGED = frozenset({"name", "pattern", "required", "schema"})
_NAMING = frozenset({"deprecated", "name", "title"})
_ARGUMENT_CODES = {**TEXTS, "deprecated": "CF467", "whenAbsent": "CF464"}


def resource_changes(pair: Pair) -> Iterator[Change]:
    """Yield the changes of a resource or a template that both sides have."""
    yield from text_changes(pair, {**TEXTS, "name": "CF460"})
    ours, theirs = pair.base.get("mimeType"), pair.target.get("mimeType")
    if ours != theirs:
        at, delta = "/mimeType", [ours, theirs]
        what = f"mimeType is {shown(theirs)}, was {shown(ours)}"
        if ours is None:
            yield pair.change("CF483", "additive", EVERYONE, what, at=at, delta=delta)
        else:
            yield pair.change("CF445", "breaking", EVERYONE, what, at=at, delta=delta)
    if pair.whole:
        yield from announcement_changes(pair)
        yield from text_changes(pair, {"source": "CF464"})
    yield from other_changes(pair, _COMPARED | PRIVATE_FIELDS["resource"])


def prompt_changes(pair: Pair, today: str) -> Iterator[Change]:
    """Yield the changes of a prompt that both sides have."""
    yield from text_changes(pair)
    yield from argument_changes(pair, "arguments", today)
    if pair.whole:
        yield from announcement_changes(pair)
        yield from text_changes(pair, {"messages": "CF464"})
    yield from other_changes(pair, _COMPARED | PRIVATE_FIELDS["prompt"])


def argument_changes(pair: Pair, key: str, today: str) -> Iterator[Change]:
    """Yield the changes of named arguments: of a prompt, or query parameters of a route."""
    ours, theirs = _named(pair.base.get(key)), _named(pair.target.get(key))
    gone, new = sorted(ours.keys() - theirs.keys()), sorted(theirs.keys() - ours.keys())
    successors = _renamed(ours, theirs, gone, new)
    for name in gone:
        yield _gone(pair, key, name, ours[name], successors.get(name, ""), today)
    for name in new:
        if name in successors.values():
            continue
        if theirs[name].get("required"):
            what = f'argument "{name}" is new and required'
            yield _change(pair, key, name, "CF410", what, name)
        else:
            path = f"{key} {name}"
            what = f'argument "{name}" is new'
            yield pair.change("CF481", "additive", EVERYONE, what, at=f"/{key}", path=path)
    for name in sorted(ours.keys() & theirs.keys()):
        yield from _argument(pair, key, name, ours[name], theirs[name])


def _gone(
    pair: Pair, key: str, name: str, argument: Mapping[str, Any], successor: str, today: str
) -> Change:
    announcement = announced(argument)
    if announcement is not None and announcement.due(today):
        what = f'argument "{name}" is gone, as announced for {announcement.date}'
        return pair.change(
            "CF468", "behaviour", EVERYONE, what, at=f"/{key}", path=f"{key} {name}", delta=name
        )
    if successor:
        what, delta = f'argument "{name}" is "{successor}" now', [name, successor]
        return _change(pair, key, name, "CF412", what, delta)
    what = f'argument "{name}" is gone'
    if announcement is not None:
        what += f" before {announcement.date}, the day announced"
    return _change(pair, key, name, "CF411", what, name)


def _argument(
    pair: Pair, key: str, name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> Iterator[Change]:
    before, after = bool(ours.get("required")), bool(theirs.get("required"))
    if after and not before:
        what = f'argument "{name}" is required'
        yield _change(pair, key, name, "CF410", what, [before, after])
    elif before and not after:
        what = f'argument "{name}" is no longer required'
        at, path = f"/{key}", f"{key} {name} required"
        yield pair.change("CF482", "additive", EVERYONE, what, at=at, path=path)
    for field in sorted((ours.keys() | theirs.keys()) - _JUDGED):
        if field in PRIVATE_FIELDS["argument"] and not pair.whole:
            continue
        if not equal(ours.get(field), theirs.get(field)):
            code = _ARGUMENT_CODES.get(field, "CF463")
            what = f'argument "{name}": {field} is {shown(theirs.get(field))}'
            what += f", was {shown(ours.get(field))}" if field in ours else ", there was none"
            path, delta = f"{key} {name} {field}", [ours.get(field), theirs.get(field)]
            yield pair.change(
                code, "behaviour", READERS, what, at=f"/{key}", path=path, delta=delta
            )


def _change(pair: Pair, key: str, name: str, code: str, what: str, delta: Any) -> Change:
    return pair.change(
        code, "breaking", PROGRAMS, what, at=f"/{key}", path=f"{key} {name}", delta=delta
    )


def _named(arguments: Any) -> dict[str, Mapping[str, Any]]:
    return {text(each.get("name")): each for each in items(arguments) if is_object(each)}


def _renamed(
    ours: Mapping[str, Mapping[str, Any]],
    theirs: Mapping[str, Mapping[str, Any]],
    gone: list[str],
    new: list[str],
) -> dict[str, str]:
    """Return arguments that only have another name; a single one that tells the same."""
    found: dict[str, str] = {}
    for name in gone:
        same = [each for each in new if _rest(theirs[each]) == _rest(ours[name])]
        rivals = [each for each in gone if _rest(ours[each]) == _rest(ours[name])]
        if len(same) == 1 and len(rivals) == 1:
            found[name] = same[0]
    return found


def _rest(argument: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in argument.items() if key not in _NAMING}
    return {**kept, "required": bool(argument.get("required"))}
