"""First cases of a tool that has none: made from its schema, and judged by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.contract.canonical import compact
from counterfoil.contract.excerpts import bounded
from counterfoil.contract.model import Tool
from counterfoil.contract.values import is_object, members, texts
from counterfoil.schema.judge import faults, judge
from counterfoil.schema.patterns import PatternError
from counterfoil.schema.refs import bundled
from counterfoil.targets.fidelity.builder import Builder
from counterfoil.targets.fidelity.mutations import MISSING, mutations

# Every name says that nobody has thought about the case yet.
_MARK = "generated"
_ACCEPTED, _REFUSED = 4, 8
_LONGEST = 2000  # characters of a value; a longer one helps nobody who reads
_OTHER_TYPES: tuple[Any, ...] = (None, 7, "text", True, [], {})
_NO_RESULTS: tuple[Any, ...] = ("text", [], {})
_NO_OBJECTS: tuple[Any, ...] = ("text", [], None, 7, True)


def generated_cases(tool: Tool, shared: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return cases whose verdicts are the schema's own; they show what it does, not what it should.

    Args:
        tool: whose cases.
        shared: the contract's shared schemas.

    Returns:
        ``None`` where no call is found that the schema takes.
    """
    try:
        made = _calls(bundled(tool.input_schema, shared))
    except (PatternError, ValueError, RecursionError):
        return None
    if not made["accepted"]:
        return None
    if tool.output_schema is not None:
        results = _results(bundled(tool.output_schema, shared))
        if results["accepted"]:
            made["results"] = results
    return made


def _calls(schema: dict[str, Any]) -> dict[str, Any]:
    builder, verdict = Builder(schema), judge(schema)
    taken = [
        value
        for value in _distinct([{}, *builder.values(schema), *_open(builder, schema)])
        if is_object(value) and not faults(verdict, value)
    ][:_ACCEPTED]
    refused: list[dict[str, Any]] = []
    for name, value in _broken(schema, taken[-1] if taken else {}, builder):
        found = faults(verdict, value)
        if found and all(each["name"] != f"{_MARK}: {name}" for each in refused):
            refused.append({**_case(name, "arguments", value), "because": _because(found)})
    return {
        "accepted": [_case(_shown(value), "arguments", value) for value in taken],
        "refused": refused[:_REFUSED],
    }


def _open(builder: Builder, schema: dict[str, Any]) -> Iterator[Any]:
    """Yield calls with one argument more, which an open schema takes."""
    first = builder.first(schema)
    if is_object(first):
        yield {**first, "another_argument": "text"}


def _broken(
    schema: dict[str, Any], base: dict[str, Any], builder: Builder
) -> Iterator[tuple[str, Any]]:
    """Yield calls that may be refused, with a name of what is wrong with each."""
    for name in texts(schema.get("required")):
        yield f"without {name}", {key: base[key] for key in base if key != name}
    for name, member in members(schema.get("properties")).items():
        given = base.get(name, builder.first(member))
        parts = (member,) if is_object(member) else ()
        for value in mutations(given, parts, builder):
            if value is not MISSING and type(value) is type(given) and value != given:
                yield f"{name} out of bounds", {**base, name: value}
        for value in _OTHER_TYPES:
            if type(value) is not type(given):
                yield f"{name} of another type", {**base, name: value}
    yield "an argument that is not known", {**base, "another_argument": "text"}
    for value in _NO_OBJECTS:
        yield f"{compact(value)} in place of arguments", value


def _results(schema: dict[str, Any]) -> dict[str, Any]:
    builder, verdict = Builder(schema), judge(schema)
    taken = [value for value in _distinct(builder.values(schema)) if not faults(verdict, value)][:2]
    refused = [
        {
            **_case(f"{compact(value)} in place of a result", "value", value),
            "because": _because(found),
        }
        for value in _NO_RESULTS
        if (found := faults(verdict, value))
    ]
    accepted = [_case(_shown(value), "value", value) for value in taken]
    return {"accepted": accepted, "refused": refused[:2]}


def _distinct(values: list[Any]) -> Iterator[Any]:
    seen: set[str] = set()
    for value in values:
        text = compact(value)
        if text not in seen and len(text) <= _LONGEST:
            seen.add(text)
            yield value


def _case(name: str, key: str, value: Any) -> dict[str, Any]:
    return {"name": bounded(f"{_MARK}: {name}", 120), key: value}


def _shown(value: Any) -> str:
    return bounded(compact(value), 80)


def _because(found: list[tuple[str, str]]) -> str:
    pointer, sentence = found[0]
    return f"the schema says: {f'{pointer[1:]} ' if pointer else ''}{sentence}"
