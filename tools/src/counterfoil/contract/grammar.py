"""The grammar of a contract, and what to say when a contract breaks it."""

from __future__ import annotations

import difflib
import functools
import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

import jsonschema_rs

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import members

GRAMMAR_FILE = "contract.schema.json"
_LONGEST = 300
_KIND = jsonschema_rs.ValidationErrorKind


@functools.cache
def grammar_text() -> str:
    """Return the text of ``contract.schema.json`` as it ships with this package."""
    return (resources.files("counterfoil.contract") / GRAMMAR_FILE).read_text("utf-8")


@functools.cache
def grammar() -> dict[str, Any]:
    """Return the grammar as data. Callers do not change it."""
    data: dict[str, Any] = json.loads(grammar_text())
    return data


@functools.cache
def _validator() -> Any:
    return jsonschema_rs.validator_for(grammar())


def judge_grammar(data: Any, report: Report) -> bool:
    """Report every way in which the data breaks the grammar (CF103).

    Returns:
        Whether the data keeps it.
    """
    validator = _validator()
    if validator.is_valid(data):
        return True
    for error in validator.iter_errors(data):
        base = "".join(f"/{escape(str(token))}" for token in error.instance_path)
        for pointer, message, hint in _sentences(error, base):
            report.add("CF103", pointer, message, hint)
    return False


def _sentences(error: Any, base: str) -> Iterator[tuple[str, str, str]]:
    kind = error.kind
    if isinstance(kind, _KIND.AdditionalProperties):
        allowed = _allowed(error.schema_path)
        for name in kind.unexpected:
            near = difflib.get_close_matches(name, allowed, n=1)
            guess = f'did you mean "{near[0]}"? ' if near else ""
            known = f"known here: {', '.join(allowed)}" if allowed else ""
            yield f"{base}/{escape(name)}", f'"{name}" is not known here', guess + known
    elif isinstance(kind, _KIND.PropertyNames):
        yield base, f"bad name: {kind.error.message}", ""
    elif isinstance(kind, _KIND.FalseSchema):
        yield base, "this is not allowed here", _described(error.schema_path)
    else:
        yield base, bounded(error.message, _LONGEST), _described(error.schema_path)


def _follow(schema_path: list[Any]) -> dict[str, Any]:
    """Return the grammar's object that holds the keyword at the end of the path."""
    node: Any = grammar()
    for token in schema_path[:-1]:
        try:
            node = node[token]
        except (KeyError, IndexError, TypeError):
            return {}
    return members(node)


def _allowed(schema_path: list[Any]) -> list[str]:
    properties = _follow(schema_path).get("properties", {})
    return sorted(name for name, schema in properties.items() if schema is not False)


def _described(schema_path: list[Any]) -> str:
    return str(_follow(schema_path).get("description", ""))
