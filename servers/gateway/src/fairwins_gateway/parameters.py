"""Values of a request's path, query and body, held against the document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fairwins_gateway.document import Operation, Parameter
from fairwins_gateway.errors import Refusal
from fairwins_gateway.jsontext import JsonObject, parse

MAX_SEARCH = 128  # characters of a search that count; the rest is dropped, not refused
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_SYNTAX_CODES = ("bad_request", "invalid_params", "invalid_cursor")

Values = dict[str, Any]


def read_values(
    operation: Operation, path: Mapping[str, str], query: Sequence[tuple[str, str]]
) -> Values:
    """Return the values of a request's parameters by name; those that are not there are left out.

    Names that the document does not know are ignored, as the Member API ignores them.

    Raises:
        Refusal: a value does not match its pattern, is there twice, or is missing.
    """
    values: Values = {}
    for parameter in operation.parameters:
        given = [path[parameter.name]] if parameter.place == "path" else _given(parameter, query)
        if len(given) > 1:
            raise _refuse(operation, parameter, "is there twice")
        if not given:
            if parameter.required:
                raise _refuse(operation, parameter, "is missing")
            continue
        if not parameter.pattern.is_valid(given[0]):
            raise _refuse(operation, parameter, "is not a value that this route takes")
        values[parameter.name] = int(given[0]) if parameter.integer else given[0]
    return values


def read_body(operation: Operation, body: bytes) -> JsonObject:
    """Return a request's JSON body; an empty object for a route that takes none.

    Raises:
        Refusal: it is no JSON, or not of the form that the document asks for.
    """
    if operation.body is None:
        return {}
    try:
        value: JsonObject = parse(body)
    except ValueError as error:
        raise Refusal(400, "bad_request", f"the body is not JSON: {error}") from error
    for fault in operation.body.iter_errors(value):
        place = "".join(f"/{step}" for step in fault.instance_path) or "the body"
        sentence = " ".join(fault.message.split())
        short = sentence if len(sentence) <= 160 else "is not of the form that is asked for"
        raise Refusal(400, "bad_request", f"{place}: {short}")
    return value


def _given(parameter: Parameter, query: Sequence[tuple[str, str]]) -> list[str]:
    given = [value for name, value in query if name == parameter.name]
    if parameter.name != "q":
        return given
    searches = (_CONTROL.sub(" ", value)[:MAX_SEARCH] for value in given)
    return [search for search in searches if search]


def _refuse(operation: Operation, parameter: Parameter, what: str) -> Refusal:
    sentence = f"the {parameter.place} parameter {parameter.name} {what}"
    if parameter.name == "chainId" and operation.lists(404, "unsupported_chain"):
        return Refusal(404, "unsupported_chain", sentence)
    code = next(code for code in _SYNTAX_CODES if operation.lists(400, code))
    return Refusal(400, code, sentence)
