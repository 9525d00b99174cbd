"""What no value satisfies, and what a schema says of itself and refuses."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import jsonschema_rs
from jsonschema_rs.canonical import CanonicalizationError, UnsatisfiableReason, find_unsatisfiable

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.report import Report
from counterfoil.contract.values import is_array, items, members
from counterfoil.lint.survey import Node, Place, Survey
from counterfoil.schema.judge import fast_judge
from counterfoil.schema.refs import unescape
from counterfoil.schema.sentences import shown

# Each round uncovers what an impossible part hid; nobody hides more than a few.
_ROUNDS = 8
# RFC 3986, fragment.
_FRAGMENT = "/~!$&'()*+,;=:@?"


def judge_values(survey: Survey, sound: tuple[Place, ...], report: Report) -> None:
    """Report schemas that nothing satisfies, and defaults and examples that their schema refuses.

    Args:
        sound: places whose schemas are valid and whose references lead somewhere.
    """
    for place in sound:
        schema = survey.standalone(place)
        _judge_possible(place, schema, report)
        for node in place.nodes:
            if "default" in node.data or "examples" in node.data:
                _judge_samples(place, node, schema, report)


def _judge_possible(place: Place, schema: Any, report: Report) -> None:
    for _ in range(_ROUNDS):
        found = _impossible(schema)
        causes = _causes(found)
        for pointer in causes:
            # What was bundled in has a place of its own, and is reported there.
            if f"{place.pointer}{pointer}" in place.pointers:
                message = f"no value satisfies this schema: {_why(found[pointer])}"
                report.add("CF137", f"{place.pointer}{pointer}", message)
        if not causes or "" in causes:
            return
        schema = _opened(schema, causes)


def _causes(found: Mapping[str, UnsatisfiableReason]) -> list[str]:
    """Return the schemas that are impossible by themselves, not by what they hold or refer to."""
    innermost = [
        pointer for pointer in found if not any(other.startswith(f"{pointer}/") for other in found)
    ]
    defined = [pointer for pointer in innermost if pointer.startswith("/$defs/")]
    return defined or innermost


def _impossible(schema: Any) -> dict[str, UnsatisfiableReason]:
    """Return what no value satisfies, without what was written as ``false``."""
    try:
        found = find_unsatisfiable(
            schema, draft=jsonschema_rs.Draft202012, validate_formats=False, offline=True
        )
    except (CanonicalizationError, jsonschema_rs.ReferencingError, ValueError):
        # A pattern that Rust does not read, or more than the engine models: an unknown verdict.
        return {}
    return {
        pointer: reason
        for pointer, reason in found.items()
        if not isinstance(reason, UnsatisfiableReason.Literal)
        and _at(schema, pointer) not in ({"not": {}}, {"not": True})
    }


def _why(reason: UnsatisfiableReason) -> str:
    if isinstance(reason, UnsatisfiableReason.Conflict):
        causes = reason.causes
    elif isinstance(reason, UnsatisfiableReason.Empty):
        causes = [reason.cause]
    else:
        causes = []
    keywords = list(dict.fromkeys(keyword for cause in causes for keyword in cause.keywords))
    if len(keywords) > 1:
        return f"{', '.join(keywords)} exclude one another"
    return f"{''.join(keywords) or 'it'} leaves nothing"


def _opened(schema: Any, pointers: list[str]) -> Any:
    """Return a copy in which the schemas at the pointers, none the root, take everything."""
    result = copy.deepcopy(schema)
    for pointer in pointers:
        head, _, last = pointer.rpartition("/")
        parent = _at(result, head)
        parent[int(last) if is_array(parent) else unescape(last)] = True
    return result


def _at(schema: Any, pointer: str) -> Any:
    node = schema
    for token in pointer.split("/")[1:]:
        node = node[int(token)] if is_array(node) else node[unescape(token)]
    return node


def _judge_samples(place: Place, node: Node, schema: Any, report: Report) -> None:
    try:
        validator = _validator(place, node, schema)
    except ValueError:
        # Only a pattern can be the reason here, and it has a finding of its own.
        return
    for pointer, value in _samples(node):
        if not validator.is_valid(value):
            error = next(iter(validator.iter_errors(value)))
            message = f"{shown(value)} is refused by its own schema: {bounded(error.message, 120)}"
            report.add("CF129", f"{node.pointer}{pointer}", message)


def _samples(node: Node) -> Iterator[tuple[str, Any]]:
    if "default" in node.data:
        yield "/default", node.data["default"]
    for index, value in enumerate(items(node.data.get("examples"))):
        yield f"/examples/{index}", value


def _validator(place: Place, node: Node, schema: Any) -> jsonschema_rs.Validator:
    """Return the validator of one subschema, with the schemas that it may refer to."""
    if not node.keyword:
        return fast_judge(schema)
    inner = f"{node.pointer}/"
    references = [
        reference
        for each, reference in place.references
        if each.pointer == node.pointer or each.pointer.startswith(inner)
    ]
    if all(reference.startswith("#/$defs/") for reference in references):
        shared = members(members(schema).get("$defs"))
        return fast_judge({**node.data, "$defs": shared} if references else node.data)
    validators = jsonschema_rs.validator_map_for(schema, validate_formats=False, offline=True)
    return validators[f"#{quote(node.pointer[len(place.pointer) :], safe=_FRAGMENT)}"]
