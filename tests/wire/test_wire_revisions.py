"""Which revisions the wire client takes a server to claim."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.wire import (
    REVISIONS,
    HttpTarget,
    StdioTarget,
    WireError,
    claimed_revisions,
    read_one,
    survey,
)

Outcome = Callable[[dict[str, Any]], dict[str, Any]]
Scripted = Callable[..., StdioTarget]
Serve = Callable[..., str]
Answer = tuple[int, dict[str, str], bytes]


def test_a_server_of_both_eras_claims_every_revision(scripted: Scripted) -> None:
    assert claimed_revisions(scripted("good")) == REVISIONS


def test_a_handshake_server_claims_only_what_it_confirms(scripted: Scripted) -> None:
    target = scripted("speaks", "2025-03-26", "2025-06-18")
    assert claimed_revisions(target) == ("2025-03-26", "2025-06-18")


def test_a_modern_server_that_refuses_initialize_claims_one(scripted: Scripted) -> None:
    assert claimed_revisions(scripted("modern-only")) == ("2026-07-28",)


@pytest.mark.parametrize("behaviour", ["ignores-discover", "dies-of-discover"])
def test_a_handshake_server_need_not_know_what_discover_is(
    scripted: Scripted, behaviour: str
) -> None:
    assert claimed_revisions(scripted(behaviour, timeout=2)) == REVISIONS[:-1]


def test_a_server_that_does_not_start_is_an_error_and_no_empty_claim(scripted: Scripted) -> None:
    with pytest.raises(WireError) as caught:
        claimed_revisions(scripted("dies"))
    assert caught.value.kind == "ended"
    assert "no module named nothing" in caught.value.what


def test_a_server_that_accepts_nothing_is_an_error(scripted: Scripted) -> None:
    with pytest.raises(WireError) as caught:
        claimed_revisions(scripted("speaks", "2023-01-01"))
    error = caught.value
    assert "the server accepts no revision of MCP" in error.what
    assert "initialize offers '2023-01-01' instead" in error.what
    assert (error.kind, error.offered, error.revision) == ("revision", ("2023-01-01",), None)


def answering(outcome: Outcome, discovery: Callable[[Any], tuple[int, Any]]) -> Any:
    def handler(verb: str, headers: dict[str, str], message: Any) -> Answer:
        if message is not None and message["method"] == "server/discover":
            status, body = discovery(message)
            return status, {}, body if isinstance(body, bytes) else json.dumps(body).encode()
        if message is None or "id" not in message:
            return 202, {}, b""
        return 200, {}, json.dumps(outcome(message)).encode()

    return handler


def refused(code: int, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "no"} | more}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, refused(-32601)),
        (200, refused(0)),
        (400, refused(-32600)),
        (400, b"Bad Request: no session"),
        (404, b""),
        (405, b""),
    ],
)
def test_discovery_may_be_declined_in_many_ways(
    serve: Serve, outcome: Outcome, status: int, body: Any
) -> None:
    url = serve(answering(outcome, lambda _: (status, body)))
    assert claimed_revisions(HttpTarget(url)) == REVISIONS[:-1]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b"oops"),
        (502, b""),
        (302, b""),
        (401, b""),
        (403, refused(-32000)),
        (429, b"slow down"),
        (200, refused(-32603)),
        (400, refused(-32020)),
        (400, refused(-32021)),
        (200, b"not JSON"),
    ],
)
def test_a_failed_discovery_is_not_taken_for_an_older_server(
    serve: Serve, outcome: Outcome, status: int, body: Any
) -> None:
    url = serve(answering(outcome, lambda _: (status, body)))
    with pytest.raises(WireError) as caught:
        claimed_revisions(HttpTarget(url))
    assert caught.value.revision == "2026-07-28"


def test_what_discovery_names_is_claimed_even_when_unknown_here(
    serve: Serve, outcome: Outcome
) -> None:
    def discovery(message: Any) -> tuple[int, Any]:
        answer = outcome(message)
        answer["result"]["supportedVersions"] = ["2027-05-01", "2026-07-28"]
        return 200, answer

    url = serve(answering(outcome, discovery))
    assert claimed_revisions(HttpTarget(url)) == (*REVISIONS, "2027-05-01")


def test_what_a_refusal_of_the_version_names_is_claimed(serve: Serve, outcome: Outcome) -> None:
    body = refused(-32022, data={"supported": ["2027-05-01", 7], "requested": "2026-07-28"})
    url = serve(answering(outcome, lambda _: (400, body)))
    assert claimed_revisions(HttpTarget(url)) == (*REVISIONS[:-1], "2027-05-01")


@pytest.mark.parametrize("versions", [None, "2026-07-28", [], [1]])
def test_discovery_without_versions_is_an_error(
    serve: Serve, outcome: Outcome, versions: Any
) -> None:
    def discovery(message: Any) -> tuple[int, Any]:
        answer = outcome(message)
        answer["result"]["supportedVersions"] = versions
        return 200, answer

    with pytest.raises(WireError) as caught:
        claimed_revisions(HttpTarget(serve(answering(outcome, discovery))))
    assert "no list of supportedVersions" in caught.value.what


def test_a_wrong_path_is_an_error_and_no_empty_claim(serve: Serve) -> None:
    def nothing(verb: str, headers: dict[str, str], message: Any) -> Answer:
        return 404, {}, b"nothing here"

    with pytest.raises(WireError) as caught:
        claimed_revisions(HttpTarget(serve(nothing)))
    assert (caught.value.kind, caught.value.status) == ("status", 404)
    assert "accepts no revision" in caught.value.what
    assert caught.value.hint == "Give the URL of the MCP endpoint itself."


def asked(outcome: Outcome, methods: list[str], broken: str = "") -> Any:
    """Answer as a server of both eras, noting each request; one revision has no lists."""
    spoken = ""

    def answer(message: dict[str, Any]) -> dict[str, Any]:
        nonlocal spoken
        methods.append(message["method"])
        if message["method"] == "initialize":
            spoken = message["params"]["protocolVersion"]
        if message["method"] == "tools/list" and broken and spoken == broken:
            return refused(-32603) | {"id": message["id"]}
        return outcome(message)

    return answering(answer, lambda message: (200, answer(message)))


def test_a_survey_reads_the_lists_in_the_conversation_that_it_begins(
    serve: Serve, outcome: Outcome
) -> None:
    methods: list[str] = []
    seen = survey(HttpTarget(serve(asked(outcome, methods))))
    assert seen.claimed == tuple(sorted(seen.surfaces)) == REVISIONS
    assert seen.fault is None
    counts = {method: methods.count(method) for method in set(methods)}
    assert counts == {"server/discover": 1, "initialize": 4, "tools/list": 5}


def test_a_survey_reads_no_lists_but_those_that_are_wanted(serve: Serve, outcome: Outcome) -> None:
    methods: list[str] = []
    seen = survey(HttpTarget(serve(asked(outcome, methods))), ("2025-06-18", "2027-05-01"))
    assert (seen.claimed, list(seen.surfaces)) == (REVISIONS, ["2025-06-18"])
    assert methods.count("tools/list") == 1


def test_lists_that_cannot_be_read_take_nothing_from_what_is_claimed(
    serve: Serve, outcome: Outcome
) -> None:
    seen = survey(HttpTarget(serve(asked(outcome, [], broken="2025-06-18"))))
    assert seen.claimed == REVISIONS
    assert seen.fault is not None
    assert (seen.fault.revision, seen.fault.code) == ("2025-06-18", -32603)
    assert "2025-06-18" not in seen.surfaces


def test_a_revision_that_is_named_and_then_refused_is_a_fault(
    serve: Serve, outcome: Outcome
) -> None:
    def picky(message: dict[str, Any]) -> dict[str, Any]:
        wanted = message.get("params", {}).get("protocolVersion")
        return refused(-32602) if wanted == "2025-03-26" else outcome(message)

    body = refused(-32022, data={"supported": ["2025-03-26"], "requested": "2026-07-28"})
    seen = survey(HttpTarget(serve(answering(picky, lambda _: (400, body)))))
    assert seen.claimed == REVISIONS[:-1]
    assert seen.fault is not None
    assert (seen.fault.revision, seen.fault.code) == ("2025-03-26", -32602)


@pytest.mark.parametrize(
    ("preferred", "methods"),
    [
        ("", ["server/discover", "tools/list"]),
        ("2099-01-01", ["server/discover", "tools/list"]),
        ("2025-06-18", ["initialize", "tools/list"]),
    ],
)
def test_one_revision_takes_one_conversation(
    serve: Serve, outcome: Outcome, preferred: str, methods: list[str]
) -> None:
    found: list[str] = []
    surface = read_one(HttpTarget(serve(asked(outcome, found))), preferred)
    assert surface.revision == (preferred if preferred in REVISIONS else REVISIONS[-1])
    assert found == methods


def test_the_newest_revision_that_a_server_offers_is_read(scripted: Scripted) -> None:
    target = scripted("speaks", "2024-11-05", "2025-03-26")
    assert read_one(target).revision == "2025-03-26"
    assert read_one(target, "2025-06-18").revision == "2025-03-26"
    assert read_one(target, "2024-11-05").revision == "2024-11-05"
    assert read_one(scripted("modern-only"), "2024-11-05").revision == "2026-07-28"


def test_no_revision_to_read_is_an_error(scripted: Scripted) -> None:
    with pytest.raises(WireError, match="accepts no revision of MCP"):
        read_one(scripted("speaks", "2023-01-01"))
    with pytest.raises(WireError, match="no module named nothing"):
        read_one(scripted("dies"))
