"""Rules: what a schema asks for and Python's types cannot say, as schemas of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfoil.contract.values import is_object
from counterfoil.schema.keywords import LIST, MAP, ONE
from counterfoil.schema.patterns import PatternError, translate
from counterfoil.schema.refs import DanglingReference, follow

# Keywords that judge nothing, or hold what only references lead to.
SILENT = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$id",
        "$schema",
        "$vocabulary",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "examples",
        "format",
        "readOnly",
        "title",
        "writeOnly",
    }
)
# Keywords that read one another stay with their neighbours; these read all of them.
_WHOLE = ("unevaluatedItems", "unevaluatedProperties")
_FAMILIES = {
    "additionalProperties": "properties",
    "else": "if",
    "items": "prefixItems",
    "maxContains": "contains",
    "minContains": "contains",
    "patternProperties": "properties",
    "then": "if",
}
_NEIGHBOURS = frozenset({"patternProperties", "prefixItems", "properties"})
_SECOND = frozenset({"else", "maxContains", "minContains", "then", "type"})
_DYNAMIC = frozenset({"$dynamicAnchor", "$dynamicRef", "$recursiveRef"})


class Unruly(ValueError):
    """Report a schema that cannot become a rule: it contains itself, or a pattern has no form."""


def judging(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a schema that judge values."""
    return {key: value for key, value in schema.items() if key not in SILENT and key[:2] != "x-"}


def rule(schema: Any, root: Any) -> Any:
    """Return a schema as a rule that stands on its own.

    References are written out, annotations are left out, and patterns are in the dialect of
    Python's ``re`` with the meaning that ECMAScript gives them.

    Args:
        schema: the schema; its references lead into ``root``.
        root: the whole schema.

    Returns:
        The rule, or ``{}`` for a schema that cannot become one: a model then lets such values
        pass, and the fidelity report says so.
    """
    try:
        return _rule(schema, root, ())
    except Unruly:
        return {}


def both(*rules: Any) -> Any:
    """Return one rule that holds when all hold; ``{}`` holds always and ``False`` never."""
    kept = [each for each in rules if each not in ({}, True)]
    if any(each is False for each in kept):
        return False
    if len(kept) < 2:
        return kept[0] if kept else {}
    families = [family for each in kept for family in {_FAMILIES.get(key, key) for key in each}]
    if len(set(families)) < len(families) or any(key in each for each in kept for key in _WHOLE):
        return {"allOf": kept}
    return {key: value for each in kept for key, value in each.items()}


def beyond(rule: Any) -> set[str]:
    """Return the keywords that a rule is there for, without those that only lead to them."""
    if not is_object(rule):
        return {"properties"} if rule is False else set()
    found: set[str] = set()
    for keyword, value in rule.items():
        if keyword == "allOf":
            found |= {each for member in value for each in beyond(member)}
        elif keyword == "properties":
            found |= {each for member in value.values() for each in beyond(member)}
        elif keyword in ("additionalProperties", "items") and not _NEIGHBOURS & rule.keys():
            found |= beyond(value)
        elif keyword not in _SECOND:
            found.add(keyword)
    return found


def _rule(schema: Any, root: Any, inside: tuple[str, ...]) -> Any:
    if not is_object(schema):
        return schema
    if not _DYNAMIC.isdisjoint(schema):
        raise Unruly("dynamic references")
    made = {
        key: _value(key, value, root, inside)
        for key, value in judging(schema).items()
        if key != "$ref"
    }
    if "$ref" not in schema:
        return made
    reference = schema["$ref"]
    if reference in inside:
        raise Unruly(reference)
    try:
        target = follow(root, reference)
    except DanglingReference as error:
        raise Unruly(reference) from error
    return both(_rule(target, root, (*inside, reference)), made)


def _value(keyword: str, value: Any, root: Any, inside: tuple[str, ...]) -> Any:
    if keyword in ONE:
        return _rule(value, root, inside)
    if keyword in LIST:
        return [_rule(member, root, inside) for member in value]
    if keyword in MAP:
        return {
            _pattern(name) if keyword == "patternProperties" else name: _rule(member, root, inside)
            for name, member in value.items()
        }
    return _pattern(value) if keyword == "pattern" else value


def _pattern(source: str) -> str:
    try:
        return translate(source)
    except PatternError as error:
        raise Unruly(source) from error
