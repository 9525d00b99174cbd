"""Schemas of OpenAPI as JSON Schema 2020-12, with references to shared schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from counterfoil.contract.values import is_array, is_object, items, members, texts
from counterfoil.importer.openapi.document import Document
from counterfoil.schema.keywords import LIST, MAP, ONE
from counterfoil.schema.refs import unescape

_SHARED = "#/components/schemas/"
# They tell writers of XML, or of documents; a contract has no word for them. A discriminator
# chooses faster and admits nothing else, since the schemas beside it decide.
_DROPPED = frozenset({"discriminator", "externalDocs", "xml"})
_LONGEST = 64
_DEEPEST = 20


class Translator:
    """Translate the schemas of one document, and remember which shared ones they need.

    Args:
        document: what references lead into.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self._made: dict[str, Any] = {}
        self._open: list[str] = []

    def translated(self, schema: Any) -> Any:
        """Return a schema as JSON Schema 2020-12."""
        if not is_object(schema):
            return schema
        reference = schema.get("$ref")
        if isinstance(reference, str):
            found = self._referred(reference)
            # Beside a reference, OpenAPI 3.0 passes over everything.
            rest = {} if self._document.legacy else self._members(schema)
            return {**rest, **found}
        made = self._members(schema)
        return _with_null(made, schema) if self._document.legacy else made

    def shared(self) -> dict[str, Any]:
        """Return the shared schemas that were needed, by name, with those that they need."""
        while pending := sorted(self._names.keys() - self._made.keys()):
            for name in pending:
                raw = members(members(self._document.data.get("components")).get("schemas"))[name]
                self._made[name] = self.translated(raw)
        return {self._names[name]: made for name, made in sorted(self._made.items())}

    def _referred(self, reference: str) -> dict[str, Any]:
        name = unescape(unquote(reference.removeprefix(_SHARED)))
        schemas = members(members(self._document.data.get("components")).get("schemas"))
        if reference.startswith(_SHARED) and "/" not in name and name in schemas:
            return {"$ref": f"#/$defs/{self._name(name)}"}
        if reference in self._open:
            return {}  # a place that leads to itself, and has no name to be called by
        self._open.append(reference)
        try:
            found = self.translated(self._document.resolved({"$ref": reference}))
        finally:
            self._open.pop()
        return members(found)

    def _name(self, name: str) -> str:
        if name not in self._names:
            parts = [part for part in re.split(r"[^A-Za-z0-9]+", name) if part]
            joined = "".join(part[0].upper() + part[1:] for part in parts)
            base = (joined if joined[:1].isalpha() else f"Schema{joined}")[:_LONGEST]
            self._names[name] = _free(base, self._names.values())
        return self._names[name]

    def _members(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for keyword, value in schema.items():
            if keyword in _DROPPED or keyword == "$ref" or (keyword == "nullable"):
                continue
            if keyword == "example":
                made["examples"] = [value]
            elif keyword in ONE:
                made[keyword] = self.translated(value)
            elif keyword in LIST and is_array(value):
                made[keyword] = [self.translated(each) for each in value]
            elif keyword in MAP and is_object(value):
                made[keyword] = {name: self.translated(each) for name, each in value.items()}
            else:
                made[keyword] = value
        return dict(_bounded(made)) if self._document.legacy else made


def flattened(document: Document, schema: Any, depth: int = 0) -> dict[str, Any]:
    """Return an object's schema with the members of all that it is put together from.

    A schema of which a part is no object is returned as it is.
    """
    plain = document.resolved(schema)
    parts = items(plain.get("allOf"))
    if not parts or depth > _DEEPEST:
        return plain
    rest = {key: value for key, value in plain.items() if key != "allOf"}
    made: dict[str, Any] = {}
    every: dict[str, Any] = {}
    required: list[str] = []
    for part in (*(flattened(document, each, depth + 1) for each in parts), rest):
        if part.get("type", "object") != "object" or "allOf" in part:
            return plain
        for name, member in members(part.get("properties")).items():
            known = every.get(name, member)
            every[name] = member if known == member else {"allOf": [known, member]}
        required += (name for name in texts(part.get("required")) if name not in required)
        made |= part
    return {**made, "type": "object", "properties": every, "required": required}


def _free(base: str, taken: Any) -> str:
    number, name = 2, base
    while name in taken:
        name, number = f"{base}{number}", number + 1
    return name


def _bounded(made: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield members with the exclusive bounds of 2020-12, which are numbers."""
    for keyword, value in made.items():
        beside = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}.get(keyword)
        exclusive = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}.get(keyword)
        if beside and isinstance(value, bool):
            if value and beside in made:
                yield keyword, made[beside]
        elif not (exclusive and made.get(exclusive) is True):
            yield keyword, value


def _with_null(made: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema that takes ``null``, where OpenAPI 3.0 says so."""
    if schema.get("nullable") is not True:
        return made
    if "type" in made:
        made["type"] = [made["type"], "null"]
        if "enum" in made and None not in items(made["enum"]):
            made["enum"] = [*made["enum"], None]
        return made
    told: dict[str, Any] = {
        key: made.pop(key) for key in ("title", "description", "default") if key in made
    }
    return {**told, "anyOf": [made, {"type": "null"}]}
