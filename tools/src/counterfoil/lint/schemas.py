"""Whether a schema is one: valid in its dialect, small enough, and free of what breaks bundling."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping

import jsonschema_rs

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.lint.survey import DEEPEST, LARGEST, Node, Place
from counterfoil.schema.dialects import divergence, is_known

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_UNBUNDLED: Mapping[str, str] = {
    "$anchor": "two schemas that are put into one document may use the same anchor",
    "$dynamicAnchor": "what it means depends on who refers to it, which generated code cannot know",
    "$dynamicRef": "where it leads depends on who refers to it, which generated code cannot know",
    "$id": "references below it no longer lead to the contract",
    "$vocabulary": "it is for meta-schemas",
}
_IDLE: Mapping[str, str] = {
    "$recursiveAnchor": "there is no such keyword since 2020-12",
    "$recursiveRef": "write $ref",
    "additionalItems": "write items beside prefixItems",
    "definitions": "write $defs",
    "dependencies": "write dependentRequired or dependentSchemas",
    "divisibleBy": "write multipleOf",
    "example": "write examples with a list",
    "nullable": 'write "type": ["string", "null"], with the type that is meant',
    "optional": "leave the name out of required",
}
_KNOWN = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "$vocabulary",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "dependentRequired",
        "dependentSchemas",
        "deprecated",
        "description",
        "else",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "readOnly",
        "required",
        "then",
        "title",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
        "writeOnly",
    }
)
# How alike an unknown keyword must be to a known one to be taken for a slip.
_ALIKE = 0.85
_METASCHEMA = {"$ref": DIALECT}


@functools.cache
def _metaschema() -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator(_METASCHEMA, validate_formats=False, offline=True)


def judge_schemas(places: tuple[Place, ...], report: Report) -> tuple[Place, ...]:
    """Report what keeps schemas from being used at all.

    Returns:
        The places whose schemas are valid and bounded; only they can be judged further.
    """
    return tuple(place for place in places if _judge(place, report))


def _judge(place: Place, report: Report) -> bool:
    if not _within_bounds(place, report):
        return False
    named = _judge_dialect(place, report)
    valid = _judge_validity(place, report) if named else False
    for node in place.nodes:
        if not node.data.keys() <= _KNOWN or not node.data.keys().isdisjoint(_UNBUNDLED):
            _judge_keywords(node, report)
    return valid


def _within_bounds(place: Place, report: Report) -> bool:
    deep = next((node for node in place.nodes if node.depth > DEEPEST), None)
    if deep is not None:
        report.add("CF127", deep.pointer, f"schema is nested more than {DEEPEST} deep")
    large = len(place.nodes) > LARGEST
    if large:
        report.add("CF127", place.pointer, f"schema has more than {LARGEST} subschemas")
    return deep is None and not large


def _judge_dialect(place: Place, report: Report) -> bool:
    """Report ``$schema`` where it does not belong; say whether the schema is in our dialect."""
    ours = True
    for node in place.nodes:
        if "$schema" not in node.data:
            continue
        pointer = f"{node.pointer}/$schema"
        dialect = node.data["$schema"]
        if is_known(dialect) and not node.keyword and place.role != "shared":
            ours = _judge_agreement(place, dialect, report) and ours
        elif dialect != DIALECT:
            ours = False
            report.add("CF121", pointer, f"the dialect is {bounded(repr(dialect), 80)}")
        elif node.keyword or place.role == "shared":
            report.add(
                "CF121",
                pointer,
                "only the root of a tool's or route's schema can name its dialect",
                "take it out: 2020-12 is the dialect of every schema here",
            )
    return ours


def _judge_agreement(place: Place, dialect: str, report: Report) -> bool:
    """Report where a schema of an older dialect would say something else in ours."""
    agreed = True
    for node in place.nodes:
        keyword = divergence(dialect, node.data)
        if keyword:
            agreed = False
            message = f"{keyword} means something else in {bounded(dialect, 80)}"
            report.add("CF121", f"{node.pointer}/{escape(keyword)}", message)
    return agreed


def _judge_validity(place: Place, report: Report) -> bool:
    validator = _metaschema()
    if validator.is_valid(place.schema):
        return True
    for error in validator.iter_errors(place.schema):
        tail = "".join(f"/{escape(str(token))}" for token in error.instance_path)
        report.add("CF120", f"{place.pointer}{tail}", bounded(error.message))
    return False


def _judge_keywords(node: Node, report: Report) -> None:
    for keyword in node.data:
        pointer = f"{node.pointer}/{escape(keyword)}"
        if keyword in _UNBUNDLED:
            report.add("CF124", pointer, f"{keyword} cannot be bundled: {_UNBUNDLED[keyword]}")
        elif keyword in _IDLE:
            report.add("CF125", pointer, f"{keyword} has no effect", _IDLE[keyword])
        elif keyword not in _KNOWN and not keyword.startswith("x-"):
            near = difflib.get_close_matches(keyword, _KNOWN, n=1, cutoff=_ALIKE)
            if near:
                message = f"{keyword} has no effect; did you mean {near[0]}?"
                report.add("CF125", pointer, message)
