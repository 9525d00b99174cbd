"""Whether two JSON schemas say the same, whatever way they are written.

Two schemas are the same when they differ only in key order, in the order of ``required``,
``enum`` and ``type``, in spelled-out defaults, in ``$ref`` against its target in place, or in
ways that a containment engine proves to admit the same values. What a schema tells its readers
beside the values that it admits never counts as the same because the values are: a model reads
every text in a schema, wherever it stands.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jsonschema_rs

from counterfoil.contract.canonical import compact
from counterfoil.contract.excerpts import bounded, contrasted
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object, members
from counterfoil.schema.keywords import LIST, MAP, ONE
from counterfoil.schema.refs import DanglingReference, follow, unescape
from counterfoil.schema.walk import children, subschemas

_LONGEST = 80  # characters of a value in a sentence
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
_DEFINING = frozenset({"$defs", "definitions"})
_UNSEEN = _DEFINING | {"$comment"}
# Keywords that only assert: JSON Schema 2020-12, vocabularies validation and applicator.
# `format` and the content keywords annotate; what is not listed is unknown.
_ASSERTIONS = frozenset(
    {
        "const", "dependentRequired", "enum", "exclusiveMaximum", "exclusiveMinimum", "maxContains",
        "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
        "minProperties", "minimum", "multipleOf", "pattern", "required", "type", "uniqueItems",
    }
)  # fmt: skip
_APPLICATORS = (ONE | LIST | MAP) - {"contentSchema"}
# Keywords whose strings are names out of closed sets, or places.
_WORDLESS = frozenset({"$ref", "$schema", "type"})
_PLAIN_NAME = re.compile(r"[\w.\-\[\]]{1,64}", re.ASCII)


@dataclass(frozen=True)
class Difference:
    """One place where two schemas say different things.

    Attributes:
        pointer: into the first schema, as its author would look for it.
        what: a clause such as ``"minimum is 1 here and 2 there"``.
    """

    pointer: str
    what: str


@dataclass(frozen=True)
class _Gap(Difference):
    """A difference with what stands on both sides of it.

    Attributes:
        pure: whether both sides hold nothing but assertions about values.
        told: the texts on the second side.
    """

    pure: bool = False
    told: frozenset[str] = field(default_factory=frozenset[str])


def differences(ours: Any, theirs: Any) -> list[Difference]:
    """Return where two schemas say different things; none means that they are the same.

    Texts that only the second schema holds are differences even where no value comes to them:
    in comments, in definitions that nothing refers to, beside a reference that hides them.
    """
    gaps = list(_Comparison(ours, theirs).compare(ours, theirs, ""))
    if any(gap.pure for gap in gaps) and _same_values(ours, theirs):
        gaps = [gap for gap in gaps if not gap.pure]
    told = frozenset[str]().union(*(gap.told for gap in gaps))
    hidden = sorted(_texts(theirs) - _texts(ours) - told)
    return [
        *(Difference(gap.pointer, gap.what) for gap in gaps),
        *(Difference("", f"{_shown(text)} is nowhere here and is there") for text in hidden),
    ]


def equal(left: Any, right: Any) -> bool:
    """Say whether two JSON values are equal: ``1`` is ``1.0`` and is not ``true``."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if is_object(left) and is_object(right):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if is_array(left) and is_array(right):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def _texts(schema: Any) -> frozenset[str]:
    """Return every text that a reader of a schema comes across, used by a validator or not."""
    found: set[str] = set()
    for _, node in subschemas(schema):
        for keyword, value in members(node).items():
            if keyword in _DEFINING and is_object(value):
                found.update(name for name in value if not _PLAIN_NAME.fullmatch(name))
            elif keyword in MAP and is_object(value):
                found.update(value)
            elif keyword not in _WORDLESS and not _holds_schemas(keyword, value):
                found.update(_strings(value))
                if not _known(keyword):
                    found.add(keyword)
    return frozenset(found | _unreached(schema))


def _unreached(schema: Any) -> set[str]:
    """Return the names of the definitions that nothing refers to."""
    defined = {
        pointer
        for at, node in subschemas(schema)
        for pointer, _ in children(members(node), at)
        if _defines(pointer[len(at) :])
    }
    pending: list[Any] = [schema]
    reached: set[str] = set()
    while pending:
        node = members(pending.pop())
        pending += [child for pointer, child in children(node) if not _defines(pointer)]
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in reached:
            reached.add(reference)
            with contextlib.suppress(DanglingReference):
                pending.append(follow(schema, reference))
    spots = {f"{reference[1:]}/" for reference in reached}
    return {
        unescape(pointer.rpartition("/")[2])
        for pointer in defined
        if not any(spot.startswith(f"{pointer}/") for spot in spots)
    }


def _defines(pointer: str) -> bool:
    return pointer.split("/")[1] in _DEFINING


