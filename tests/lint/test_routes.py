"""Routes: their paths, parameters and the places that can be unreadable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

STATUS = "/servers/shop/routes/2"


def codes(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in findings]


def parameter(name: str, pattern: str = "^[a-z]+$") -> dict[str, Any]:
    return {"name": name, "description": "A parameter.", "pattern": pattern}


# A route that no tool and no resource uses, so that only its own parts are judged.
ALONE: tuple[str, Any] = ("/servers/shop/resources", [])


@pytest.mark.parametrize(
    ("path", "names", "expected"),
    [
        ("/v1/{a}/x/{b}", ["b", "a"], []),
        ("/v1/{a}", [], ["path"]),
        ("/v1/a", ["a"], ["pathParams/0/name"]),
        ("/v1/{a}/{b}", ["a", "c"], ["path", "pathParams/1/name"]),
        ("/v1/{a}/{a}", ["a"], ["path"]),
    ],
)
def test_placeholders_and_parameters_agree_both_ways(
    path: str, names: list[str], expected: list[str], lint: Lint
) -> None:
    parameters = [(f"{STATUS}/pathParams", [parameter(name) for name in names])] if names else []
    findings = lint(ALONE, (f"{STATUS}/path", path), *parameters)
    assert codes(findings) == [("CF150", f"{STATUS}/{tail}") for tail in expected]


@pytest.mark.parametrize("path", ["/v1/..", "/v1/./x", "/../v1"])
def test_a_dot_segment_in_a_path_is_refused(path: str, lint: Lint) -> None:
    assert codes(lint(ALONE, (f"{STATUS}/path", path))) == [("CF151", f"{STATUS}/path")]


def test_dots_within_a_segment_pass(lint: Lint) -> None:
    assert lint(ALONE, (f"{STATUS}/path", "/v1/openapi.json/...")) == ()


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("[0-9]+", "CF142"),
        ("^native|0x[0-9a-f]{40}$", "CF142"),
        ("^[^/]+$", "CF143"),
        ("^.+$", "CF143"),
        ("^[a-z]*$", "CF143"),
    ],
)
def test_a_path_parameter_that_can_change_the_path_is_reported(
    pattern: str, code: str, lint: Lint
) -> None:
    findings = lint(
        ALONE,
        (f"{STATUS}/path", "/v1/{a}"),
        (f"{STATUS}/pathParams", [parameter("a", pattern)]),
    )
    assert (code, f"{STATUS}/pathParams/0/pattern") in codes(findings)


def test_a_query_parameter_may_hold_slashes_and_be_empty_and_is_anchored(lint: Lint) -> None:
    free = parameter("q", r"^[^\x00-\x1F]*$")
    assert lint(ALONE, (f"{STATUS}/queryParams", [free])) == ()
    findings = lint(ALONE, (f"{STATUS}/queryParams", [parameter("q", "[a-z]+")]))
    assert codes(findings) == [("CF142", f"{STATUS}/queryParams/0/pattern")]


RESPONSE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "chains": {
            "type": "object",
            "additionalProperties": {
                "oneOf": [
                    {
                        "title": "Read",
                        "type": "object",
                        "properties": {"state": {"const": "read"}, "wagers": {"type": "array"}},
                    },
                    {
                        "title": "Unread",
                        "type": "object",
                        "properties": {
                            "state": {"const": "unreadable"},
                            "reason": {"type": "string"},
                        },
                    },
                ]
            },
        },
        "list": {
            "type": "array",
            "items": {
                "title": "Entry",
                "type": "object",
                "properties": {"bps": {"type": ["integer", "null"]}},
            },
        },
        "item": {"$ref": "#/$defs/Item"},
        "anything": True,
        "a/b": {"type": "null"},
    },
}


def unreadable(at: str, value: Any = "unreadable", **more: str) -> list[Any]:
    return [{"at": at, "value": value, "meaning": "It could not be read.", **more}]


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        ("/chains/*/state", "unreadable", "/chains/*/reason"),
        ("/chains/137/state", "unreadable", "/chains/137/reason"),
        ("/list/*/bps", None, "/item/reason"),
        ("/list/0/bps", None, "/item/reason"),
        ("/item/state", "unreadable", "/item/reason"),
        ("/anything/at/all", 7, "/anything"),
        ("/a~1b", None, "/a~1b"),
    ],
)
def test_a_place_that_the_response_declares_passes(
    at: str, value: Any, reason: str, lint: Lint
) -> None:
    findings = lint(
        ALONE,
        (f"{STATUS}/response", RESPONSE),
        (f"{STATUS}/unreadable", unreadable(at, value, reason=reason)),
    )
    assert findings == ()


@pytest.mark.parametrize(
    "at",
    [
        "/chain/*/state",
        "/chains/*/status",
        "/item/states",
        "/list/*/bp",
        "/list/bps",
        "/a/b",
        "/item/state/x/y",
    ],
)
def test_a_place_that_the_response_does_not_declare_is_reported(at: str, lint: Lint) -> None:
    findings = lint(
        ALONE, (f"{STATUS}/response", RESPONSE), (f"{STATUS}/unreadable", unreadable(at))
    )
    if at == "/item/state/x/y":
        # The schema of state names no members, so nothing is known about them.
        assert findings == ()
    else:
        assert codes(findings) == [("CF159", f"{STATUS}/unreadable/0/at")]


def test_the_value_and_the_reason_are_looked_up_too(lint: Lint) -> None:
    entries = [
        *unreadable("/chains/*/state", "unread"),
        *unreadable("/item/state", "unreadable", reason="/item/why"),
    ]
    findings = lint(ALONE, (f"{STATUS}/response", RESPONSE), (f"{STATUS}/unreadable", entries))
    assert codes(findings) == [
        ("CF159", f"{STATUS}/unreadable/0/value"),
        ("CF159", f"{STATUS}/unreadable/1/reason"),
    ]


def test_without_a_response_nothing_is_looked_up(lint: Lint) -> None:
    assert lint(ALONE, (f"{STATUS}/unreadable", unreadable("/any/where"))) == ()
