"""Whether a tool's call and the route that carries it out agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.model import Part, Server, Tool
from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import items, members, text, texts
from counterfoil.lint.arguments import judge_argument
from counterfoil.lint.survey import Place, Survey
from counterfoil.schema.refs import DanglingReference, follow

_PRICED = frozenset({"assistant", "build", "read"})
_AUTH = {"route": ("bearer", "grant"), "public": ("none", "none")}


@dataclass(frozen=True)
class _Input:
    """What a tool takes, with references followed.

    Attributes:
        schema: the whole schema, standing on its own.
        properties: schemas of the arguments by name.
        pointers: where each stands in the contract.
        required: names that a value must have.
        filled: names that a call always has: required, or with a default.
        closed: whether it takes nothing else.
    """

    schema: Any
    properties: Mapping[str, Any]
    pointers: Mapping[str, str]
    required: frozenset[str]
    filled: frozenset[str]
    closed: bool


def judge_execution(survey: Survey, sound: Set[str], report: Report) -> None:
    """Report tools and resources that their routes cannot serve as written.

    Args:
        sound: pointers of schemas that are valid and whose references lead somewhere.
    """
    for server in survey.contract.servers:
        for tool in server.tools:
            if "route" not in tool.exec:
                continue
            route = server.routes.get(tool.exec["route"])
            if route is None:
                _report_missing(tool.exec["route"], f"{tool.pointer}/exec/route", server, report)
                continue
            _judge_agreement(tool, route, report)
            place = survey.place(tool, "input")
            if place is not None and place.pointer in sound:
                given = _input(survey, place)
                _judge_call(tool, route, given, report)
                _judge_body(tool, route, given, _body(survey, route, sound), report)
        for resource in server.parts("resources"):
            _judge_resource(resource, server, report)


def _report_missing(name: str, pointer: str, server: Server, report: Report) -> None:
    known = ", ".join(sorted(server.routes)) or "none"
    report.add("CF152", pointer, f'"{name}" is no route of this server', f"routes: {known}")


def _judge_resource(resource: Part, server: Server, report: Report) -> None:
    name = members(resource.data["source"]).get("route")
    if name is None:
        return
    pointer = f"{resource.pointer}/source/route"
    route = server.routes.get(name)
    if route is None:
        _report_missing(name, pointer, server, report)
        return
    asks = [parameter["name"] for parameter in items(route.data.get("pathParams"))]
    asks += [each["name"] for each in items(route.data.get("queryParams")) if each.get("required")]
    if route.data["method"] != "GET":
        report.add("CF160", pointer, f"a resource is read, and {name} is a {route.data['method']}")
    if asks:
        report.add("CF160", pointer, f"{name} asks for {', '.join(asks)}, which nobody gives")


def _judge_agreement(tool: Tool, route: Part, report: Report) -> None:
    auth, credential = _AUTH[tool.exec["kind"]]
    if route.data["auth"] != auth:
        message = f'kind "{tool.exec["kind"]}" calls routes with auth "{auth}"; '
        message += f'{route.name} has "{route.data["auth"]}"'
        report.add("CF157", f"{tool.pointer}/exec/kind", message)
    elif tool.data["auth"] != credential:
        message = f'{route.name} has auth "{auth}", which asks the tool for "{credential}"'
        report.add("CF157", f"{tool.pointer}/auth", message)
    scope, wanted = tool.data.get("scope"), route.data.get("scope")
    if scope != wanted:
        at = f"{tool.pointer}/scope" if scope else tool.pointer
        message = f"the scope is {scope or 'missing'}, that of {route.name} {wanted or 'missing'}"
        report.add("CF157", at, message)
    if tool.priced != (route.data["class"] in _PRICED):
        at = f"{tool.pointer}/priced" if "priced" in tool.data else tool.pointer
        what = "can" if route.data["class"] in _PRICED else "can never"
        message = f'{route.name} {what} be priced (class "{route.data["class"]}"); the tool differs'
        report.add("CF157", at, message)


def _judge_call(tool: Tool, route: Part, given: _Input, report: Report) -> None:
    used: set[str] = set()
    for kind, pointer, name in _passed(tool):
        used.add(name)
        if name not in given.properties:
            report.add("CF153", pointer, f'"{name}" is no argument of {tool.name}')
        parameter = _parameter(route, kind, name)
        if kind != "body" and parameter is None:
            report.add("CF154", pointer, f'"{name}" is no {kind} parameter of {route.name}')
        elif kind == "path" and parameter is not None and name in given.properties:
            schema, at = given.properties[name], given.pointers[name]
            judge_argument(schema, given.schema, parameter["pattern"], at, report)
    for name, at in given.pointers.items():
        if name not in used:
            report.add("CF156", at, f'"{name}" goes nowhere: {route.name} never gets it')
    for kind, name in _required(route):
        _judge_filled(tool, kind, name, given, report)


def _judge_filled(tool: Tool, kind: str, name: str, given: _Input, report: Report) -> None:
    """Report what a route asks for and a call may lack."""
    passed = name in texts(tool.exec.get(kind))
    if not passed or (name in given.properties and name not in given.filled):
        how = "a call may lack it" if passed else "nothing fills it"
        message = f'{tool.exec["route"]} needs "{name}" in its {kind}; {how}'
        report.add("CF155", f"{tool.pointer}/exec", message)


def _judge_body(
    tool: Tool, route: Part, given: _Input, body: _Input | None, report: Report
) -> None:
    passed = texts(tool.exec.get("body"))
    if passed and "body" not in route.data:
        report.add("CF154", f"{tool.pointer}/exec/body", f"{route.name} takes no body")
    if body is None:
        return
    for index, name in enumerate(passed):
        if body.closed and name not in body.properties:
            at = f"{tool.pointer}/exec/body/{index}"
            report.add("CF154", at, f'"{name}" is no member of the body of {route.name}')
    for name in sorted(body.required):
        _judge_filled(tool, "body", name, given, report)


def _passed(tool: Tool) -> Iterator[tuple[str, str, str]]:
    """Yield what kind of parameter each argument becomes, where that is said, and its name."""
    for kind in ("path", "query", "body"):
        for index, name in enumerate(texts(tool.exec.get(kind))):
            yield kind, f"{tool.pointer}/exec/{kind}/{index}", name


def _parameter(route: Part, kind: str, name: str) -> Mapping[str, Any] | None:
    entries = items(route.data.get(f"{kind}Params"))
    return next((entry for entry in entries if entry["name"] == name), None)


def _required(route: Part) -> Iterator[tuple[str, str]]:
    for entry in items(route.data.get("pathParams")):
        yield "path", entry["name"]
    for entry in items(route.data.get("queryParams")):
        if entry.get("required"):
            yield "query", entry["name"]


def _body(survey: Survey, route: Part, sound: Set[str]) -> _Input | None:
    """Return what a route's body holds, or ``None`` where there is none that can be read."""
    place = survey.place(route, "body")
    return _input(survey, place) if place is not None and place.pointer in sound else None


