"""Say in words how a schema limits a value beyond its type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.contract.values import items, members, texts
from counterfoil.schema.phrases import (
    ANYTHING,
    Phrase,
    Piece,
    code,
    joined,
    type_phrase,
)

# Conditions whose words would be longer than the schema.
_COMPLEX = ("dependentSchemas", "if", "not", "unevaluatedItems", "unevaluatedProperties")


def limits(schema: Any) -> list[Phrase]:
    """Return each limit of a value as a phrase, in a fixed order.

    What a reference leads to is not looked at: its own description says its limits.
    """
    known = members(schema)
    return [
        *_range(known),
        *_counted(known, "Length", "character"),
        *_text(known),
        *_counted(known, "Items", "item"),
        *_list(known),
        *_counted(known, "Properties", "member"),
        *_members(known),
        *_choices(known),
        *(limit for member in items(known.get("allOf")) for limit in limits(member)),
    ]


def default(schema: Any) -> Phrase:
    """Return the default of a value, or an empty phrase."""
    known = members(schema)
    return (code(known["default"]),) if "default" in known else ()


def _range(schema: dict[str, Any]) -> Iterator[Phrase]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        yield (Piece("from "), code(low), Piece(" to "), code(high))
    elif low is not None:
        yield (Piece("at least "), code(low))
    elif high is not None:
        yield (Piece("at most "), code(high))
    if "exclusiveMinimum" in schema:
        yield (Piece("more than "), code(schema["exclusiveMinimum"]))
    if "exclusiveMaximum" in schema:
        yield (Piece("less than "), code(schema["exclusiveMaximum"]))
    if "multipleOf" in schema:
        yield (Piece("a multiple of "), code(schema["multipleOf"]))


def _counted(schema: dict[str, Any], what: str, noun: str) -> Iterator[Phrase]:
    low, high = schema.get(f"min{what}"), schema.get(f"max{what}")
    plural = f"{noun}s"
    if low is not None and low == high:
        yield (Piece(f"exactly {low} {noun if low == 1 else plural}"),)
    elif low and high is not None:
        yield (Piece(f"{low} to {high} {plural}"),)
    elif low:
        yield (Piece(f"at least {low} {noun if low == 1 else plural}"),)
    elif high is not None:
        yield (Piece(f"at most {high} {noun if high == 1 else plural}"),)


def _text(schema: dict[str, Any]) -> Iterator[Phrase]:
    for keyword, words in (
        ("pattern", "matches "),
        ("format", "in the format "),
        ("contentEncoding", "encoded as "),
        ("contentMediaType", "holds "),
    ):
        if isinstance(schema.get(keyword), str):
            yield (Piece(words), Piece(schema[keyword], "code"))


def _list(schema: dict[str, Any]) -> Iterator[Phrase]:
    if schema.get("uniqueItems"):
        yield (Piece("no item twice"),)
    if "contains" in schema:
        low, high = schema.get("minContains", 1), schema.get("maxContains")
        count = f"{low} to {high}" if high is not None else f"at least {low}"
        yield (Piece(f"{count} of the items: "), *_described(schema["contains"]))


def _described(schema: Any) -> Phrase:
    """Return type and limits of a schema in one phrase."""
    return joined([type_phrase(schema), *limits(schema)], ", ")


def _members(schema: dict[str, Any]) -> Iterator[Phrase]:
    if schema.get("additionalProperties") is False and "patternProperties" not in schema:
        yield (Piece("no other members"),) if schema.get("properties") else (Piece("no members"),)
    for pattern, member in members(schema.get("patternProperties")).items():
        yield (
            Piece("members named like "),
            Piece(pattern, "code"),
            Piece(": "),
            *_described(member),
        )
    if "propertyNames" in schema:
        names = schema["propertyNames"]
        typed = members(names).get("type") == "string"
        phrases = limits(names) if typed else [type_phrase(names), *limits(names)]
        yield (Piece("names of members: "), *joined([p for p in phrases if p != ANYTHING], ", "))
    for name, needed in members(schema.get("dependentRequired")).items():
        wanted = joined([(Piece(other, "code"),) for other in texts(needed)], ", ")
        yield (Piece(name, "code"), Piece(" needs "), *wanted)


def _choices(schema: dict[str, Any]) -> Iterator[Phrase]:
    for keyword, words in (("anyOf", "at least one of: "), ("oneOf", "exactly one of: ")):
        choices = items(schema.get(keyword))
        if choices and all(_only_required(choice) for choice in choices):
            sets = [_needed(texts(choice["required"])) for choice in choices]
            yield (Piece(words), *joined(sets, "; "))
        elif keyword == "oneOf" and len(choices) > 1:
            yield (Piece("exactly one of the choices fits"),)
    if any(keyword in schema for keyword in _COMPLEX):
        yield (Piece("further conditions are in the schema"),)


def _only_required(schema: Any) -> bool:
    return members(schema).keys() == {"required"} and bool(schema["required"])


def _needed(names: list[str]) -> Phrase:
    return joined([(Piece(name, "code"),) for name in names], " with ")
