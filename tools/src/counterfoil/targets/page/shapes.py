"""What a schema asks for, as a sentence and a table of the places inside a value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from markupsafe import Markup

from counterfoil.contract.values import items, members, text
from counterfoil.schema.fields import Field, fields
from counterfoil.schema.limits import limits
from counterfoil.schema.phrases import ANYTHING, joined, type_phrase
from counterfoil.schema.refs import shared_name
from counterfoil.targets.page.markup import (
    code,
    fragment,
    json_text,
    marked,
    paragraphs,
    phrase,
    words,
)

# Shared schemas are opened in place so deep; further in, a link leads to them.
_OPENED = 3
# A table that would have more rows than this opens them less deep.
_LONG = 48
_EXAMPLES = 4
_NEEDS = {True: "required", False: "optional", None: ""}


@dataclass(frozen=True)
class Row:
    """One row of a table of places.

    Attributes:
        depth: how far inside; 0 is a member of the value itself.
        name: the last step of the place.
        path: the whole place, for people who hear the table.
        need: ``required``, ``optional``, or ``""`` for a place without a name of its own.
        within: the alternative that has it, or ``""``.
        kind: what kind of value.
        limits: further conditions.
        default: the default, or ``""``.
        examples: example values.
        description: what the author says of it.
    """

    depth: int
    name: Markup
    path: str
    need: str
    within: Markup
    kind: Markup
    limits: list[Markup]
    default: Markup
    examples: list[Markup]
    description: Markup


class Shapes:
    """Describe schemas of one contract.

    Args:
        defs: the shared schemas by name.
    """

    def __init__(self, defs: Mapping[str, Any]) -> None:
        self._defs = defs

    def arguments(self, schema: Any) -> Markup:
        """Return a table of a tool's arguments, shared schemas opened in place."""
        return self._described(schema, "argument")

    def result(self, schema: Any) -> Markup:
        """Return a table of what comes back."""
        return self._described(schema, "member")

    def shared(self, schema: Any) -> Markup:
        """Return a shared schema's table, which only links to the others."""
        return self._described(schema, "member", opened=0)

    def parameters(self, parameters: Iterable[Mapping[str, Any]], *, required: bool) -> Markup:
        """Return a table of a route's path or query parameters.

        Args:
            required: whether a parameter that does not say so is.
        """
        rows = [
            Row(
                depth=0,
                name=code(each["name"]),
                path=each["name"],
                need="required" if each.get("required", required) else "optional",
                within=Markup(),
                kind=phrase(type_phrase(each.get("schema", {"type": "string"})), self._defs),
                limits=[Markup("matches ") + code(each["pattern"])],
                default=Markup(),
                examples=[],
                description=marked(each.get("deprecated")) + paragraphs(each["description"]),
            )
            for each in parameters
        ]
        return _table(rows, "parameter")

    def sentence(self, schema: Any) -> Markup:
        """Return what kind of value a schema asks for, with its limits."""
        own = members(members(schema).get("$defs"))
        linked = self._defs.keys() - own.keys()
        return phrase(joined([type_phrase(schema), *limits(schema)], "; "), linked)

    def _described(self, schema: Any, noun: str, opened: int = _OPENED) -> Markup:
        if not _takes(schema):
            return Markup()
        line = Markup('<p class="kind">{}</p>')
        made = line.format(self.sentence(schema)) if _says(schema) else Markup()
        made += _table(self._rows(schema, opened), noun)
        for name, member in members(members(schema).get("$defs")).items():
            made += line.format(code(name) + ": " + self.sentence(member))
            made += _table(self._rows(member, 0), noun)
        return made

    def _rows(self, schema: Any, opened: int) -> list[Row]:
        own = members(members(schema).get("$defs"))
        found = list(self._places(schema, "", "", opened, frozenset(own)))
        while len(found) > _LONG and opened > 1:
            opened -= 1
            found = list(self._places(schema, "", "", opened, frozenset(own)))
        linked = self._defs.keys() - own.keys()
        return [self._row(*place, linked) for place in _nested(found)]

    def _places(
        self, schema: Any, path: str, within: str, opened: int, closed: frozenset[str]
    ) -> Iterator[Field]:
        """Yield every place inside a value; shared schemas are opened where they stand.

        Args:
            opened: how many shared schemas may be opened inside one another.
            closed: names that are not opened: what this stands in, or what it redefines.
        """
        name = self._shared(schema)
        if name and name not in closed and opened > 0:
            yield from self._places(self._defs[name], path, within, opened - 1, closed | {name})
        yield from self._choices(schema, path, within, opened, closed)
        for field in fields(schema, path, within):
            yield field
            member, place = _innermost(field.schema, field.path)
            if self._shared(member):
                yield from self._places(member, place, field.within, opened, closed)
            else:
                yield from self._choices(member, place, field.within, opened, closed)

    def _choices(
        self, schema: Any, path: str, within: str, opened: int, closed: frozenset[str]
    ) -> Iterator[Field]:
        """Yield the places inside each shared schema that a value may be."""
        known = members(schema)
        for member in (*items(known.get("anyOf")), *items(known.get("oneOf"))):
            name = self._shared(member)
            if name:
                label = f"{within}, {name}" if within else name
                yield from self._places(member, path, label, opened, closed)

    def _row(self, field: Field, parent: str, depth: int, linked: Collection[str]) -> Row:
        schema, name = members(field.schema), self._shared(field.schema)
        target = members(self._defs[name]) if name in linked else {}
        kind = type_phrase(field.schema)
        said = [*limits(schema), *([] if "properties" in target else limits(target))]
        default = json_text(schema["default"], indent=None) if "default" in schema else ""
        examples = (json_text(each, indent=None) for each in items(schema.get("examples")))
        described = text(schema.get("description")) or text(target.get("description"))
        return Row(
            depth=depth,
            name=code(field.path[len(parent) :].removeprefix(".") if parent else field.path),
            path=field.path,
            need=_NEEDS[field.required],
            within=words(field.within),
            kind=phrase(kind, linked) if kind != ANYTHING or not said else Markup(),
            limits=[phrase(each, linked) for each in dict.fromkeys(said)],
            default=code(default) if default else Markup(),
            examples=[code(each) for each in islice(examples, _EXAMPLES)],
            description=paragraphs(described),
        )

    def _shared(self, schema: Any) -> str:
        """Return the name of the shared schema that a schema is, or ``""``."""
        reference = text(members(schema).get("$ref"))
        name = shared_name(reference)
        return name if reference == f"#/$defs/{name}" and name in self._defs else ""


