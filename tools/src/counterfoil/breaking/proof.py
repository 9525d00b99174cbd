"""Proof about schemas: whether a place accepts a value, and whether one covers another."""

from __future__ import annotations

import functools
import json
from typing import Any, Literal, TypeAlias

import jsonschema_rs

from counterfoil.breaking.walker.nodes import Located
from counterfoil.contract.canonical import compact
from counterfoil.schema.judge import fast_judge, judge
from counterfoil.schema.refs import references
from counterfoil.schema.relocation import relocated

Answer: TypeAlias = Literal["yes", "no", "unknown"]
_HOME = "#/$defs/root"
# No schema that people write is as large; the engine's time grows with it.
_LARGEST = 200_000


class Ground:
    """One root schema, and what can be asked about its places.

    Args:
        root: a schema that stands on its own.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        self._judges: dict[str, tuple[Any, jsonschema_rs.Validator | None]] = {}

    @functools.cached_property
    def _referring(self) -> bool:
        return bool(references(self.root))

    @functools.cached_property
    def _moved(self) -> Any:
        return relocated(self.root, _home)

    def alone(self, located: Located) -> Any:
        """Return the schema of a place so that it stands on its own."""
        if not located.pointer:
            return located.schema
        if not self._referring or not references(located.schema):
            return located.schema
        moved = relocated(located.schema, _home)
        return {"$defs": {"root": self._moved}, "allOf": [moved]}

    def judge(self, located: Located) -> jsonschema_rs.Validator | None:
        """Return the validator of a place; ``None`` where there can be none."""
        known = self._judges.get(located.pointer)
        if known is not None and known[0] is located.schema:
            return known[1]
        try:
            made = fast_judge(self.alone(located))
        except (ValueError, jsonschema_rs.ReferencingError):
            made = None
        self._judges[located.pointer] = located.schema, made
        return made

    def accepts(self, located: Located, value: Any) -> bool | None:
        """Say whether a place accepts a value; ``None`` where nobody can say."""
        fast = self.judge(located)
        try:
            return self._slowly(located, value) if fast is None else fast.is_valid(value)
        except UnicodeEncodeError:  # the engine's text holds no lone surrogate
            return judge(self.alone(located)).is_valid(value)

    def _slowly(self, located: Located, value: Any) -> bool | None:
        """Judge by a schema that the engine does not read; only lone surrogates keep it from it."""
        schema = self.alone(located)
        try:
            compact(schema).encode()
        except UnicodeEncodeError:
            return judge(schema).is_valid(value)
        return None


_METASCHEMA = {"$ref": "https://json-schema.org/draft/2020-12/schema"}


def valid(schema: Any) -> bool:
    """Say whether a schema keeps the meta-schema of 2020-12, whatever dialect it names."""
    try:
        return _metaschema().is_valid(schema)
    except UnicodeEncodeError:  # the engine's text holds no lone surrogate
        return judge(_METASCHEMA).is_valid(schema)


@functools.cache
def _metaschema() -> jsonschema_rs.Validator:
    return fast_judge(_METASCHEMA)


def covers(outer: Any, inner: Any) -> Answer:
    """Say whether a schema accepts whatever another accepts, by the containment engine.

    Both stand on their own. The answer for schemas with patterns is that of Rust's engine for
    regular expressions; what it cannot say is ``unknown``.
    """
    return _covers(compact(outer), compact(inner))


def unsatisfiable(schema: Any) -> bool:
    """Say whether the engine proves that a schema, standing on its own, takes nothing."""
    found = _canonical(compact(schema))
    return found is not None and found.satisfiability().value == "no"


def equivalent(left: Any, right: Any) -> bool:
    """Say whether the engine proves that two schemas accept the same values."""
    return covers(left, right) == "yes" and covers(right, left) == "yes"


@functools.lru_cache(maxsize=4096)
def _covers(outer: str, inner: str) -> Answer:
    if outer == inner:
        return "yes"
    if len(outer) + len(inner) > _LARGEST:
        return "unknown"
    left, right = _canonical(outer), _canonical(inner)
    if left is None or right is None:
        return "unknown"
    try:
        return _ANSWERS[left.covers(right).value]
    except (ValueError, KeyError):
        return "unknown"


_ANSWERS: dict[str, Answer] = {"yes": "yes", "no": "no", "unknown": "unknown"}


@functools.lru_cache(maxsize=4096)
def _canonical(schema: str) -> jsonschema_rs.CanonicalSchema | None:
    try:
        return jsonschema_rs.canonicalize(json.loads(schema), offline=True)
    except (ValueError, jsonschema_rs.ReferencingError):
        return None


def _home(reference: str) -> str:
    if reference == "#":
        return _HOME
    return f"{_HOME}{reference[1:]}" if reference.startswith("#/") else reference
