"""An OpenAPI document: read, judged by its own rules, and the operations in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object, items, members, text, texts
from counterfoil.errors import CounterfoilError
from counterfoil.schema.refs import DanglingReference, follow

METHODS = ("delete", "get", "head", "options", "patch", "post", "put", "trace")
# What is data there, and may look like a reference; in a map of names they are names.
_EXAMPLES = frozenset({"const", "default", "enum", "example", "examples"})
_NAMED = frozenset({"$defs", "parameters", "patternProperties", "properties", "schemas"})
_VERSIONS = ("3.0.", "3.1.", "3.2.")


@dataclass(frozen=True)
class Document:
    """An OpenAPI document that keeps OpenAPI's rules.

    Attributes:
        shown: the file as people named it.
        data: the document.
        legacy: whether its schemas are those of OpenAPI 3.0, which has a dialect of its own.
    """

    shown: str
    data: Mapping[str, Any]
    legacy: bool

    def resolved(self, value: Any) -> dict[str, Any]:
        """Return an object, or what its reference leads to."""
        seen: set[str] = set()
        while is_object(value) and isinstance(value.get("$ref"), str):
            if value["$ref"] in seen:
                return {}
            seen.add(value["$ref"])
            try:
                value = follow(self.data, unquote(value["$ref"]))
            except DanglingReference:
                return {}
        return members(value)


@dataclass(frozen=True)
class Operation:
    """One operation.

    Attributes:
        id: its operationId, or one made of method and path.
        method: in upper case.
        path: with {name} for each path parameter.
        data: the operation.
        parameters: those of the path and of the operation, without references; a parameter of
            the operation stands for one of the path with the same name and place.
    """

    id: str
    method: str
    path: str
    data: Mapping[str, Any]
    parameters: tuple[Mapping[str, Any], ...]

    @property
    def tags(self) -> frozenset[str]:
        """Return the tags of the operation."""
        return frozenset(texts(self.data.get("tags")))


def read_document(path: Path, shown: str) -> Document:
    """Read an OpenAPI document, JSON or YAML.

    Nothing is fetched: a document that refers to other files or addresses is refused.

    Raises:
        CounterfoilError: it cannot be read, is none of 3.0 to 3.2, breaks OpenAPI's rules, or the
            libraries of the extra ``openapi`` are not installed.
    """
    try:
        from openapi_spec_validator import validate
        from openapi_spec_validator.readers import read_from_filename
        from openapi_spec_validator.validation.exceptions import OpenAPIValidationError
    except ImportError as error:
        raise CounterfoilError(
            "reading OpenAPI needs a library that is not installed",
            place=shown,
            hint="install counterfoil[openapi]",
        ) from error
    if not path.is_file():
        raise CounterfoilError(
            "there is no such file", place=shown, hint="correct the path after --openapi"
        )
    try:
        data: Any = read_from_filename(str(path))[0]
    except Exception as error:  # YAML and JSON have many
        raise CounterfoilError(
            f"cannot be read: {bounded(str(error))}", place=shown, hint="correct the JSON or YAML"
        ) from error
    version = text(members(data).get("openapi"))
    if not version.startswith(_VERSIONS):
        raise CounterfoilError(
            f"is no OpenAPI document of {', '.join(each[:-1] for each in _VERSIONS)}",
            place=shown,
            hint="convert the document first",
        )
    _check_references(data, shown)
    try:
        validate(data)
    except OpenAPIValidationError as error:
        steps: Iterable[object] = getattr(error, "absolute_path", ())
        pointer = "".join(f"/{escape(str(step))}" for step in steps)
        raise CounterfoilError(
            f"breaks OpenAPI's rules: {bounded(str(error).splitlines()[0])}",
            place=f"{shown} #{pointer}" if pointer else shown,
            hint="correct the document there",
        ) from error
    except RecursionError as error:
        raise CounterfoilError(
            "has something that is made of nothing but itself",
            place=shown,
            hint="look for allOf and $ref that lead in a circle",
        ) from error
    return Document(shown, cast("Mapping[str, Any]", data), version.startswith("3.0."))


def operations(document: Document) -> Iterator[Operation]:
    """Yield every operation of a document, in its order."""
    for path, raw in members(document.data.get("paths")).items():
        item = document.resolved(raw)
        for method in METHODS:
            if is_object(item.get(method)):
                data = item[method]
                yield Operation(
                    text(data.get("operationId")) or _made_id(method, path),
                    method.upper(),
                    path,
                    data,
                    tuple(_parameters(document, item, data)),
                )


def chosen(document: Document, ids: Sequence[str], tags: Sequence[str]) -> tuple[Operation, ...]:
    """Return the operations of some ids and tags; of no id and no tag, all.

    Raises:
        CounterfoilError: there is none of an id or tag.
    """
    every = tuple(operations(document))
    for word, known in ((ids, {each.id for each in every}), (tags, _tags(every))):
        for name in word:
            if name not in known:
                what = "operation" if word is ids else "tag"
                raise CounterfoilError(
                    f"has no {what} {name!r}",
                    place=document.shown,
                    hint=f"{what}s: {bounded(', '.join(sorted(known)), 400)}",
                )
    if not ids and not tags:
        return every
    return tuple(each for each in every if each.id in ids or each.tags & set(tags))


def _tags(every: Sequence[Operation]) -> set[str]:
    return {tag for each in every for tag in each.tags}


def _made_id(method: str, path: str) -> str:
    words = [method, *(part.strip("{}") for part in path.split("/") if part)]
    return "_".join(words)


def _parameters(
    document: Document, item: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for raw in [*items(item.get("parameters")), *items(data.get("parameters"))]:
        each = document.resolved(raw)
        found[text(each.get("name")), text(each.get("in"))] = each
    yield from found.values()


def _check_references(data: Any, shown: str) -> None:
    """Refuse references that lead out of the document, or nowhere.

    Raises:
        CounterfoilError: with the first such reference.
    """
    pending: list[tuple[str, Any, bool]] = [("", data, False)]
    while pending:
        pointer, node, is_named = pending.pop()
        if is_array(node):
            pending += ((f"{pointer}/{index}", each, False) for index, each in enumerate(node))
        elif is_object(node):
            reference = node.get("$ref")
            if isinstance(reference, str):
                _check_reference(data, reference, f"{shown} #{pointer}")
            pending += (
                (f"{pointer}/{escape(str(key))}", each, key in _NAMED)
                for key, each in node.items()
                if is_named or key not in _EXAMPLES
            )


def _check_reference(data: Any, reference: str, place: str) -> None:
    if not reference.startswith("#"):
        raise CounterfoilError(
            f"refers to {bounded(reference, 80)}, which is outside of the document",
            place=place,
            hint="bundle the document into one file first",
        )
    try:
        follow(data, unquote(reference))  # a reference is part of an address
    except DanglingReference as error:
        raise CounterfoilError(
            f"refers to {bounded(reference, 80)}, where nothing is",
            place=place,
            hint="correct the reference",
        ) from error
