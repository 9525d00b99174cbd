"""What the page says of one tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from counterfoil.contract.model import Part, Server, Tool
from counterfoil.contract.values import items, members
from counterfoil.targets.page.markup import (
    anchor,
    code,
    deprecation,
    fragment,
    json_text,
    paragraphs,
    words,
)
from counterfoil.targets.page.shapes import Shapes

# A page shows how calls look; the case file has all of them.
ACCEPTED_SHOWN = 6
REFUSED_SHOWN = 12
RESULTS_SHOWN = 3
_LONG_RESULT = 6_000  # characters of JSON; a longer one is left to the case file
_NEEDS = {
    "grant": "a credential",
    "local": "nothing; the call never leaves the application that makes it",
    "none": "nothing",
}
_SURFACES = {"assistant": "the assistant’s tool table", "mcp": "the MCP server"}


def shown_cases(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a tool's case file that the page is made from."""
    accepted, refused = items(case.get("accepted")), items(case.get("refused"))
    results = items(members(case.get("results")).get("accepted"))
    shown = {
        "accepted": accepted[:ACCEPTED_SHOWN],
        "refused": refused[:REFUSED_SHOWN],
        "results": results[:RESULTS_SHOWN],
    }
    more = len(accepted) + len(refused) + len(results) - sum(map(len, shown.values()))
    return {**shown, "more": more}


def tool_article(server: Server, tool: Tool, cases: Mapping[str, Any], shapes: Shapes) -> Markup:
    """Return the article of a tool.

    Args:
        server: the server that has it.
        tool: the tool.
        cases: what :func:`shown_cases` keeps of its case file.
        shapes: describes schemas.
    """
    output = tool.output_schema
    return fragment(
        "tool",
        id=anchor(server.id, "tool", tool.name),
        server=server.id,
        name=tool.name,
        title=tool.data.get("title", ""),
        description=paragraphs(tool.description),
        flags=_flags(tool),
        facts=_facts(server, tool),
        deprecated=deprecation(tool.data.get("deprecated")),
        arguments=shapes.arguments(tool.input_schema),
        result=None if output is None else shapes.result(output),
        unreadable=unreadable(server.routes.get(tool.exec.get("route", ""))),
        accepted=_accepted(tool, cases["accepted"]),
        refused=_refused(cases["refused"]),
        results=_results(cases["results"]),
        more=cases["more"],
        served=tool.served,
    )


def unreadable(route: Part | None) -> list[dict[str, Markup]]:
    """Return the places of a route's answer that can say "could not be read"."""
    return [
        {
            "at": code(place["at"]),
            "value": code(json_text(place["value"], indent=None)),
            "reason": code(place["reason"]) if "reason" in place else Markup(),
            "meaning": words(place["meaning"]),
        }
        for place in (route.data.get("unreadable", ()) if route else ())
    ]


def _flags(tool: Tool) -> list[tuple[str, str]]:
    """Return what is to be seen at a glance: a style, and the words that say it."""
    hints = members(tool.data.get("annotations"))
    found: list[tuple[str, str]] = []
    if hints.get("readOnlyHint", False):
        found.append(("calm", "Reads only"))
    elif hints.get("destructiveHint", True):
        found.append(("grave", "May change or destroy"))
    else:
        found.append(("alert", "May add or change"))
    if tool.priced:
        found.append(("alert", "May ask for a payment"))
    if not tool.served:
        found.append(("plain", "Not on the MCP server"))
    if "deprecated" in tool.data:
        found.append(("grave", "Deprecated"))
    return found


def _facts(server: Server, tool: Tool) -> list[tuple[str, Markup]]:
    data = tool.data
    needs = escape(_NEEDS[data["auth"]])
    if "scope" in data:
        needs += Markup(" with the scope ") + code(data["scope"])
    offered = " and ".join(_SURFACES[each] for each in sorted(tool.surfaces, reverse=True))
    price = "a call may be answered with a price" if tool.priced else "none"
    found = [("Needs", needs), ("Price", escape(price)), ("Offered by", escape(offered))]
    if "annotations" in data:
        found.append(("Effects", _effects(data["annotations"])))
    route = server.routes.get(tool.exec.get("route", ""))
    if route:
        link = Markup('<a href="#{}"><code>{} {}</code></a>')
        place = anchor(server.id, "route", route.name)
        found.append(("Calls", link.format(place, route.data["method"], route.data["path"])))
        found += _carried(tool)
    return found


def _carried(tool: Tool) -> list[tuple[str, Markup]]:
    """Return which arguments travel where in the request."""
    labels = (("path", "In the path"), ("query", "In the query"), ("body", "In the body"))
    return [
        (label, Markup(", ").join(map(code, tool.exec[key])))
        for key, label in labels
        if key in tool.exec
    ]


def _effects(hints: Mapping[str, Any]) -> Markup:
    """Return what the hints say; two of them mean nothing for a tool that only reads."""
    reads = hints.get("readOnlyHint", False)
    said = ["reads only"] if reads else []
    if not reads:
        destroys = hints.get("destructiveHint", True)
        said.append("may change or destroy what is there" if destroys else "only adds")
        again = hints.get("idempotentHint", False)
        said.append("the same call twice is as good as once" if again else "each call counts")
    opened = hints.get("openWorldHint", True)
    said.append("deals with the outside world" if opened else "stays in a closed world")
    return Markup("; ").join(said)


def _accepted(tool: Tool, shown: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return example calls; a tool that needs no argument has one without a case file."""
    if not shown and not tool.input_schema.get("required") and not _may_refuse_empty(tool):
        shown = [{"name": "without arguments", "arguments": {}}]
    return [
        {"name": words(str(each.get("name", ""))), "arguments": json_text(each["arguments"])}
        for each in shown
    ]


def _may_refuse_empty(tool: Tool) -> bool:
    """Say whether the schema may refuse an empty object although it requires no member."""
    return bool(
        tool.input_schema.keys() & {"allOf", "anyOf", "if", "minProperties", "not", "oneOf"}
    )


def _refused(shown: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "name": words(str(each.get("name", ""))),
            "because": words(str(each.get("because", ""))),
            "arguments": json_text(each["arguments"]),
        }
        for each in shown
    ]


def _results(shown: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    made = [
        {"name": words(str(each.get("name", ""))), "value": json_text(each.get("value"))}
        for each in shown
    ]
    return [each for each in made if len(str(each["value"])) <= _LONG_RESULT]
