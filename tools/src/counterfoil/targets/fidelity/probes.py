"""Values to hold a model against its schema: every place of a valid value, made a little wrong."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from counterfoil.contract.canonical import compact
from counterfoil.contract.values import is_array, is_object, members
from counterfoil.schema.refs import DanglingReference, follow
from counterfoil.targets.fidelity.builder import Builder
from counterfoil.targets.fidelity.mutations import MISSING, mutations

Path = tuple[str | int, ...]

_IN_PLACE = ("allOf", "anyOf", "oneOf")
_ONE_IN_PLACE = ("if", "then", "else", "not")
_DEEPEST = 8
_BASES = 6
_PLACES = 240
_MOST = 4000


@dataclass(frozen=True)
class Spot:
    """A place in a value.

    Attributes:
        path: members and indexes that lead to it.
        schemas: the schemas that say something about it.
        value: what stands there, or would.
        above: the schemas of the places above it.
    """

    path: Path
    schemas: tuple[dict[str, Any], ...]
    value: Any
    above: tuple[tuple[dict[str, Any], ...], ...] = ()

    def inner(self, token: str | int, schemas: tuple[dict[str, Any], ...], value: Any) -> Spot:
        """Return a place directly inside this one."""
        return Spot((*self.path, token), schemas, value, (*self.above, self.schemas))


class Probes:
    """Make probes of one schema.

    Args:
        root: the schema.
        examples: values to begin with, valid or not.
    """

    def __init__(self, root: dict[str, Any], examples: Iterable[Any]) -> None:
        self.root = root
        self.builder = Builder(root)
        self.examples = list(examples)
        self._known: dict[tuple[int, ...], tuple[dict[str, Any], ...]] = {}

    def all(self, admits: Callable[[Any], bool]) -> Iterator[tuple[bytes, Any]]:
        """Yield values with their JSON text, each once, at most a few thousand.

        Args:
            admits: says whether a value keeps the schema.
        """
        seen: set[bytes] = set()
        for value in itertools.islice(self._every(admits), 2 * _MOST):
            text = to_json(value)
            if text not in seen:
                seen.add(text)
                yield text, value
            if len(seen) >= _MOST:
                return

    def _every(self, admits: Callable[[Any], bool]) -> Iterator[Any]:
        given = [*self.examples, *self.builder.values(self.root)]
        yield from given
        bases = self._bases([value for value in given if admits(value)])
        done: set[tuple[Any, ...]] = set()
        spots = [list(itertools.islice(self.spots(base), _PLACES)) for base in bases]
        for base, places in zip(bases, spots, strict=True):
            for spot in places:
                shape = (_shape(spot.path), tuple(map(id, spot.schemas)))
                if shape in done:
                    continue
                done.add(shape)
                for value in mutations(spot.value, spot.schemas, self.builder):
                    if spot.path or value is not MISSING:
                        yield put(base, spot.path, value)
        for base, places in zip(bases, spots, strict=True):
            yield from self._second(base, places)

    def _bases(self, valid: list[Any]) -> list[Any]:
        """Return the largest valid value, the smallest, and a few between."""
        ordered = sorted(valid, key=lambda value: (-len(compact(value)), compact(value)))
        if len(ordered) <= _BASES:
            return ordered
        step = (len(ordered) - 1) / (_BASES - 1)
        return [ordered[round(number * step)] for number in range(_BASES)]

    def _second(self, base: Any, spots: list[Spot]) -> Iterator[Any]:
        """Yield values with two changes, where one member decides about another."""
        for spot in spots:
            if not is_object(spot.value) or not any(map(_decides, spot.schemas)):
                continue
            names = sorted({name for each in spot.schemas for name in each.get("properties", {})})
            said = {name: self._of_member(spot, name) for name in names}
            for name in names:
                changes = [{**spot.value, name: each} for each in _constants(said[name])]
                changes.append({key: spot.value[key] for key in spot.value if key != name})
                for changed in changes:
                    for twice in (changed, *self._beside(changed, name, said)):
                        yield put(base, spot.path, twice)

    def _beside(
        self, value: dict[str, Any], name: str, said: dict[str, tuple[dict[str, Any], ...]]
    ) -> Iterator[dict[str, Any]]:
        """Yield an object with one other member taken out, put in, or emptied."""
        for other, schemas in said.items():
            if other == name:
                continue
            if other in value:
                yield {key: value[key] for key in value if key != other}
                yield from ({**value, other: empty} for empty in _emptied(value[other]))
            else:
                made = [each for schema in schemas for each in self.builder.values(schema)]
                yield from ({**value, other: each} for each in made[:2])

    def spots(self, value: Any) -> Iterator[Spot]:
        """Yield every place of a value, and every member that it could have."""
        pending = [Spot((), self._expanded([self.root]), value)]
        while pending:
            spot = pending.pop(0)
            yield spot
            # What a schema says of itself inside itself is looked at once.
            if len(spot.path) < _DEEPEST and spot.above.count(spot.schemas) < 2:
                pending += self._inside(spot)

    def _inside(self, spot: Spot) -> Iterator[Spot]:
        value = spot.value
        if is_object(value):
            named = {name for each in spot.schemas for name in each.get("properties", {})}
            for name in sorted(named | value.keys()):
                schemas = self._of_member(spot, name)
                made = value[name] if name in value else self._made(schemas)
                if made is not MISSING:
                    yield spot.inner(name, schemas, made)
        elif is_array(value):
            for index, item in enumerate(value[:3]):
                yield spot.inner(index, self._of_item(spot, index), item)

    def _made(self, schemas: tuple[dict[str, Any], ...]) -> Any:
        """Return a value for a member that is not there."""
        made = (each for schema in schemas for each in self.builder.values(schema, 6)[:1])
        return next(made, MISSING)

    def _of_member(self, spot: Spot, name: str) -> tuple[dict[str, Any], ...]:
        found: list[Any] = []
        for schema in spot.schemas:
            named = schema.get("properties", {})
            if name in named:
                found.append(named[name])
            else:
                found += schema.get("patternProperties", {}).values()
                found.append(schema.get("additionalProperties"))
        return self._expanded(found)

    def _of_item(self, spot: Spot, index: int) -> tuple[dict[str, Any], ...]:
        found: list[Any] = []
        for schema in spot.schemas:
            first = schema.get("prefixItems", ())
            found.append(first[index] if index < len(first) else schema.get("items"))
            found.append(schema.get("contains"))
        return self._expanded(found)

    def _expanded(self, schemas: list[Any]) -> tuple[dict[str, Any], ...]:
        """Return schemas with those that judge the same value."""
        key = tuple(map(id, schemas))  # parts of the root, which stays as it is
        if key not in self._known:
            self._known[key] = self._expand(schemas)
        return self._known[key]

    def _expand(self, schemas: list[Any]) -> tuple[dict[str, Any], ...]:
        found: dict[int, dict[str, Any]] = {}
        pending = list(schemas)
        while pending:
            schema = pending.pop(0)
            if not is_object(schema) or id(schema) in found:
                continue
            found[id(schema)] = schema
            if isinstance(schema.get("$ref"), str):
                pending.append(self._target(schema["$ref"]))
            pending += [each for key in _IN_PLACE for each in schema.get(key, ())]
            pending += [schema[key] for key in _ONE_IN_PLACE if key in schema]
            pending += schema.get("dependentSchemas", {}).values()
        return tuple(found.values())

    def _target(self, reference: str) -> Any:
        try:
            return follow(self.root, reference)
        except DanglingReference:
            return None


def put(base: Any, path: Path, value: Any) -> Any:
    """Return a copy of a value with another one at a path; ``MISSING`` takes it out."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    gone = value is MISSING and not rest
    if is_array(base) and isinstance(head, int):
        middle = [] if gone else [put(base[head], rest, value)]
        return [*base[:head], *middle, *base[head + 1 :]]
    known = members(base)
    if gone:
        return {key: known[key] for key in known if key != head}
    return {**known, str(head): put(known.get(str(head), {}), rest, value)}


def _shape(path: Path) -> Path:
    return tuple("*" if isinstance(token, int) else token for token in path)


def _decides(schema: dict[str, Any]) -> bool:
    keys = ("anyOf", "dependentRequired", "dependentSchemas", "if", "not", "oneOf")
    return any(key in schema for key in keys)


def _constants(schemas: tuple[dict[str, Any], ...]) -> list[Any]:
    """Return the values that schemas name one by one."""
    found: list[Any] = []
    for schema in schemas:
        named = [schema["const"]] if "const" in schema else schema.get("enum", [])
        found += named if schema.get("type") != "boolean" else [*named, True, False]
    return found[:8]


def _emptied(value: Any) -> list[Any]:
    if is_array(value):
        return [[]] if value else []
    return [0, 1] if isinstance(value, int) and not isinstance(value, bool) else []
