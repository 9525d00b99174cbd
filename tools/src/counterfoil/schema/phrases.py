"""Say in words what a schema asks for.

A phrase is a sequence of pieces, so that each page can set values and names in its own way
and escape everything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from counterfoil.contract.values import items, members, texts
from counterfoil.schema.refs import shared_name

Style = Literal["words", "code", "type"]


@dataclass(frozen=True)
class Piece:
    """Words, a value in a code font, or the name of a shared schema."""

    text: str
    style: Style = "words"


Phrase = tuple[Piece, ...]

ANYTHING: Phrase = (Piece("anything"),)
NOTHING: Phrase = (Piece("nothing"),)
_WORDS = {
    "boolean": "true/false",
    "integer": "whole number",
    "null": "null",
    "number": "number",
    "object": "object",
    "string": "text",
}


def plain(phrase: Phrase) -> str:
    """Return a phrase as text, with code between backticks."""
    return "".join(f"`{piece.text}`" if piece.style == "code" else piece.text for piece in phrase)


def code(value: Any) -> Piece:
    """Return a JSON value as a piece in a code font, on one line."""
    return Piece(json.dumps(value, ensure_ascii=False), "code")


def joined(phrases: Iterable[Phrase], between: str) -> Phrase:
    """Return phrases in one, with words between them."""
    result: list[Piece] = []
    for phrase in phrases:
        result += [Piece(between), *phrase] if result else phrase
    return tuple(result)


def type_phrase(schema: Any) -> Phrase:
    """Return what kind of value a schema asks for: ``whole number``, ``list of text``.

    Limits are left to :func:`counterfoil.schema.limits.limits`.
    """
    if schema is False:
        return NOTHING
    known = members(schema)
    if "const" in known:
        return (Piece("always "), code(known["const"]))
    if "enum" in known:
        return _enumeration(items(known["enum"]))
    parts = joined(dict.fromkeys(_parts(known)), " and ")
    return parts or _by_type(known) or ANYTHING


def _enumeration(values: Sequence[Any]) -> Phrase:
    if not values:
        return NOTHING
    if len(values) == 1:
        return (Piece("always "), code(values[0]))
    return (Piece("one of "), *joined([(code(value),) for value in values], ", "))


def _parts(schema: dict[str, Any]) -> Iterator[Phrase]:
    """Yield what references and combinations say; nothing where they only set limits."""
    if isinstance(schema.get("$ref"), str):
        yield (_reference(schema["$ref"]),)
    for member in items(schema.get("allOf")):
        phrase = type_phrase(member)
        if phrase != ANYTHING:
            yield phrase
    for keyword in ("anyOf", "oneOf"):
        choices = [type_phrase(member) for member in items(schema.get(keyword))]
        if choices and ANYTHING not in choices:
            phrase = joined(dict.fromkeys(choices), " or ")
            yield (Piece("("), *phrase, Piece(")")) if "allOf" in schema else phrase


def _reference(reference: str) -> Piece:
    name = shared_name(reference)
    if reference == f"#/$defs/{name}":
        return Piece(name, "type")
    if reference == "#":
        return Piece("the whole again")
    return Piece(reference, "code")


def _types(schema: dict[str, Any]) -> list[str]:
    """Return the types that a schema names, or those that its keywords are about."""
    given = schema.get("type")
    if isinstance(given, str):
        return [given]
    if isinstance(given, list):
        return texts(given)
    if "properties" in schema or "additionalProperties" in schema:
        return ["object"]
    return ["array"] if "items" in schema or "prefixItems" in schema else []


def _by_type(schema: dict[str, Any]) -> Phrase:
    return joined([_one_type(schema, kind) for kind in _types(schema)], " or ")


def _one_type(schema: dict[str, Any], kind: str) -> Phrase:
    if kind == "array":
        return _list(schema)
    values = schema.get("additionalProperties")
    if kind == "object" and isinstance(values, dict) and "properties" not in schema:
        return (Piece("map from text to "), *_grouped(type_phrase(values)))
    return (Piece(_WORDS[kind]),)


def _list(schema: dict[str, Any]) -> Phrase:
    first = items(schema.get("prefixItems"))
    if not first:
        return (Piece("list of "), *_grouped(type_phrase(schema.get("items", True))))
    places = joined([_grouped(type_phrase(member)) for member in first], ", then ")
    rest = schema.get("items", True)
    if rest is False:
        return (Piece("list of "), *places)
    return (
        Piece("list of "),
        *places,
        Piece(", then any number of "),
        *_grouped(type_phrase(rest)),
    )


def _grouped(phrase: Phrase) -> Phrase:
    """Put a choice between brackets where it stands inside another phrase."""
    if any(piece.style == "words" and piece.text in (" or ", " and ") for piece in phrase):
        return (Piece("("), *phrase, Piece(")"))
    return phrase