def _takes(schema: Any) -> bool:
    """Say whether an object may have a member at all."""
    known = {key: value for key, value in members(schema).items() if value != {}}
    usual = {"$defs", "additionalProperties", "description", "title", "type"}
    return known.get("additionalProperties") is not False or bool(known.keys() - usual)


def _says(schema: Any) -> bool:
    """Say whether the sentence of a schema tells more than that it is an object with members."""
    usual = {"$defs", "additionalProperties", "description", "properties", "required", "title"}
    known = members(schema)
    plain = known.get("type") == "object" and bool(known.get("properties"))
    return not (plain and known.keys() <= usual | {"type"})


def _innermost(schema: Any, path: str) -> tuple[Any, str]:
    """Return what a list or map holds, and its place, where those are nested."""
    known = members(schema)
    while "items" in known or isinstance(known.get("additionalProperties"), dict):
        step = ("items", "[]") if "items" in known else ("additionalProperties", ".*")
        schema, path = known[step[0]], path + step[1]
        known = members(schema)
    return schema, path


def _nested(found: list[Field]) -> Iterator[tuple[Field, str, int]]:
    """Yield each place with the place that it stands in, and how deep that is."""
    above: list[str] = []
    for field in found:
        while above and not _inside(field.path, above[-1]):
            above.pop()
        yield field, above[-1] if above else "", len(above)
        above.append(field.path)


def _inside(path: str, outer: str) -> bool:
    return path.startswith(outer) and path[len(outer) : len(outer) + 1] in (".", "[")


def _table(rows: list[Row], noun: str) -> Markup:
    return fragment("table", rows=rows, noun=noun) if rows else Markup()
