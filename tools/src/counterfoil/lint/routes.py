"""Whether a route's path, parameters and answers agree with one another."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from counterfoil.contract.model import Part
from counterfoil.contract.placeholders import named
from counterfoil.contract.report import Report
from counterfoil.contract.values import items, members
from counterfoil.lint.survey import Survey
from counterfoil.schema.judge import fast_judge
from counterfoil.schema.refs import DanglingReference, follow, unescape
from counterfoil.schema.sentences import shown


def judge_routes(survey: Survey, sound: Set[str], report: Report) -> None:
    """Report routes whose parts do not agree.

    Args:
        sound: pointers of schemas that are valid and whose references lead somewhere.
    """
    for server in survey.contract.servers:
        for route in server.parts("routes"):
            _judge_path(route, report)
            response = survey.place(route, "response")
            if response is not None and response.pointer in sound:
                _judge_unreadable(route, survey.standalone(response), report)


def _judge_path(route: Part, report: Report) -> None:
    path: str = route.data["path"]
    pointer = f"{route.pointer}/path"
    names = named(path)
    declared = [parameter["name"] for parameter in items(route.data.get("pathParams"))]
    for name in sorted(set(names) - set(declared)):
        report.add("CF150", pointer, f"{{{name}}} has no entry in pathParams")
    for name in sorted({name for name in names if names.count(name) > 1}):
        report.add("CF150", pointer, f"{{{name}}} stands twice in the path")
    for index, name in enumerate(declared):
        if name not in names:
            at = f"{route.pointer}/pathParams/{index}/name"
            report.add("CF150", at, f'"{name}" has no place in the path {path}')
    if {".", ".."} & set(path.split("/")):
        report.add("CF151", pointer, f"{path} has a dot segment, which is collapsed on the way")


def _judge_unreadable(route: Part, response: Any, report: Report) -> None:
    for index, entry in enumerate(items(route.data.get("unreadable"))):
        for key in ("at", "reason"):
            if key not in entry:
                continue
            found = _followed(response, entry[key])
            pointer = f"{route.pointer}/unreadable/{index}/{key}"
            if isinstance(found, str):
                message = f"the response declares no {shown(found)} on the way to {entry[key]}"
                report.add("CF159", pointer, message)
            elif key == "at" and found and not _allowed(found, response, entry["value"]):
                pointer = f"{route.pointer}/unreadable/{index}/value"
                message = f"the response does not allow {shown(entry['value'])} at {entry['at']}"
                report.add("CF159", pointer, message)


def _followed(root: Any, pointer: str) -> list[Any] | str:
    """Return the schemas of what a pointer leads to, ``*`` being every member.

    Empty where the schemas stop saying anything; a token that none of those that name members
    names is returned itself.
    """
    schemas = [root]
    for name in map(unescape, pointer.split("/")[1:]):
        steps = [_stepped(each, name) for each in _alternatives(schemas, root)]
        spoken = [step for step in steps if step is not None]
        schemas = [schema for step in spoken for schema in step]
        if not schemas:
            return name if spoken else []
    return schemas


def _stepped(schema: Any, name: str) -> list[Any] | None:
    """Return the schemas of a member; ``None`` where the schema does not speak of members."""
    data = members(schema)
    properties = members(data.get("properties"))
    rest = data.get("additionalProperties")
    inner = [data[key] for key in ("items", "contains") if isinstance(data.get(key), dict)]
    inner += items(data.get("prefixItems"))
    patterned = list(members(data.get("patternProperties")).values())
    if name == "*":
        found = [*properties.values(), *patterned, *inner, *([rest] if rest else [])]
        return found or None
    if name in properties:
        return [properties[name]]
    if isinstance(rest, dict) or patterned:
        return [*patterned, *([rest] if rest else [])]
    if name.isdigit() and inner:
        return inner
    if schema is False or properties or rest is False or inner:
        return []
    return None


def _alternatives(schemas: list[Any], root: Any) -> list[Any]:
    """Return schemas with all that judge the same value beside them, references followed."""
    found: list[Any] = []
    seen: set[str] = set()
    pending = list(schemas)
    while pending:
        current = pending.pop(0)
        data = members(current)
        found.append(current)
        for key in ("allOf", "anyOf", "oneOf"):
            pending += items(data.get(key))
        pending += [data[key] for key in ("then", "else") if key in data]
        reference = data.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            seen.add(reference)
            try:
                pending.append(follow(root, reference))
            except DanglingReference:
                continue
    return found


def _allowed(schemas: list[Any], root: Any, value: Any) -> bool:
    """Say whether one of the schemas takes a value."""
    shared = members(members(root).get("$defs"))
    for schema in schemas:
        try:
            whole = {**members(schema), "$defs": shared} if isinstance(schema, dict) else schema
            if fast_judge(whole).is_valid(value):
                return True
        except ValueError:
            # A pattern that Rust does not read, or a reference into the middle of the answer.
            return True
    return False
