"""Values that keep a schema, made from the schema."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from counterfoil.contract.values import is_object
from counterfoil.schema.refs import DanglingReference, follow
from counterfoil.targets.fidelity.strings import described
from counterfoil.targets.models.choices import types_of
from counterfoil.targets.models.conjunctions import merged, without

_FEW = 6
_DEEPEST = 12
_TYPES = ["string", "integer", "object", "array", "boolean", "null", "number"]
_FORMATS = {
    "byte": "aGk=",
    "date": "2024-01-02",
    "date-time": "2024-01-02T03:04:05Z",
    "email": "Foo@EXAMPLE.com",
    "uri": "https://A.example",
    "uuid": "6FA459EA-EE8A-3CA4-894E-DB77E160355E",
}


class Builder:
    """Make values of the schemas inside one schema.

    A value is a guess: conditions such as ``not`` are not solved, so the judge has to look.

    Args:
        root: the schema that references lead into.
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        # By identity; the schema is kept, so that its identity is not another one's later.
        self._known: dict[int, tuple[Any, list[Any]]] = {}

    def values(self, schema: Any, depth: int = 0) -> list[Any]:
        """Return a few values of a schema, the plainest first."""
        if depth > _DEEPEST or schema is False:
            return []
        if not is_object(schema):
            return ["a"]
        if any(each is False for each in schema.get("allOf", ())):
            return []
        if id(schema) not in self._known:
            made = list(itertools.islice(self._all(schema, depth + 1), _FEW))
            self._known[id(schema)] = (schema, made)
        return self._known[id(schema)][1]

    def first(self, schema: Any, depth: int = 0) -> Any:
        """Return the plainest value of a schema, or ``None``."""
        return next(iter(self.values(schema, depth)), None)

    def _all(self, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        if "$ref" in schema:
            yield from self.values(self._followed(schema), depth)
        elif "const" in schema:
            yield schema["const"]
        elif "enum" in schema:
            yield from schema["enum"]
        elif "allOf" in schema:
            yield from self.values(merged([schema], self._followed), depth)
        elif "anyOf" in schema or "oneOf" in schema:
            key = "anyOf" if "anyOf" in schema else "oneOf"
            yield from self._alternatives(without(schema, key), schema[key], depth)
        elif "if" in schema:
            outer = without(schema, "if", "then", "else")
            then = {"allOf": [schema["if"], schema.get("then", True)]}
            yield from self._alternatives(outer, [then, schema.get("else", True)], depth)
        else:
            yield from self._plain(schema, depth)

    def _followed(self, schema: Any) -> Any:
        """Return a schema in which a reference at the top is written out."""
        if not is_object(schema) or "$ref" not in schema:
            return schema
        try:
            target = follow(self.root, schema["$ref"])
        except DanglingReference:
            return without(schema, "$ref")
        return {**target, **without(schema, "$ref")} if is_object(target) else target

    def _alternatives(self, outer: dict[str, Any], members: list[Any], depth: int) -> Iterator[Any]:
        """Yield values of each member together with what stands around it, in turns."""
        whole = [{"allOf": [outer, member]} if outer else member for member in members]
        rows = [self.values(each, depth) for each in whole]
        for turn in itertools.zip_longest(*rows, fillvalue=_NOTHING):
            yield from (value for value in turn if value is not _NOTHING)

    def _plain(self, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        for kind in types_of(schema) or _guessed(schema):
            if kind == "object":
                yield from self._objects(schema, depth)
            elif kind == "array":
                yield from self._arrays(schema, depth)
            elif kind == "string":
                yield from _texts(schema)
            elif kind in ("integer", "number"):
                yield from _numbers(schema, kind)
            else:
                yield {"boolean": True, "null": None}[kind]

    def _objects(self, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        named = schema.get("properties", {})
        choices = {key: made for key in named if (made := self.values(named[key], depth))}
        full = {key: made[0] for key, made in choices.items()}
        extra = schema.get("additionalProperties", True)
        needed = schema.get("required", ())
        least = {key: full[key] if key in full else self.first(extra, depth) for key in needed}
        yield from ({**full, **least, **more} for more in self._more(schema, extra, depth))
        yield {**full, **least}
        yield least
        for turn in range(1, max(map(len, choices.values()), default=1)):
            yield {**least, **{key: made[turn % len(made)] for key, made in choices.items()}}

    def _more(self, schema: dict[str, Any], extra: Any, depth: int) -> Iterator[dict[str, Any]]:
        """Yield members that an object may have besides those that it names."""
        members = [*schema.get("patternProperties", {}).items()]
        members += [] if isinstance(extra, bool) else [("^[a-z]+$", extra)]
        names = schema.get("propertyNames")
        wanted = names.get("pattern") if is_object(names) else None
        size = max(int(schema.get("minProperties", 1)), 1)
        for pattern, member in members:
            for made in self.values(member, depth)[:1]:
                keys = described(wanted or pattern)[:size]
                yield dict.fromkeys(keys, made)

    def _arrays(self, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        head = [self.first(member, depth) for member in schema.get("prefixItems", ())]
        rest = self.values(schema.get("items", True), depth)
        if "contains" in schema:
            both = {"allOf": [schema.get("items", True), schema["contains"]]}
            rest = [*self.values(both, depth)[:1], *rest]
        least = int(schema.get("minItems", 0))
        most = int(schema.get("maxItems", least + 2))
        for length in (max(least, min(most, 1)), least, least + 1):
            if rest:
                yield [*head, *itertools.islice(itertools.cycle(rest), max(length - len(head), 0))]
                yield [rest[0]] * length
        yield head


_NOTHING: Any = object()


def _guessed(schema: dict[str, Any]) -> list[str]:
    """Return the types that the keywords of a schema without types are about."""
    if {"properties", "required", "additionalProperties", "minProperties"} & schema.keys():
        return ["object"]
    if {"items", "prefixItems", "contains", "minItems", "uniqueItems"} & schema.keys():
        return ["array"]
    if {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} & schema.keys():
        return ["integer"]
    return _TYPES


def _texts(schema: dict[str, Any]) -> Iterator[str]:
    least, most = int(schema.get("minLength", 0)), schema.get("maxLength")
    if "pattern" in schema:
        fitting = (
            text
            for text in described(schema["pattern"])
            if least <= len(text) and (most is None or len(text) <= most)
        )
        yield from itertools.islice(fitting, 2)
        return
    base = _FORMATS.get(schema.get("format", ""), "text")
    text = base if len(base) >= least else base + "x" * min(least - len(base), 100_000)
    yield text if most is None else text[: int(most)]


def _numbers(schema: dict[str, Any], kind: str) -> list[Any]:
    """Return numbers at the bounds, those within them before those beyond."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")

    def is_beyond(value: Any) -> bool:
        return (
            (low is not None and value < low)
            or (high is not None and value > high)
            or (above is not None and value <= above)
            or (below is not None and value >= below)
        )

    return sorted(_around_bounds(schema, kind), key=is_beyond)


def _around_bounds(schema: dict[str, Any], kind: str) -> Iterator[Any]:
    step = schema.get("multipleOf", 1)
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    anchors = [each for each in (low, high) if each is not None]
    for anchor in anchors or [0]:
        whole = -(-anchor // step) * step
        yield from (whole, whole + step, whole - step)
        if kind == "number":
            yield from (anchor, anchor + step / 2)
    if low is not None and high is not None:
        yield (low + high) / 2 if kind == "number" else (low + high) // 2
