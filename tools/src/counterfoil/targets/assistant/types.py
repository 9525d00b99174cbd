"""TypeScript types from JSON Schema 2020-12.

A type here never refuses a value that its schema accepts. What the language cannot say
(patterns, bounds, exclusive choices, conditions) is left to comments, so a type may accept
more than its schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from counterfoil.contract.values import items, members, texts
from counterfoil.targets.assistant.comments import schema_comment
from counterfoil.targets.assistant.expression import (
    NEVER,
    UNDEFINED,
    UNKNOWN,
    Expression,
    after,
    array,
    indented,
    intersection,
    key,
    literal,
    union,
)

ALL = ("string", "number", "boolean", "null", "array", "object")
_SIMPLE = frozenset({"boolean", "null", "number", "string"})
_SHAPING = frozenset(
    {"additionalProperties", "items", "patternProperties", "prefixItems", "properties", "required"}
)
_OPEN = Expression("{ [key: string]: unknown }")

# Gives the name of the type that a reference leads to; told whether an object or list stands
# between the type that is being made and the reference.
Refer = Callable[[str, bool], str]


class TypeMaker:
    """Make the types of one schema and all that is inside it."""

    def __init__(self, refer: Refer) -> None:
        self._refer = refer
        self._depth = 0

    def expression(self, schema: Any, kinds: Iterable[str] = ALL) -> Expression:
        """Return the type of a schema for values of some kinds of JSON."""
        if schema is False:
            return NEVER
        known = members(schema)
        allowed = tuple(kind for kind in kinds if kind in _named_kinds(known))
        parts: list[Expression] = []
        if isinstance(known.get("$ref"), str):
            parts.append(Expression(self._refer(known["$ref"], self._depth > 0)))
        parts += [self.expression(member, allowed) for member in items(known.get("allOf"))]
        for keyword in ("anyOf", "oneOf"):
            if keyword in known:
                parts.append(
                    union(self.expression(each, allowed) for each in items(known[keyword]))
                )
        own = self._own(known, allowed)
        said = any(part != UNKNOWN for part in parts)
        return intersection(parts if said and own == _OPEN else [own, *parts])

    def _own(self, schema: dict[str, Any], kinds: tuple[str, ...]) -> Expression:
        """Return the type without references and combinations."""
        if "const" in schema:
            return _literals([schema["const"]], kinds)
        if "enum" in schema:
            return _literals(items(schema["enum"]), kinds)
        if "type" not in schema and not _SHAPING & set(schema):
            return UNKNOWN
        return union(self._of_kind(schema, kind) for kind in kinds)

    def _of_kind(self, schema: dict[str, Any], kind: str) -> Expression:
        if kind in _SIMPLE:
            return Expression(kind)
        self._depth += 1
        made = self._list(schema) if kind == "array" else self._object(schema)
        self._depth -= 1
        return made

    def _list(self, schema: dict[str, Any]) -> Expression:
        first = items(schema.get("prefixItems"))
        rest = self.expression(schema.get("items", True))
        if not first:
            return Expression("[]") if rest == NEVER else array(rest)
        least = schema.get("minItems", 0)
        places = [
            f"{_element(self.expression(member))}{'' if index < least else '?'}"
            for index, member in enumerate(first)
        ]
        if rest != NEVER and schema.get("maxItems", len(first) + 1) > len(first):
            places.append(f"...{array(rest).text}")
        return Expression(f"[{', '.join(places)}]")

    def _object(self, schema: dict[str, Any]) -> Expression:
        properties = members(schema.get("properties"))
        required = frozenset(texts(schema.get("required")))
        rest = self._rest(schema)
        lines: list[str] = []
        types: list[Expression] = []
        for name, member in properties.items():
            types.append(self.expression(member))
            mark = "" if name in required else "?"
            lines.append(after(f"{schema_comment(member)}{key(name)}{mark}:", types[-1]))
        for name in sorted(required - properties.keys()):
            types.append(rest)
            lines.append(after(f"{key(name)}:", rest))
        optional = [UNDEFINED] if properties.keys() - required else []
        if rest != NEVER or not lines:
            # An index signature speaks of the named members too.
            index = union([rest, *types, *optional]) if lines else rest
            lines.append(after("[key: string]:", index))
        return _braced(lines)

    def _rest(self, schema: dict[str, Any]) -> Expression:
        """Return the type of members without a name of their own; ``NEVER`` for none."""
        patterns = members(schema.get("patternProperties")).values()
        typed = [self.expression(each) for each in patterns]
        return union([*typed, self.expression(schema.get("additionalProperties", True))])


def _named_kinds(schema: dict[str, Any]) -> tuple[str, ...]:
    """Return the kinds that ``type`` allows, in the order that it names them."""
    given = schema.get("type", [*ALL])
    names = [given] if isinstance(given, str) else texts(given)
    return tuple("number" if name == "integer" else name for name in names)


def _literals(values: Iterable[Any], kinds: tuple[str, ...]) -> Expression:
    return union(literal(value) for value in values if _kind(value) in kinds)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    for kind, python in (("string", str), ("object", dict), ("array", list)):
        if isinstance(value, python):
            return kind
    return "null" if value is None else "number"


def _element(expression: Expression) -> str:
    return f"({expression.text})" if expression.operator else expression.text


def _braced(lines: list[str]) -> Expression:
    if len(lines) == 1 and "\n" not in lines[0]:
        return Expression(f"{{ {lines[0].removesuffix(';')} }}")
    body = "".join(f"  {indented(line)}\n" for line in lines)
    return Expression(f"{{\n{body}}}")
