"""What the wire client demands of a server's greeting."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.wire import HttpTarget, StdioTarget, WireError, read_surface

Outcome = Callable[[dict[str, Any]], dict[str, Any]]
Serve = Callable[..., str]
LEGACY, MODERN = "2025-11-25", "2026-07-28"


def greeted(serve: Serve, outcome: Outcome, revision: str, changed: dict[str, Any]) -> Any:
    """Read a server whose greeting has some members changed, or with ... left out."""

    def handler(verb: str, headers: dict[str, str], message: Any) -> Any:
        if "id" not in message:
            return 202, {}, b""
        answer = outcome(message)
        if message["method"] in ("initialize", "server/discover"):
            result = answer["result"] | changed
            answer["result"] = {key: value for key, value in result.items() if value is not ...}
        return 200, {}, json.dumps(answer).encode()

    return read_surface(HttpTarget(serve(handler)), revision)


@pytest.mark.parametrize(
    ("revision", "changed", "said"),
    [
        (LEGACY, {"protocolVersion": ...}, "the result of initialize has no protocolVersion"),
        (LEGACY, {"serverInfo": ...}, "has no serverInfo"),
        (LEGACY, {"capabilities": ...}, "has no capabilities made of objects"),
        (LEGACY, {"capabilities": {"tools": None}}, "has no capabilities made of objects"),
        (LEGACY, {"instructions": None}, "has instructions that are no string"),
        (MODERN, {"capabilities": []}, "the result of server/discover has no capabilities"),
        (MODERN, {"resultType": "input_required"}, 'has no resultType "complete"'),
        (MODERN, {"ttlMs": -1}, "has no ttlMs"),
        (MODERN, {"ttlMs": 1.5}, "has no ttlMs"),
        (MODERN, {"ttlMs": True}, "has no ttlMs"),
        (MODERN, {"cacheScope": "shared"}, "has no cacheScope"),
    ],
)
def test_a_greeting_that_is_not_what_the_revision_says_is_an_error(
    serve: Serve, outcome: Outcome, revision: str, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(WireError) as caught:
        greeted(serve, outcome, revision, changed)
    assert caught.value.kind == "malformed"
    assert said in caught.value.what
    assert revision in caught.value.hint


def test_a_whole_number_of_milliseconds_may_be_written_with_a_point(
    serve: Serve, outcome: Outcome
) -> None:
    assert greeted(serve, outcome, MODERN, {"ttlMs": 60000.0}).tools


def test_a_modern_server_without_a_name_has_an_empty_one(serve: Serve, outcome: Outcome) -> None:
    surface = greeted(serve, outcome, MODERN, {"_meta": {"other": 1}})
    assert (surface.server, surface.instructions) == ({}, None)


@pytest.mark.parametrize(
    ("revision", "changed"),
    [
        (LEGACY, {"protocolVersion": "2025-06-18"}),
        (MODERN, {"supportedVersions": ["2025-06-18"]}),
    ],
)
def test_another_revision_than_the_asked_one_is_an_error(
    serve: Serve, outcome: Outcome, revision: str, changed: dict[str, Any]
) -> None:
    with pytest.raises(WireError) as caught:
        greeted(serve, outcome, revision, changed)
    assert (caught.value.kind, caught.value.offered) == ("revision", ("2025-06-18",))
    assert "offers '2025-06-18' instead" in caught.value.what


def test_a_refused_version_is_reported_with_what_the_server_supports(
    scripted: Callable[..., StdioTarget],
) -> None:
    with pytest.raises(WireError) as caught:
        read_surface(scripted("modern-only"), LEGACY)
    assert (caught.value.code, caught.value.offered) == (-32022, (MODERN,))
    assert "'2026-07-28'" in caught.value.hint
