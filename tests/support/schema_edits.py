"""Random schemas, random edits of them, and what callers may be expected to send."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "kind")
PATTERNS = ("^[a-z]+$", "^a", "[0-9]$", "^(?:x|yy)$", "^.{2,3}$")
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 6), st.sampled_from(["", "a", "bb", "x1"]),
    st.sampled_from([0.5, 1.5, 2.0]),
)  # fmt: skip
SMALL = st.integers(0, 3)


@st.composite
def scalars(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["string", "integer", "number", "boolean", "null", "several"]))
    if kind == "several":
        some = st.sampled_from(["string", "integer", "null", "boolean"])
        return {"type": draw(st.lists(some, min_size=1, max_size=3, unique=True))}
    made: dict[str, Any] = {"type": kind}
    if kind == "string":
        keys = {
            "minLength": SMALL,
            "maxLength": st.integers(2, 5),
            "pattern": st.sampled_from(PATTERNS),
        }
    elif kind in ("integer", "number"):
        keys = {
            "minimum": st.integers(-3, 2), "maximum": st.integers(2, 6),
            "exclusiveMinimum": st.integers(-3, 2), "exclusiveMaximum": st.integers(3, 6),
            "multipleOf": st.sampled_from([1, 2, 3, 0.5]),
        }  # fmt: skip
    else:
        keys = {}
    for key, values in keys.items():
        if draw(st.integers(0, 3)) == 0:
            made[key] = draw(values)
    return made


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
    made: dict[str, Any] = {"type": "object", "properties": {name: draw(inner) for name in names}}
    if names and draw(st.booleans()):
        made["required"] = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    for key, values in {
        "additionalProperties": st.one_of(st.booleans(), inner),
        "dependentRequired": st.just({"a": ["b"]}),
        "dependentSchemas": st.fixed_dictionaries({"a": inner}),
        "maxProperties": st.integers(1, 4),
        "minProperties": SMALL,
        "patternProperties": st.fixed_dictionaries({"^x": inner}),
        "propertyNames": st.just({"maxLength": 4}),
        "unevaluatedProperties": st.just(False),
    }.items():
        if draw(st.integers(0, 7)) == 0:
            made[key] = draw(values)
    return made


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "array"}
    for key, values in {
        "contains": inner,
        "items": inner,
        "maxContains": st.integers(1, 2),
        "maxItems": st.integers(1, 4),
        "minContains": SMALL,
        "minItems": SMALL,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "unevaluatedItems": st.just(False),
        "uniqueItems": st.booleans(),
    }.items():
        if draw(st.integers(0, 3 if key == "items" else 6)) == 0:
            made[key] = draw(values)
    return made


@st.composite
def composed(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    kind = draw(st.sampled_from(["anyOf", "oneOf", "allOf", "not", "if", "enum", "const", "$ref"]))
    if kind in ("anyOf", "oneOf", "allOf"):
        return {kind: draw(st.lists(inner, min_size=1, max_size=3))}
    if kind == "not":
        return {"not": draw(inner)}
    if kind == "if":
        return {"if": draw(inner), "then": draw(inner), "else": draw(inner)}
    if kind == "enum":
        return {"enum": draw(st.lists(SCALARS, min_size=1, max_size=4, unique_by=repr))}
    return {"const": draw(SCALARS)} if kind == "const" else {"$ref": "#/$defs/D"}


def parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(scalars(), scalars(), objects(inner), arrays(inner), composed(inner))


SCHEMAS = st.recursive(st.one_of(scalars(), st.booleans()), parts, max_leaves=6)


@st.composite
def roots(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a schema of arguments; what ``#/$defs/D`` leads to is there."""
    made = draw(objects(SCHEMAS))
    made["$defs"] = {"D": draw(st.one_of(scalars(), objects(scalars())))}
    return made


