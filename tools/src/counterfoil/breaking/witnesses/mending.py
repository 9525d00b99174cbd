"""Mend a value that its schema does not take: add what it lacks, drop what it may not hold."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema_rs

from counterfoil.breaking.walker.nodes import Located
from counterfoil.breaking.witnesses.values import Source, member_of
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_object, texts

_ROUNDS = 8
_Kinds = jsonschema_rs.ValidationErrorKind


def mended(value: Any, judge: jsonschema_rs.Validator, source: Source) -> Any:
    """Return a copy of a value with a few rounds of mending; it may still be refused."""
    made = copy.deepcopy(value)
    for _ in range(_ROUNDS):
        error = next(iter(judge.iter_errors(made)), None)
        if error is None or not _mend(made, error, source):
            break
    return made


def _mend(value: Any, error: jsonschema_rs.ValidationError, source: Source) -> bool:
    part = value
    for token in error.instance_path:
        # The engine gives a member whose name is a number as that number.
        part = part[str(token)] if is_object(part) else part[token]
    if not is_object(part):
        return False
    kind = error.kind
    if isinstance(kind, _Kinds.Required):
        part[kind.property] = source.simplest(_member(error, kind.property, source), 2)
        return True
    if isinstance(kind, _Kinds.AdditionalProperties | _Kinds.UnevaluatedProperties):
        for name in texts(kind.unexpected):
            part.pop(name, None)
        return True
    return False


def _member(error: jsonschema_rs.ValidationError, name: str, source: Source) -> Located:
    """Return the schema of a member that is lacking, from where the schema asks for it."""
    tokens = [escape(str(token)) for token in error.schema_path[:-1]]
    while True:
        pointer = "".join(f"/{token}" for token in tokens)
        located = source.reader.target(f"#{pointer}")
        if located is not None and is_object(located.schema):
            node = source.reader.node(located)
            if name in node.members or not tokens:
                return member_of(node, name)
        if not tokens:
            return Located(True, "")
        tokens.pop()
