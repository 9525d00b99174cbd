"""Several schemas that hold together, as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from counterfoil.contract.values import is_object
from counterfoil.targets.models.rules import judging

# Keywords that one schema cannot take over from several.
_APART = frozenset(
    {
        "additionalProperties",
        "allOf",
        "anyOf",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "propertyNames",
        "then",
    }
)
# An allOf that holds itself would go on for ever.
_MOST = 100


def merged(parts: Iterable[Any], follow: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a schema that is no stricter than all parts together.

    Args:
        parts: schemas; those that are no objects are passed over.
        follow: writes out a reference at the top of a schema.
    """
    result: dict[str, Any] = {}
    pending = list(parts)
    for _ in range(_MOST):
        if not pending:
            break
        part = follow(pending.pop(0))
        if not is_object(part):
            continue
        pending += part.get("allOf", ())
        for key, value in judging(part).items():
            if key == "properties":
                known = result.setdefault(key, {})
                result[key] = {**known, **{each: _also(known, value, each) for each in value}}
            elif key == "required":
                result[key] = sorted({*result.get(key, ()), *value})
            elif key not in _APART:
                result.setdefault(key, value)
    return result


def without(schema: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return a schema without some of its members."""
    return {key: value for key, value in schema.items() if key not in keys}


def _also(known: dict[str, Any], added: dict[str, Any], name: str) -> Any:
    if name not in known or known[name] == added[name]:
        return added[name]
    return {"allOf": [known[name], added[name]]}
