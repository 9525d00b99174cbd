"""What the branches of a choice have in common, and what tells them apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from counterfoil.contract.values import is_object
from counterfoil.schema.semantics import equal
from counterfoil.targets.models.values import is_a, type_of

_OBJECT = frozenset({"object"})
_ALL = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def types_of(schema: dict[str, Any]) -> list[str] | None:
    """Return the types that a schema asks for, or ``None`` if it asks for none."""
    asked = schema.get("type")
    if asked is None:
        return None
    return [asked] if isinstance(asked, str) else list(asked)


def with_types(branch: Any, types: Any) -> Any:
    """Return a branch that repeats the types beside its choice, if it names none itself."""
    if types is None or not is_object(branch) or {"$ref", "type"} & branch.keys():
        return branch
    return {**branch, "type": types}


def keep_types(branches: list[Any], types: Any) -> bool:
    """Say whether every branch asks for the types beside the choice, or for fewer."""
    if types is None:
        return True
    wanted = {types} if isinstance(types, str) else set(types)
    return all(
        is_object(branch) and wanted.issuperset(types_of(branch) or _ALL) for branch in branches
    )


def require(branches: list[Any], names: Iterable[str]) -> bool:
    """Say whether every branch requires members that a schema requires beside the choice."""
    return all(
        is_object(branch) and set(branch.get("required", ())).issuperset(names)
        for branch in branches
    )


def disjoint(branches: list[Any]) -> bool:
    """Say whether no value can keep two of the branches, as far as is plain to see.

    Plain are different types, different constants, and a member that both require with
    different constants.
    """
    return all(_apart(left, right) for left, right in itertools.combinations(branches, 2))


def _apart(left: Any, right: Any) -> bool:
    if left is False or right is False:
        return True
    if not is_object(left) or not is_object(right):
        return False
    ours, theirs = _constants(left), _constants(right)
    if ours is not None and theirs is not None:
        return not any(equal(one, other) for one in ours for other in theirs)
    if not _admitted(left) & _admitted(right):
        return True
    return _admitted(left) == _admitted(right) == _OBJECT and _tagged_apart(left, right)


def _constants(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return schema.get("enum")


def _admitted(schema: dict[str, Any]) -> frozenset[str]:
    """Return the types of the values that a schema may admit."""
    types = types_of(schema)
    found = _ALL if types is None else frozenset(types)
    constants = _constants(schema)
    if constants is not None:
        found = frozenset(type_of(value) for value in constants if is_a(value, found))
    return found | {"integer"} if "number" in found else found


def _tagged_apart(left: dict[str, Any], right: dict[str, Any]) -> bool:
    needed = {*left.get("required", ())} & {*right.get("required", ())}
    ours, theirs = left.get("properties", {}), right.get("properties", {})
    for name in needed & ours.keys() & theirs.keys():
        one, other = ours[name], theirs[name]
        if is_object(one) and is_object(other):
            tags, others = _constants(one), _constants(other)
            if tags and others and not any(equal(a, b) for a in tags for b in others):
                return True
    return False


def common(branches: list[Any]) -> dict[str, Any]:
    """Return an object schema of what some object schemas have in common.

    It is no stricter than any of them. A member stands in it if all of them name it; its value
    is one of what they say, or anything where that would make classes of its own.
    """
    objects = [branch for branch in branches if is_object(branch)]
    named = [branch.get("properties", {}) for branch in objects]
    names = [name for name in named[0] if all(name in each for each in named)] if named else []
    said = {name: _several(each[name] for each in named) for name in names}
    members = {
        name: {"anyOf": schemas} if all(map(_is_plain, schemas)) else True
        for name, schemas in said.items()
    }
    needed = [name for name in names if all(name in each.get("required", ()) for each in objects)]
    return {"type": "object", "properties": members, "required": needed}


def _is_plain(schema: Any) -> bool:
    """Say whether a schema is a reference, or of values that have no parts."""
    if not is_object(schema):
        return False
    return "$ref" in schema or not _admitted(schema) & {"array", "object"}


def _several(schemas: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for schema in schemas:
        if schema not in found:
            found.append(schema)
    return found
