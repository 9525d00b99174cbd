"""Views of arrays and objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

import jsonschema_rs

from counterfoil.contract.values import is_array, is_object
from counterfoil.targets.models.places import Place
from counterfoil.targets.models.prose import defaulted, documented
from counterfoil.targets.models.rules import both

# Of ASCII only: what else Python takes for a letter differs between its versions.
_IDENTIFIER = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_NULL: dict[str, Any] = {"type": "null"}


@dataclass(frozen=True)
class Split:
    """A schema in two parts.

    Attributes:
        view: what types can say; ``{}`` is anything.
        rest: the rule that is left over; ``{}`` is nothing, ``False`` refuses everything.
    """

    view: dict[str, Any]
    rest: Any


class Splitter(Protocol):
    """What splits the schemas inside an array or object."""

    def place(self, schema: Any, place: Place, *, inline: bool = False) -> Split:
        """Split a schema and put what needs a name under it."""
        ...

    def rule(self, schema: Any) -> Any:
        """Return a schema as a rule that stands on its own."""
        ...

    def admits(self, schema: Any, value: Any) -> bool:
        """Say whether a value keeps a schema."""
        ...


def items(splitter: Splitter, schema: dict[str, Any], place: Place) -> Split:
    """Split an array."""
    view: dict[str, Any] = {"type": "array", **_counts(schema, "maxItems", "minItems")}
    keys = ["contains", "maxContains", "minContains"]
    if schema.get("uniqueItems"):
        keys.append("uniqueItems")
    rest: Any = {}
    if "prefixItems" in schema:
        view |= _positions(splitter, schema, place)
        keys += ["items", "prefixItems"]
    else:
        inner = schema.get("items", True)
        made = splitter.place(inner, place.inner(inner, "Item"))
        view["items"] = made.view
        rest = {} if made.rest == {} else {"items": made.rest}
    left = splitter.rule({key: schema[key] for key in keys if key in schema})
    return Split({**view, **documented(schema)}, both(rest, left))


def _positions(splitter: Splitter, schema: dict[str, Any], place: Place) -> dict[str, Any]:
    """Return a view of items that are different by position."""
    members = list(schema["prefixItems"])
    tail = schema.get("items", True)
    made = [
        splitter.place(member, place.inner(member, f"Item{number}")).view
        for number, member in enumerate(members, start=1)
    ]
    if tail is False:
        longest = min(len(members), int(schema.get("maxItems", len(members))))
        return {"items": union(made), "maxItems": longest}
    return {"items": union([*made, splitter.place(tail, place.inner(tail, "Item")).view])}


def mapping(splitter: Splitter, schema: dict[str, Any], place: Place) -> Split:
    """Split an object that names none of its members."""
    view: dict[str, Any] = {"type": "object"}
    value = schema.get("additionalProperties", True)
    # The generator forgets the size of a map that stands beside null.
    keys = ["maxProperties", "minProperties", "required"]
    rest: Any = {}
    if "patternProperties" in schema:
        members = [*schema["patternProperties"].values(), *([] if value is False else [value])]
        made = [
            splitter.place(member, place.inner(member, f"Value{number}")).view
            for number, member in enumerate(members, start=1)
        ]
        view["additionalProperties"] = union(made) or True
        keys += ["additionalProperties", "patternProperties"]
    else:
        inner = splitter.place(value, place.inner(value, "Value"))
        view["additionalProperties"] = inner.view or True
        rest = {} if inner.rest == {} else {"additionalProperties": inner.rest}
    left = splitter.rule({key: schema[key] for key in keys if key in schema})
    return Split({**view, **documented(schema)}, both(rest, left))


def members(splitter: Splitter, schema: dict[str, Any], place: Place) -> Split:
    """Split an object that names its members: the view of a class."""
    named = schema.get("properties", {})
    needed = schema.get("required", ())
    within = Place(place.name)
    made = {key: _member(splitter, named[key], key, within) for key in _ordered(named)}
    properties = {key: each.view for key, each in made.items() if each.rest is not False}
    rests = {key: each.rest for key, each in made.items() if each.rest != {}}
    beyond = [key for key in needed if key not in properties]
    view: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "additionalProperties": not is_closed(schema),
    }
    if len(beyond) < len(needed):
        view["required"] = [key for key in needed if key in properties]
    rest = both(
        {"properties": rests} if rests else {},
        {"required": beyond} if beyond else {},
        _counts(schema, "maxProperties", "minProperties"),
        splitter.rule(_others(schema)),
    )
    return Split({**view, **documented(schema)}, rest)


def _member(splitter: Splitter, schema: Any, key: str, place: Place) -> Split:
    """Split one named member, with its default."""
    made = splitter.place(schema, place.inner(schema, key), inline=True)
    if not is_object(schema):
        return made
    view = {**made.view, **documented(schema)}
    if "default" in schema and splitter.admits(schema, schema["default"]):
        if _is_plain(schema["default"]):
            view["default"] = _whole(schema["default"], made.view)
        else:
            view |= documented(schema, defaulted(schema["default"]))
    return Split(view, made.rest)


def _others(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema asks of members that it does not name."""
    keys = [key for key in ("additionalProperties", "patternProperties") if key in schema]
    if not keys or (keys == ["additionalProperties"] and isinstance(schema[keys[0]], bool)):
        return {}
    named = dict.fromkeys(schema.get("properties", {}), True)
    return {"properties": named, **{key: schema[key] for key in keys}}