def places(schema: Any, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return every object in a schema that is one itself."""
    if isinstance(schema, dict):
        found.append(schema)
        for key, value in schema.items():
            if key in ("properties", "patternProperties", "dependentSchemas", "$defs"):
                for each in value.values():
                    places(each, found)
            elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
                for each in value:
                    places(each, found)
            elif isinstance(value, dict) and key not in ("dependentRequired", "const"):
                places(value, found)
    return found


@st.composite
def edited(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Draw the schema with one or two places changed."""
    made = copy.deepcopy(schema)
    for _ in range(draw(st.integers(1, 2))):
        spot = draw(st.sampled_from(places(made, [])))
        ways = ["merge"]
        ways += ["drop"] * (len(spot) > 1) + ["list"] * 2 * ("enum" in spot)
        ways += ["member"] * ("properties" in spot)
        ways += ["drop member", "replace"] * bool(spot.get("properties"))
        how = draw(st.sampled_from(ways))
        properties = spot.get("properties", {})
        if how == "drop" and len(spot) > 1:
            key = draw(st.sampled_from(sorted(set(spot) - {"$defs"}) or [""]))
            spot.pop(key, None)
        elif how == "merge":
            other = draw(SCHEMAS)
            spot.update(other if isinstance(other, dict) else {})
        elif how == "member" and "properties" in spot:
            properties[draw(st.sampled_from(NAMES))] = draw(SCHEMAS)
        elif how == "drop member" and properties:
            name = draw(st.sampled_from(sorted(properties)))
            del properties[name]
        elif how == "list" and "enum" in spot:
            spot["enum"] = draw(st.lists(SCALARS, min_size=1, max_size=4, unique_by=repr))
        elif how == "replace" and properties:
            properties[draw(st.sampled_from(sorted(properties)))] = draw(SCHEMAS)
    made.setdefault("$defs", schema["$defs"])
    made["type"] = "object"
    return made


def expected(value: Any, schema: Any, root: Any, top: bool = True) -> Any:
    """Return a value without the members that nobody would send: those that nothing names.

    An object schema without names is a map, whose members are all its own; the root is none.
    """
    here = list(_here(schema, root, 0))
    if isinstance(value, list):
        inner: list[Any] = []
        for index, each in enumerate(value):
            at = [one for one in here if isinstance(one, dict)]
            below = [
                one["prefixItems"][index] for one in at if index < len(one.get("prefixItems", ()))
            ]
            below += [one[key] for one in at for key in ("items", "contains") if key in one]
            inner.append(expected(each, {"allOf": below}, root, False))
        return inner
    if not isinstance(value, dict):
        return value
    named: dict[str, list[Any]] = {}
    free, patterned = not top, False
    for one in here:
        if isinstance(one, dict):
            free = free and "properties" not in one
            for name, each in one.get("properties", {}).items():
                named.setdefault(name, []).append(each)
            for key in ("additionalProperties", "unevaluatedProperties"):
                free = free or (isinstance(one.get(key), dict) and bool(one[key]))
            patterned = patterned or "patternProperties" in one
    return {
        name: expected(each, {"allOf": named.get(name, [])}, root, False)
        for name, each in value.items()
        if free or name in named or (patterned and name.startswith("x"))
    }


def _here(schema: Any, root: Any, depth: int) -> Any:
    yield schema
    if not isinstance(schema, dict) or depth > 8:
        return
    below = [each for key in ("allOf", "anyOf", "oneOf") for each in schema.get(key, ())]
    below += [schema[key] for key in ("if", "then", "else", "not") if key in schema]
    below += list(schema.get("dependentSchemas", {}).values())
    if schema.get("$ref") == "#/$defs/D":
        below.append(root["$defs"]["D"])
    for each in below:
        yield from _here(each, root, depth + 1)


@st.composite
def sampled(draw: st.DrawFn, schema: Any, root: Any, depth: int = 0) -> Any:
    """Draw a value that a schema may well take; whoever draws it has it judged."""
    if not isinstance(schema, dict) or depth > 6 or draw(st.integers(0, 19)) == 0:
        return draw(SCALARS)
    here = [one for one in _chosen(draw, schema, root, 0) if isinstance(one, dict)]
    merged: dict[str, Any] = {}
    for one in here:
        merged = {**merged, **one}
    if "const" in merged:
        return merged["const"]
    if "enum" in merged:
        return draw(st.sampled_from(merged["enum"]))
    kinds = merged.get("type", ["string", "integer", "object", "array", "null", "number"])
    kind = draw(st.sampled_from(kinds)) if isinstance(kinds, list) else kinds
    if kind == "object":
        return draw(_members(here, root, depth))
    if kind == "array":
        prefix = merged.get("prefixItems", [])
        rest = [merged[key] for key in ("items", "contains") if key in merged] or [True]
        count = draw(st.integers(0, 4))
        return [
            draw(
                sampled(
                    prefix[at] if at < len(prefix) else draw(st.sampled_from(rest)), root, depth + 1
                )
            )
            for at in range(count)
        ]
    plain = {
        "string": st.sampled_from(["", "a", "bb", "x1", "yy", "abc", "ab1", "1", "x", "aaaa"]),
        "integer": st.integers(-4, 8),
        "number": st.sampled_from([-2.5, -1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5.5, 6, 7]),
        "boolean": st.booleans(),
        "null": st.none(),
    }
    return draw(plain[kind])


def _chosen(draw: st.DrawFn, schema: Any, root: Any, depth: int) -> Any:
    """Yield the schemas that hold in one place, one branch of each choice."""
    yield schema
    if not isinstance(schema, dict) or depth > 5:
        return
    below = list(schema.get("allOf", ()))
    below += [draw(st.sampled_from(schema[key])) for key in ("anyOf", "oneOf") if schema.get(key)]
    if "if" in schema:
        first = draw(st.booleans())
        below += [schema["if"], schema.get("then", True)] if first else [schema.get("else", True)]
    if schema.get("$ref") == "#/$defs/D":
        below.append(root["$defs"]["D"])
    for each in below:
        yield from _chosen(draw, each, root, depth + 1)


@st.composite
def _members(draw: st.DrawFn, here: list[dict[str, Any]], root: Any, depth: int) -> dict[str, Any]:
    known: dict[str, Any] = {}
    needed: set[str] = set()
    for one in here:
        known |= one.get("properties", {})
        needed |= set(one.get("required", ()))
        for each in one.get("dependentSchemas", {}).values():
            known |= each.get("properties", {}) if isinstance(each, dict) else {}
    others = next(
        (one["additionalProperties"] for one in here if "additionalProperties" in one), True
    )
    names = set(draw(st.lists(st.sampled_from([*NAMES, "x1"]), max_size=3, unique=True))) | needed
    names |= set(known) if draw(st.integers(0, 3)) == 0 else set()
    return {name: draw(sampled(known.get(name, others), root, depth + 1)) for name in sorted(names)}