def _holds_schemas(keyword: str, value: Any) -> bool:
    if keyword in ONE:
        return is_object(value) or isinstance(value, bool)
    return keyword in LIST and is_array(value)


def _known(keyword: str) -> bool:
    return keyword in _ASSERTIONS | _APPLICATORS | _ANNOTATIONS | _UNSEEN


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings and the names in a JSON value."""
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            yield node
        elif is_array(node):
            pending.extend(node)
        elif is_object(node):
            yield from node
            pending.extend(node.values())


def _pure(schemas: Iterable[Any], root: Any) -> bool:
    """Say whether schemas, with all that they refer to, hold nothing but assertions."""
    pending = list(schemas)
    followed: set[str] = set()
    while pending:
        for _, node in subschemas(pending.pop()):
            for keyword, value in members(node).items():
                if keyword == "$ref" and isinstance(value, str):
                    if value in followed:
                        continue
                    followed.add(value)
                    try:
                        pending.append(follow(root, value))
                    except DanglingReference:
                        return False
                elif not _asserts(keyword, value):
                    return False
    return True


def _asserts(keyword: str, value: Any) -> bool:
    if keyword in _APPLICATORS:
        return _holds_schemas(keyword, value) or (keyword in MAP and is_object(value))
    return keyword in _ASSERTIONS


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

    def compare(self, ours: Any, theirs: Any, pointer: str) -> Iterator[_Gap]:
        pair = (id(ours), id(theirs))
        if pair in self._seen:
            return
        self._seen.add(pair)
        left, right = _plain(ours, self._ours), _plain(theirs, self._theirs)
        if isinstance(left, bool) or isinstance(right, bool):
            if left is not right:
                what = f"{_shown(ours)} here and {_shown(theirs)} there"
                yield self._gap(pointer, what, [ours], [theirs])
            return
        for keyword in sorted(left.keys() | right.keys()):
            yield from self._keyword(keyword, left, right, f"{pointer}/{escape(keyword)}")

    def _keyword(
        self, keyword: str, left: dict[str, Any], right: dict[str, Any], at: str
    ) -> Iterator[_Gap]:
        mine = [{keyword: left[keyword]}] if keyword in left else []
        other = [{keyword: right[keyword]}] if keyword in right else []
        if not other:
            what = f"{keyword} is {_shown(left[keyword])} here and missing there"
            yield self._gap(at, what, mine, other)
            return
        if not mine:
            what = f"{keyword} is missing here and {_shown(right[keyword])} there"
            yield self._gap(at, what, mine, other)
            return
        ours, theirs = left[keyword], right[keyword]
        if keyword in ONE:
            yield from self.compare(ours, theirs, at)
        elif keyword == "$ref" and (targets := self._targets(ours, theirs)):
            yield from self.compare(*targets, at)
        elif keyword in MAP and is_object(ours) and is_object(theirs):
            yield from self._map(ours, theirs, at)
        elif keyword in LIST and is_array(ours) and is_array(theirs) and len(ours) == len(theirs):
            for index, (one, another) in enumerate(zip(ours, theirs, strict=True)):
                yield from self.compare(one, another, f"{at}/{index}")
        elif not equal(_ordered(keyword, ours), _ordered(keyword, theirs)):
            one, another = contrasted(compact(ours), compact(theirs), _LONGEST)
            what = f"{keyword} is {one} here and {another} there"
            yield self._gap(at, what, mine, other)

    def _map(self, ours: dict[str, Any], theirs: dict[str, Any], at: str) -> Iterator[_Gap]:
        for name in sorted(ours.keys() | theirs.keys()):
            spot = f"{at}/{escape(name)}"
            if name not in theirs:
                what = f'"{name}" is here and missing there'
                yield self._gap(spot, what, [ours[name]], [])
            elif name not in ours:
                what = f'"{name}" is missing here and there is one there'
                gap = self._gap(spot, what, [], [theirs[name]])
                yield replace(gap, told=gap.told | {name})
            else:
                yield from self.compare(ours[name], theirs[name], spot)

    def _targets(self, ours: Any, theirs: Any) -> tuple[Any, Any] | None:
        """Return where references lead that are not in place, since they have siblings."""
        if not isinstance(ours, str) or not isinstance(theirs, str):
            return None
        try:
            return follow(self._ours, ours), follow(self._theirs, theirs)
        except DanglingReference:
            return None

    def _gap(self, pointer: str, what: str, ours: list[Any], theirs: list[Any]) -> _Gap:
        pure = _pure(ours, self._ours) and _pure(theirs, self._theirs)
        told = frozenset[str]().union(*map(_texts, theirs))
        return _Gap(pointer, what, pure, told)


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


def _shown(value: Any) -> str:
    return bounded(compact(value), _LONGEST)
