"""What the page says of one tool."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.model import Server, Tool
from counterfoil.contract.values import items, members
from counterfoil.schema.fields import fields
from counterfoil.schema.limits import default, limits
from counterfoil.schema.phrases import joined, type_phrase
from counterfoil.targets.reference.markdown import block, phrase, span, table, text

# A page shows how calls look; the case file has all of them.
ACCEPTED_SHOWN = 3
REFUSED_SHOWN = 5
_SURFACES = {"assistant": "the assistant's tool table", "mcp": "the MCP server"}
_AUTH = {
    "grant": "the caller's credential",
    "local": "nothing: the call never leaves the application that makes it",
    "none": "nothing",
}
_REQUIRED = {True: "yes", False: "no", None: ""}
# Name in the contract, the protocol's default, what true says, what false says.
_HINTS = (
    ("readOnlyHint", False, "reads only", "may change things"),
    ("destructiveHint", True, "may destroy", "adds only"),
    ("idempotentHint", False, "the same call twice is as good as once", ""),
    ("openWorldHint", True, "deals with the outside world", "deals with a closed world"),
)


@dataclass(frozen=True)
class Example:
    """An example call, as Markdown.

    Attributes:
        name: what it shows.
        arguments: a block or a span of JSON.
        because: why it is refused; ``""`` for an accepted one.
    """

    name: str
    arguments: str
    because: str = ""


def schema_text(schema: Any, types: Collection[str], *, with_defaults: bool = False) -> str:
    """Return what a schema asks for: one sentence, and tables of its members and own types.

    Args:
        schema: an input, result or shared schema.
        types: names that have a heading on the page.
        with_defaults: whether the tables have a column for defaults.
    """
    own = members(members(schema).get("$defs"))
    linked = frozenset(types) - own.keys()
    parts = [_sentence(schema, linked), _members(schema, linked, with_defaults)]
    for name, member in own.items():
        parts += [
            f"{span(name)}: {_sentence(member, linked)}",
            _members(member, linked, with_defaults),
        ]
    return "\n\n".join(part for part in parts if part)


def _sentence(schema: Any, linked: Collection[str]) -> str:
    shown = phrase(joined([type_phrase(schema), *limits(schema)], "; "), linked)
    return f"{shown[:1].upper()}{shown[1:]}."


def _members(schema: Any, linked: Collection[str], with_defaults: bool) -> str:
    rows = [
        [
            span(field.path) + (f" ({text(field.within)})" if field.within else ""),
            phrase(type_phrase(field.schema), linked),
            _REQUIRED[field.required],
            phrase(joined(limits(field.schema), "; "), linked),
            *([phrase(default(field.schema))] if with_defaults else []),
            text(_description(field.schema)),
        ]
        for field in fields(schema)
    ]
    head = ["Name", "Type", "Required", "Limits"]
    head += ["Default", "Description"] if with_defaults else ["Description"]
    return table(head, rows) if rows else ""


def facts(server: Server, tool: Tool) -> list[tuple[str, str]]:
    """Return label and Markdown of what is the case with a tool."""
    data = tool.data
    found = [("Offered by", ", ".join(_SURFACES[each] for each in sorted(tool.surfaces)))]
    needs = _AUTH[data["auth"]]
    if "scope" in data:
        needs += f" with the scope {span(data['scope'])}"
    found.append(("Needs", needs))
    found.append(("Price", "a call may ask for a payment" if tool.priced else "none"))
    if "annotations" in data:
        found.append(("Effects", _effects(data["annotations"])))
    route = server.routes.get(tool.exec.get("route", ""))
    if route:
        request = f"{route.data['method']} {route.data['path']}"
        found.append(("Calls", f"the route {span(route.name)}, {span(request)}"))
    if "deprecated" in data:
        found.append(("Deprecated", ending(data["deprecated"])))
    return found


def unreadable_table(server: Server, tool: Tool) -> str:
    """Return the places of a tool's result that can say "could not be read", or nothing."""
    route = server.routes.get(tool.exec.get("route", ""))
    places = route.data.get("unreadable", ()) if route else ()
    rows = [
        [
            span(place["at"]),
            span(_json(place["value"])),
            span(place["reason"]) if "reason" in place else "",
            text(place["meaning"]),
        ]
        for place in places
    ]
    return table(["Place", "Says so by", "Reason", "Meaning"], rows) if rows else ""


def shown_cases(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a tool's case file that the page is made from."""
    accepted, refused = items(case.get("accepted")), items(case.get("refused"))
    return {
        "accepted": accepted[:ACCEPTED_SHOWN],
        "refused": refused[:REFUSED_SHOWN],
        "more": max(len(accepted) - ACCEPTED_SHOWN, 0) + max(len(refused) - REFUSED_SHOWN, 0),
    }


def examples(shown: Sequence[Mapping[str, Any]]) -> list[Example]:
    """Return example calls as Markdown."""
    return [
        Example(
            name=text(str(each.get("name", ""))),
            arguments=block(json.dumps(each["arguments"], ensure_ascii=False, indent=2), "json"),
            because=text(str(each.get("because", ""))),
        )
        for each in shown
    ]


def _description(schema: Any) -> str:
    return str(members(schema).get("description", ""))


def _effects(annotations: Mapping[str, Any]) -> str:
    """Return what the hints say; two of them mean nothing for a tool that only reads."""
    reads = annotations.get("readOnlyHint", False)
    said = [
        yes if annotations.get(name, usual) else no
        for name, usual, yes, no in _HINTS
        if not (reads and name in ("destructiveHint", "idempotentHint"))
    ]
    return ", ".join(each for each in said if each)


def ending(gone: Mapping[str, Any]) -> str:
    """Return what the contract announces of something's end, as Markdown."""
    parts = [f"may be removed from {gone['date']} on"]
    if "replacement" in gone:
        parts.append(f"use {span(gone['replacement'])} instead")
    note = f". {text(gone['note'])}" if "note" in gone else ""
    return ", ".join(parts) + note


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
