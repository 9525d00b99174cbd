"""Whether two JSON schemas say the same, whatever way they are written.

Two schemas are the same when they differ only in key order, in the order of ``required``,
``enum`` and ``type``, in spelled-out defaults, in ``$ref`` against its target in place, or in
ways that a containment engine proves to admit the same values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from counterfoil.contract.canonical import compact
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object
from counterfoil.schema.keywords import LIST, MAP, ONE
from counterfoil.schema.refs import DanglingReference, follow

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ANNOTATIONS = frozenset(
    {"default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"}
)
# Values that say what leaving the keyword out says, too.
_IDLE: Mapping[str, tuple[Any, ...]] = {
    "additionalProperties": (True, {}),
    "dependentRequired": ({},),
    "deprecated": (False,),
    "items": (True, {}),
    "minItems": (0,),
    "minLength": (0,),
    "minProperties": (0,),
    "patternProperties": ({},),
    "prefixItems": ([],),
    "properties": ({},),
    "propertyNames": (True, {}),
    "readOnly": (False,),
    "required": ([],),
    "unevaluatedItems": (True, {}),
    "unevaluatedProperties": (True, {}),
    "uniqueItems": (False,),
    "writeOnly": (False,),
}
_UNSEEN = frozenset({"$comment", "$defs", "definitions"})


@dataclass(frozen=True)
class Difference:
    """One place where two schemas say different things.

    Attributes:
        pointer: into the first schema, as its author would look for it.
        what: a clause such as ``"minimum is 1 here and 2 there"``.
    """

    pointer: str
    what: str


def differences(ours: Any, theirs: Any) -> list[Difference]:
    """Return where two schemas say different things; none means that they are the same."""
    found = list(_Comparison(ours, theirs).compare(ours, theirs, ""))
    keywords = [each for each in found if _keyword(each.pointer) not in _ANNOTATIONS]
    if keywords and _same_values(ours, theirs):
        return [each for each in found if each not in keywords]
    return found


def equal(left: Any, right: Any) -> bool:
    """Say whether two JSON values are equal: ``1`` is ``1.0`` and is not ``true``."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if is_object(left) and is_object(right):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if is_array(left) and is_array(right):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def _keyword(pointer: str) -> str:
    return pointer.rpartition("/")[2]


def _same_values(ours: Any, theirs: Any) -> bool:
    """Say whether the containment engine proves that both admit the same values."""
    try:
        left = jsonschema_rs.canonicalize(ours, offline=True)
        right = jsonschema_rs.canonicalize(theirs, offline=True)
        return bool(left == right or (_covers(left, right) and _covers(right, left)))
    except (ValueError, jsonschema_rs.ReferencingError):
        return False


def _covers(left: Any, right: Any) -> bool:
    return bool(left.covers(right) is jsonschema_rs.canonical.Containment.YES)


class _Comparison:
    def __init__(self, our_root: Any, their_root: Any) -> None:
        self._ours = our_root
        self._theirs = their_root
        self._seen: set[tuple[int, int]] = set()

    def compare(self, ours: Any, theirs: Any, pointer: str) -> Iterator[Difference]:
        pair = (id(ours), id(theirs))
        if pair in self._seen:
            return
        self._seen.add(pair)
        left, right = _plain(ours, self._ours), _plain(theirs, self._theirs)
        if isinstance(left, bool) or isinstance(right, bool):
            if left is not right:
                yield Difference(pointer, f"{_shown(ours)} here and {_shown(theirs)} there")
            return
        for keyword in sorted(left.keys() | right.keys()):
            yield from self._keyword(keyword, left, right, f"{pointer}/{escape(keyword)}")

    def _keyword(
        self, keyword: str, left: dict[str, Any], right: dict[str, Any], at: str
    ) -> Iterator[Difference]:
        if keyword not in right:
            yield Difference(at, f"{keyword} is {_shown(left[keyword])} here and missing there")
            return
        if keyword not in left:
            yield Difference(at, f"{keyword} is missing here and {_shown(right[keyword])} there")
            return
        ours, theirs = left[keyword], right[keyword]
        if keyword in ONE:
            yield from self.compare(ours, theirs, at)
        elif keyword in MAP and is_object(ours) and is_object(theirs):
            yield from self._map(ours, theirs, at)
        elif keyword in LIST and is_array(ours) and is_array(theirs) and len(ours) == len(theirs):
            for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
                yield from self.compare(one, other, f"{at}/{index}")
        elif not equal(_ordered(keyword, ours), _ordered(keyword, theirs)):
            yield Difference(at, f"{keyword} is {_shown(ours)} here and {_shown(theirs)} there")

    def _map(self, ours: dict[str, Any], theirs: dict[str, Any], at: str) -> Iterator[Difference]:
        for name in sorted(ours.keys() | theirs.keys()):
            spot = f"{at}/{escape(name)}"
            if name not in theirs:
                yield Difference(spot, f'"{name}" is here and missing there')
            elif name not in ours:
                yield Difference(spot, f'"{name}" is missing here and there is one there')
            else:
                yield from self.compare(ours[name], theirs[name], spot)


def _plain(node: Any, root: Any) -> Any:
    """Return a node with its reference in place and without what changes nothing."""
    if isinstance(node, bool):
        return node
    if not is_object(node):
        return {"": node}
    result = dict(node)
    visited: set[str] = set()
    while isinstance(result.get("$ref"), str) and result["$ref"] not in visited:
        visited.add(result["$ref"])
        try:
            target = follow(root, result["$ref"])
        except DanglingReference:
            break
        if not is_object(target) or not _mergeable(result, target):
            break
        reference = {key: value for key, value in result.items() if key != "$ref"}
        result = {**target, **reference}
    kept = {key: value for key, value in result.items() if key not in _UNSEEN}
    if kept.get("$schema") == _DIALECT:
        del kept["$schema"]
    plain = {key: value for key, value in kept.items() if not _idle(key, value)}
    return plain or True


def _mergeable(node: dict[str, Any], target: dict[str, Any]) -> bool:
    """Say whether a reference's siblings only annotate its target or repeat it."""
    return all(
        key in _ANNOTATIONS
        or key in _UNSEEN
        or key in ("$ref", "$schema")
        or (key in target and equal(target[key], value))
        for key, value in node.items()
    )


def _idle(keyword: str, value: Any) -> bool:
    return any(equal(value, idle) for idle in _IDLE.get(keyword, ()))


def _ordered(keyword: str, value: Any) -> Any:
    if keyword == "type":
        return sorted(value, key=compact) if is_array(value) else [value]
    if keyword in ("enum", "required") and is_array(value):
        return sorted(value, key=compact)
    if keyword == "dependentRequired" and is_object(value):
        return {key: _ordered("required", names) for key, names in value.items()}
    return value


def _shown(value: Any, limit: int = 80) -> str:
    text = compact(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
