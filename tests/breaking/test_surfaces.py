"""What changes beside schemas: entries, access, hints, outbound lists, wording, versions."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from edited_surfaces import (
    CONTRACT,
    ROOT,
    Edit,
    after,
    local,
    old,
    outbound,
    prompt,
    route,
    rows,
    server,
    surface,
)

from counterfoil.breaking import Surface, compare, of_listing, uncompared
from counterfoil.errors import CounterfoilError

EDITS: dict[str, tuple[Edit, list[str]]] = {
    "a tool is gone": (lambda d: server(d)["tools"].remove(rows(d)), ["CF401 breaking"]),
    "a tool is renamed": (lambda d: rows(d).update(name="lines"), ["CF402 breaking"]),
    "a tool needs no credential": (
        lambda d: (rows(d).update(auth="none"), rows(d).pop("scope")),
        ["CF450 security"],
    ),
    "a tool needs no scope": (lambda d: rows(d).pop("scope"), ["CF450 security"]),
    "a tool needs another scope": (lambda d: rows(d).update(scope="all"), ["CF441 breaking"]),
    "a tool is priced": (lambda d: rows(d).update(priced=True), ["CF442 breaking"]),
    "a tool is offered less": (lambda d: rows(d).update(surfaces=["mcp"]), ["CF443 breaking"]),
    "a tool is offered more": (
        lambda d: old(d).update(surfaces=["assistant", "mcp"]), ["CF484 additive"],
    ),
    "results promise nothing": (lambda d: rows(d).pop("outputSchema"), ["CF422 breaking"]),
    "a hint is restated": (
        lambda d: rows(d).update(annotations={"openWorldHint": True, "readOnlyHint": False}), [],
    ),
    "a hint promises less": (lambda d: old(d).pop("annotations"), ["CF440 breaking"]),
    "a hint promises more": (
        lambda d: rows(d).update(annotations={"destructiveHint": False}), ["CF466 behaviour"],
    ),
    "a reader has no need of other hints": (
        lambda d: old(d).update(annotations={"readOnlyHint": True, "destructiveHint": True}),
        ["CF466 behaviour"],
    ),
    "an end is put off": (
        lambda d: old(d)["deprecated"].update(date="2027-01-01"), ["CF467 behaviour"],
    ),
    "an end is called off": (lambda d: old(d).pop("deprecated"), ["CF484 additive"]),
    "icons and metadata": (
        lambda d: rows(d).update(_meta={"a": 1}, icons=[{"src": "https://example.org/a.png"}]),
        ["CF463 behaviour", "CF463 behaviour"],
    ),
    "a task is needed": (
        lambda d: rows(d).update(execution={"taskSupport": "required"}),
        ["CF446 breaking", "CF484 additive"],
    ),
    "a resource is gone": (lambda d: server(d).pop("resources"), ["CF401 breaking"]),
    "a resource is of another type": (
        lambda d: server(d)["resources"][0].update(mimeType="text/html"), ["CF445 breaking"],
    ),
    "a resource is elsewhere": (
        lambda d: server(d)["resources"][0].update(uri="s://manual"), ["CF402 breaking"],
    ),
    "a template is new": (
        lambda d: server(d).update(
            resourceTemplates=[
                {"description": "D.", "name": "n", "title": "N", "uriTemplate": "s://{id}"}
            ]
        ),
        ["CF480 additive"],
    ),
    "a prompt asks for more": (
        lambda d: prompt(d)["arguments"][1].update(required=True), ["CF410 breaking"],
    ),
    "a prompt's argument is gone": (
        lambda d: prompt(d)["arguments"].pop(), ["CF411 breaking"],
    ),
    "a prompt's argument is renamed": (
        lambda d: prompt(d)["arguments"][1].update(name="style"), ["CF412 breaking"],
    ),
    "a prompt's argument is new": (
        lambda d: prompt(d)["arguments"].append({"description": "D.", "name": "n"}),
        ["CF481 additive"],
    ),
    "a prompt says something else": (
        lambda d: prompt(d)["messages"][0].update(text="Insult {who}, {tone}."),
        ["CF464 behaviour"],
    ),
    "a route is called otherwise": (lambda d: route(d).update(method="POST"), ["CF444 breaking"]),
    "a route is open": (lambda d: route(d).update(auth="none"), ["CF450 security"]),
    "a route costs": (lambda d: route(d).update({"class": "read"}), ["CF442 breaking"]),
    "a path takes less": (
        lambda d: route(d)["pathParams"][0].update(pattern="^[1-9]+$"), ["CF413 breaking"],
    ),
    "a path's parameter is told otherwise": (
        lambda d: route(d)["pathParams"][0].update(description="Its id."), ["CF460 behaviour"],
    ),
    "a request is told otherwise": (
        lambda d: server(d)["outbound"][0].update(description="Why."), ["CF463 behaviour"],
    ),
    "a query's type takes less": (
        lambda d: route(d)["queryParams"][1]["schema"].update(maximum=50), ["CF413 breaking"],
    ),
    "a query's type is another": (
        lambda d: route(d)["queryParams"][1].update(schema={"type": "string"}),
        ["CF413 breaking"],
    ),
    "a query's type is no longer told": (
        lambda d: route(d)["queryParams"][1].pop("schema"), ["CF463 behaviour"],
    ),
    "a query takes more": (
        lambda d: route(d)["queryParams"][0].update(pattern="^[0-9a-f]+$"), ["CF482 additive"],
    ),
    "a route fails otherwise": (
        lambda d: route(d).update(errors={"404": ["gone", "not_found"]}), ["CF464 behaviour"],
    ),
    "an origin is new": (outbound("/v1/a", "https://elsewhere.example"), ["CF451 security"]),
    "a wider path": (outbound("/v2/*"), ["CF451 security"]),
    "a path that was allowed": (outbound("/v1/a"), []),
    "a request is taken away": (
        lambda d: server(d).update(outbound=[]), ["CF469 behaviour"],
    ),
    "wording": (lambda d: d["wording"].update(unknown="No."), ["CF465 behaviour"]),
    "instructions": (
        lambda d: server(d).update(instructions="Do not ask."), ["CF460 behaviour"],
    ),
    "a server describes itself otherwise": (
        lambda d: server(d).update(
            description="S.", icons=[{"src": "https://example.org/i.png"}],
            websiteUrl="https://example.org",
        ),
        ["CF460 behaviour", "CF463 behaviour", "CF463 behaviour"],
    ),
    "an offer says more": (
        lambda d: server(d)["payment"]["offer"]["properties"].update(more={"type": "string"}),
        ["CF481 additive"],
    ),
    "an offer holds what it could not": (
        lambda d: server(d)["payment"]["offer"]["properties"].pop("price"), ["CF421 breaking"],
    ),
    "a receipt is new": (
        lambda d: server(d)["payment"].update(receipt={"type": "object"}), ["CF483 additive"],
    ),
    "nothing is said of payments": (
        lambda d: server(d).pop("payment"), ["CF464 behaviour"],
    ),
    "a package is another one": (
        lambda d: server(d)["distribution"]["package"].update(identifier="t", version="2.0.0"),
        ["CF464 behaviour"],
    ),
    "a package is released": (
        lambda d: server(d)["distribution"]["package"].update(version="2.0.0"), [],
    ),
    "an installation needs a variable": (
        lambda d: server(d)["distribution"].update(
            environment=[{"description": "D.", "name": "KEY", "required": True, "title": "Key"}]
        ),
        ["CF464 behaviour"],
    ),
    "a tool is local from now on": (
        local,
        ["CF441 breaking", "CF443 breaking", "CF464 behaviour"],
    ),
    "a new server may send requests": (
        lambda d: d["servers"].update(
            t={
                "binding": "wrapper", "name": "t", "tools": [],
                "outbound": copy.deepcopy(server(d)["outbound"]),
            }
        ),
        ["CF451 security", "CF480 additive"],
    ),
    "a revision is dropped": (
        lambda d: server(d).update(protocolVersions=["2026-07-28"]), ["CF446 breaking"],
    ),
    "a shared schema takes less": (
        lambda d: d["$defs"]["Row"]["properties"]["id"].update(minimum=1),
        ["CF413 breaking", "CF483 additive", "CF483 additive"],
    ),
    "the order of everything": (
        lambda d: (server(d)["tools"].reverse(), prompt(d)["arguments"].reverse()), [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), EDITS.values(), ids=EDITS.keys())
def test_an_edit_of_a_contract_has_its_class(edit: Edit, expected: list[str]) -> None:
    assert sorted(f"{each.code} {each.klass}" for each in after(edit)) == expected


def test_a_change_says_where_it_is_on_both_sides() -> None:
    [less] = [each for each in after(EDITS["a shared schema takes less"][0]) if each.witness]
    assert (less.base, less.target) == (
        "/$defs/Row/properties/id",
        "/$defs/Row/properties/id/minimum",
    )
    assert less.spot.path == "inputSchema row.id minimum"


@pytest.mark.parametrize("edit", [edit for edit, _ in EDITS.values()], ids=EDITS.keys())
def test_places_of_changes_exist(edit: Edit) -> None:
    target = copy.deepcopy(CONTRACT)
    edit(target)
    for each in after(edit):
        for pointer, document in ((each.base, CONTRACT), (each.target, target)):
            node: Any = document
            for token in (pointer or "").split("/")[1:]:
                key = token.replace("~1", "/").replace("~0", "~")
                # Of what is gone, the place is that of the list that held it.
                if isinstance(node, dict) and key not in node:
                    assert key in ("outbound", "resources")
                    break
                node = node[int(key)] if isinstance(node, list) else node[key]


def test_fingerprints_stay_when_something_else_is_edited() -> None:
    def priced(data: dict[str, Any]) -> None:
        rows(data)["inputSchema"]["required"] = ["row"]

    def more(data: dict[str, Any]) -> None:
        priced(data)
        server(data)["tools"].insert(0, {**copy.deepcopy(old(data)), "name": "a"})
        rows(data)["inputSchema"]["properties"]["new"] = {"type": "string"}
        data["$defs"]["Other"] = {"type": "integer"}

    [one] = after(priced)
    assert one.fingerprint in {each.fingerprint for each in after(more)}
    assert len(one.fingerprint) == 12


def test_fingerprints_tell_changes_apart() -> None:
    found = [each.fingerprint for edit, _ in EDITS.values() for each in after(edit)]
    assert len(set(found)) >= len(found) - 2  # two edits of one tool's scope are one change


@pytest.mark.parametrize(
    ("version", "said"),
    [("1.3.0", "needs a major step, has minor"), ("2.0.0", ""), ("1.2.0", "has none")],
)
def test_the_version_has_to_take_the_step_that_changes_ask_for(version: str, said: str) -> None:
    target = copy.deepcopy(CONTRACT)
    server(target)["version"] = version
    rows(target)["inputSchema"]["required"] = ["row"]
    found = compare(surface(CONTRACT), surface(target))
    sentences = [each.sentence for each in found if each.code == "CF490"]
    assert len(sentences) == bool(said)
    assert all(said in each for each in sentences)


def test_a_contract_and_a_listing_are_compared_in_what_both_know() -> None:
    listed = ("annotations", "description", "inputSchema", "name", "outputSchema", "title")
    tools = [
        {key: tool[key] for key in listed if key in tool} for tool in server(CONTRACT)["tools"]
    ]
    for tool in tools:
        tool["inputSchema"] = {**tool["inputSchema"], "$defs": CONTRACT["$defs"]}
    row = {"$defs": CONTRACT["$defs"], "$ref": "#/$defs/Row", "type": "object"}
    tools[1]["outputSchema"] = row
    base, target = surface(CONTRACT), of_listing("a server", {"tools": tools})
    assert compare(base, target) == []
    told = " ".join(uncompared(base, target))
    assert "credentials" in told
    assert "prompts" in told


def test_a_listing_against_several_servers_is_an_error() -> None:
    data = copy.deepcopy(CONTRACT)
    data["servers"]["t"] = {**server(CONTRACT), "name": "t"}
    with pytest.raises(CounterfoilError):
        compare(surface(data), of_listing("a server", {"tools": []}))


def test_a_contract_does_not_differ_from_itself() -> None:
    text = (ROOT / "contract/contract.json").read_text("utf-8")
    sides = [surface(json.loads(text)) for _ in range(2)]
    assert compare(*sides) == []


def test_the_same_changes_come_in_the_same_order() -> None:
    def everything(data: dict[str, Any]) -> None:
        for edit in (EDITS["an origin is new"][0], EDITS["a prompt asks for more"][0]):
            edit(data)

    first = [each.fingerprint for each in after(everything)]
    assert first == [each.fingerprint for each in after(everything)]
    assert [each.klass for each in after(everything)] == ["breaking", "security"]


def test_a_tool_that_was_local_is_open_to_more_callers() -> None:
    def outside(data: dict[str, Any]) -> None:
        local(data)
        rows(data).update(auth="grant", exec={"kind": "handler"})

    sides = [copy.deepcopy(CONTRACT) for _ in range(2)]
    local(sides[0])
    outside(sides[1])
    found = compare(*map(surface, sides))
    assert [f"{each.code} {each.klass}" for each in found if each.code != "CF490"] == [
        "CF450 security",
        "CF464 behaviour",
    ]


def test_a_parameter_of_a_route_is_shown_by_a_call() -> None:
    [change] = after(EDITS["a path takes less"][0])
    assert change.witness is not None
    assert change.witness.call == 'rows({"id": "0"})'
    assert change.spot.path == "pathParams id pattern"
    assert change.target == "/servers/s/routes/0/pathParams/0/pattern"


def test_what_fills_an_argument_that_is_absent_is_not_known_of_a_listing() -> None:
    data = copy.deepcopy(CONTRACT)
    prompt(data)["arguments"][1]["whenAbsent"] = "in any tone"
    listed = [
        {key: value for key, value in each.items() if key != "messages"}
        for each in server(CONTRACT)["prompts"]
    ]
    about = {key: server(data)[key] for key in ("instructions", "name", "title", "version")}
    listing = of_listing("a server", {"prompts": listed}, about)
    assert compare(surface(data), listing) == []


def test_a_hint_that_is_null_is_left_out() -> None:
    tool = {"name": "t", "inputSchema": {"type": "object"}}
    hinted = {**tool, "annotations": {"destructiveHint": None}}
    sides = [of_listing("a server", {"tools": [each]}) for each in (tool, hinted)]
    assert compare(*sides) == []


def test_two_entries_of_one_name_are_never_compared() -> None:
    tool = {"name": "t", "inputSchema": {"type": "object"}}
    twins = of_listing("twins", {"tools": [tool, {**tool, "title": "T"}]})
    one = of_listing("one", {"tools": [tool]})
    for sides in ((one, twins), (twins, one)):
        with pytest.raises(CounterfoilError, match="tools hold 't' twice"):
            compare(*sides)


def test_what_a_listing_does_not_hold_is_not_gone() -> None:
    listing = of_listing("a server", {"resources": []})
    found = [each.spot.kind for each in compare(surface(CONTRACT), listing)]
    assert "tool" not in found
    assert "tools: a server does not know them" in uncompared(surface(CONTRACT), listing)


def test_a_text_of_one_alternative_is_told_though_another_says_it_still() -> None:
    def found(*texts: str) -> Surface:
        alternatives = [
            {"type": "object", "properties": {"a": {"description": each}, "k": {"const": index}}}
            for index, each in enumerate(texts)
        ]
        held = {"type": "object", "properties": {"v": {"anyOf": alternatives}}}
        return of_listing("a server", {"tools": [{"name": "t", "inputSchema": held}]})

    [change] = compare(found("Said.", "Said."), found("Said.", "Said otherwise."))
    assert (change.code, change.spot.path) == ("CF460", "inputSchema v.a description")
    more = compare(found("Said.", "Said."), found("Said.", "Said.", "Said otherwise."))
    assert [each.code for each in more if each.klass == "behaviour"] == []


def test_a_route_may_answer_what_is_no_object() -> None:
    base = copy.deepcopy(CONTRACT)
    base["$defs"]["Rows"] = {"type": "array", "items": {"type": "integer"}}
    route(base)["response"] = {"$ref": "#/$defs/Rows"}
    target = copy.deepcopy(base)
    target["$defs"]["Rows"]["items"]["type"] = "number"
    [change] = [each for each in compare(surface(base), surface(target)) if each.code != "CF490"]
    assert change.witness is not None
    assert (change.code, change.witness.call) == ("CF421", "rows(…) -> [0.5]")


def test_a_server_with_another_id_and_its_old_name_is_the_same() -> None:
    target = copy.deepcopy(CONTRACT)
    target["servers"]["t"] = target["servers"].pop("s")
    rows({"servers": {"s": target["servers"]["t"]}})["scope"] = "all"
    found = [each for each in compare(surface(CONTRACT), surface(target)) if each.code != "CF490"]
    assert sorted((each.code, each.spot.server) for each in found) == [
        ("CF402", "s"),
        ("CF441", "s"),
    ]
    [renamed] = [each for each in found if each.code == "CF402"]
    assert renamed.levels == {"generated"}
    target["servers"]["t"]["name"] = "other"
    codes = {each.code for each in compare(surface(CONTRACT), surface(target))}
    assert {"CF401", "CF480"} <= codes
