"""How grave a change is, for whom, and whether it was accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from history import contract, require, tool
from reviewed import review

from counterfoil.config import Breaking, Weight
from counterfoil.errors import CounterfoilError
from counterfoil.review import Acceptance, Accepted, Review

BASE = [tool("search")]
ADDED = [tool("search"), tool("export")]
REQUIRED = [tool("search", inputSchema={**BASE[0]["inputSchema"], "required": ["query", "region"]})]
REWORDED = [tool("search", description="Search all.")]


def severities(review: Review) -> list[str]:
    return [verdict.severity for verdict in review.verdicts]


def accepted(review: Review, until: str = "", path: str = "accepted.json") -> Accepted:
    """Return what accepts every change of a review."""
    entries = tuple(
        Acceptance(each.at, each.change.code, each.change.fingerprint, "agreed", until)
        for each in review.verdicts
    )
    text = json.dumps({"accepted": [vars(entry) for entry in entries]}, indent=1)
    return Accepted(path, text, entries)


@pytest.mark.parametrize(
    ("target", "severity"),
    [(REQUIRED, "error"), ([], "error"), (REWORDED, "warning"), (ADDED, "note")],
)
def test_the_class_says_how_grave_a_change_is(target: Any, severity: str) -> None:
    assert severities(review(BASE, target)) == [severity]


def test_a_project_says_which_classes_fail() -> None:
    policy = Breaking(fail_on=("behaviour", "additive"))
    assert severities(review(BASE, REQUIRED, policy=policy)) == ["warning"]
    assert severities(review(BASE, REWORDED, policy=policy)) == ["error"]
    assert severities(review(BASE, ADDED, policy=policy)) == ["error"]


@pytest.mark.parametrize(
    ("weights", "severity"),
    [
        ([Weight("note")], "note"),
        ([Weight("off")], None),
        ([Weight("warning", ("CF410",))], "warning"),
        ([Weight("warning", ("CF401",))], "error"),
        ([Weight("warning", at="tool/search")], "warning"),
        ([Weight("warning", at="tool/s*")], "warning"),
        ([Weight("warning", at="*region*")], "warning"),
        ([Weight("warning", at="tool/sear")], "error"),
        ([Weight("warning", at="tool/[s]*")], "error"),
        ([Weight("note"), Weight("warning")], "warning"),
        ([Weight("off"), Weight("error", at="tool/search *")], "error"),
    ],
)
def test_a_weight_is_for_codes_and_places_and_the_last_one_counts(
    weights: list[Weight], severity: str | None
) -> None:
    policy = Breaking(weights=tuple(weights))
    assert severities(review(BASE, REQUIRED, policy=policy)) == ([severity] if severity else [])


def test_a_severity_by_code_comes_before_the_class_and_after_the_place() -> None:
    given = {"CF410": "note"}
    assert severities(review(BASE, REQUIRED, severities=given)) == ["note"]
    policy = Breaking(weights=(Weight("error"),))
    assert severities(review(BASE, REQUIRED, severities=given, policy=policy)) == ["error"]
    assert severities(review(BASE, REQUIRED, severities={"CF410": "off"})) == []


def test_a_level_leaves_out_what_concerns_others() -> None:
    assert severities(review(BASE, REQUIRED, level="wire")) == ["error"]
    assert severities(review(BASE, REQUIRED, level="agent")) == []
    assert severities(review(BASE, REWORDED, level="agent")) == ["warning"]
    assert severities(review(BASE, REWORDED, level="wire")) == []


def test_an_accepted_change_is_shown_and_fails_nobody() -> None:
    first = review(BASE, REQUIRED)
    second = review(BASE, REQUIRED, accepted=accepted(first))
    assert severities(second) == ["note"]
    assert second.verdicts[0].acceptance is not None
    assert not second.open
    assert not second.findings


@pytest.mark.parametrize(("today", "over"), [("2026-05-31", False), ("2026-06-01", True)])
def test_an_acceptance_ends_after_its_last_day(today: str, over: bool) -> None:
    entries = accepted(review(BASE, REQUIRED), until="2026-05-31")
    found = review(BASE, REQUIRED, accepted=entries, today=today)
    assert severities(found) == (["error"] if over else ["note"])
    assert [finding.code for finding in found.findings] == ["CF496"] * over


def test_an_entry_that_matches_nothing_is_reported_at_its_place() -> None:
    entries = accepted(review(BASE, REQUIRED))
    [finding] = review(BASE, BASE, accepted=entries).findings
    assert (finding.code, finding.severity) == ("CF495", "warning")
    assert (finding.pointer, finding.line) == ("/accepted/0", 3)
    assert "tool/search inputSchema region required" in finding.message


def test_an_entry_of_a_level_that_is_left_out_is_not_stale() -> None:
    entries = accepted(review(BASE, REQUIRED))
    assert review(BASE, REQUIRED, accepted=entries, level="agent").findings == ()


def test_an_entry_of_another_server_is_not_stale_when_one_is_compared() -> None:
    base = contract(other=contract("x", server="o")["servers"]["o"])
    entries = accepted(review(base, require(require(base, name="x"))))
    assert len(entries.entries) == 2
    found = review(base, base, accepted=entries, server="other")
    assert {finding.message.partition("/")[0] for finding in found.findings} == {"other"}


def test_an_entry_is_not_stale_when_not_all_was_compared() -> None:
    base = contract("search")
    entries = accepted(review(base, require(base)))
    found = review(base, {"tools": [tool("search")]}, accepted=entries)
    assert found.uncompared
    assert found.findings == ()


def test_a_listing_finds_its_server_by_its_name() -> None:
    base = contract("search", other=contract("x", server="o")["servers"]["o"])
    listing = {"tools": [tool("x")], "serverInfo": {"name": "o-server", "version": "1.0.0"}}
    assert severities(review(base, listing)) == []


def test_a_listing_against_several_servers_needs_to_know_which() -> None:
    base = contract("search", other=contract("x", server="o")["servers"]["o"])
    with pytest.raises(CounterfoilError, match="the list of one server") as caught:
        review(base, [tool("x")])
    assert caught.value.hint.endswith("--server: notes, other")
    assert severities(review(base, [tool("x")], server="other")) == []
    with pytest.raises(CounterfoilError, match="no server 'third' on either side"):
        review(base, base, server="third")


def test_one_server_is_compared_when_one_is_meant() -> None:
    base = contract("search", other=contract("x", server="o")["servers"]["o"])
    target = require(require(base), name="x")
    servers = {v.change.spot.server for v in review(base, target, server="other").verdicts}
    assert servers == {"other"}