def _is_plain(value: Any) -> bool:
    """Say whether a default can stand in code: no object becomes an instance by itself."""
    if is_object(value):
        return not value
    return not is_array(value) or not any(isinstance(each, dict | list) for each in value)


def _whole(value: Any, view: dict[str, Any]) -> Any:
    return int(value) if isinstance(value, float) and view.get("type") == "integer" else value


def admits(schema: Any, root: dict[str, Any], value: Any) -> bool:
    """Say whether a value keeps a schema whose references lead into ``root``."""
    whole = {"$defs": {**root.get("$defs", {}), "_place": schema}, "$ref": "#/$defs/_place"}
    try:
        return bool(jsonschema_rs.is_valid(whole, value))
    except ValueError:
        return False


def _beside_null(view: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the view of a nullable value as two."""
    if not is_array(view.get("type")):
        return [view]
    return [{**view, "type": view["type"][0]}, _NULL]


def is_class(view: dict[str, Any]) -> bool:
    """Say whether a view is that of a class."""
    return "properties" in view


def is_closed(schema: dict[str, Any]) -> bool:
    """Say whether an object takes no members but those that it names."""
    return schema.get("additionalProperties") is False and "patternProperties" not in schema


def union(views: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the view of what is one of several things."""
    flat = [
        {key: member[key] for key in member if key != "description"}
        for each in views
        for whole in each.get("anyOf", [each])
        for member in _beside_null(whole)
    ]
    if {} in flat:
        return {}
    several = [each for number, each in enumerate(flat) if each not in flat[:number]]
    if len(several) < 2:
        return several[0] if several else {}
    if len(several) == 2 and _NULL in several:
        other = several[0] if several[1] == _NULL else several[1]
        # The generator types the values of a map only where null stands apart.
        if isinstance(other.get("type"), str) and other["type"] != "object":
            return {**other, "type": [other["type"], "null"]}
    return {"anyOf": several}


def _ordered(named: dict[str, Any]) -> list[str]:
    """Return member names, those that Python can use first, so that they keep their spelling."""
    return sorted(named, key=lambda name: not _IDENTIFIER.fullmatch(name))


def _counts(schema: dict[str, Any], *keys: str) -> dict[str, int]:
    return {key: int(schema[key]) for key in keys if key in schema}