def _input(survey: Survey, place: Place) -> _Input:
    """Gather the members of an object from its schema, what it refers to, and its ``allOf``."""
    schema = survey.standalone(place)
    properties: dict[str, Any] = {}
    pointers: dict[str, str] = {}
    required: set[str] = set()
    closed = False
    pending, seen = [(schema, place.pointer)], set[str]()
    while pending:
        node, pointer = pending.pop()
        data = members(node)
        for name, each in members(data.get("properties")).items():
            properties[name] = each
            pointers[name] = f"{pointer}/properties/{escape(name)}"
        required.update(texts(data.get("required")))
        closed = closed or data.get("additionalProperties") is False
        for index, each in enumerate(items(data.get("allOf"))):
            pending.append((each, f"{pointer}/allOf/{index}"))
        reference = text(data.get("$ref"))
        if reference and reference not in seen:
            seen.add(reference)
            pending.append((_target(schema, reference), survey.leads(place, reference)))
    filled = required | {name for name, each in properties.items() if _has_default(each, schema)}
    return _Input(schema, properties, pointers, frozenset(required), frozenset(filled), closed)


def _has_default(schema: Any, root: Any) -> bool:
    data = members(schema)
    target = members(_target(root, text(data.get("$ref"))))
    return "default" in data or "default" in target


def _target(root: Any, reference: str) -> Any:
    try:
        return follow(root, reference)
    except DanglingReference:
        return {}
