"""What may go from the day that was announced."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from edited_surfaces import (
    CONTRACT,
    Edit,
    after,
    old,
    prompt,
    route,
    rows,
    server,
    surface,
)

from counterfoil.breaking import compare


@pytest.mark.parametrize(
    ("today", "expected"),
    [("2026-06-29", "CF401"), ("2026-06-30", "CF468"), ("2026-07-01", "CF468"), ("", "CF401")],
)
def test_a_removal_is_legal_from_the_day_that_was_announced(today: str, expected: str) -> None:
    [change] = after(lambda d: server(d)["tools"].remove(old(d)), today=today)
    assert change.code == expected


@pytest.mark.parametrize(("today", "expected"), [("2026-06-29", "CF411"), ("2026-06-30", "CF468")])
def test_an_argument_may_go_from_the_day_that_was_announced(today: str, expected: str) -> None:
    [change] = after(lambda d: rows(d)["inputSchema"]["properties"].pop("gone"), today=today)
    assert change.code == expected


def test_what_goes_as_announced_is_no_rename() -> None:
    def renamed(data: dict[str, Any]) -> None:
        old(data).pop("deprecated")
        old(data)["name"] = "young"

    late = after(renamed, today="2026-07-01")
    assert sorted(each.code for each in late) == ["CF468", "CF480"]
    early = after(renamed, today="2026-01-01")
    assert [each.code for each in early if each.klass == "breaking"] == ["CF402"]


def ended(key: str) -> Edit:
    """Announce the end of the first of a list, by an edit of the base."""
    return lambda data: server(data)[key][0].update(deprecated={"date": "2026-06-30"})


@pytest.mark.parametrize("key", ["prompts", "resources", "routes"])
@pytest.mark.parametrize(("today", "expected"), [("2026-06-29", "CF401"), ("2026-06-30", "CF468")])
def test_whatever_is_listed_may_go_from_the_day_that_was_announced(
    key: str, today: str, expected: str
) -> None:
    base = copy.deepcopy(CONTRACT)
    ended(key)(base)
    target = copy.deepcopy(base)
    server(target).pop(key)
    found = compare(surface(base), surface(target), today=today)
    assert [each.code for each in found if each.code != "CF490"] == [expected]


def test_an_end_is_announced_of_whatever_is_listed() -> None:
    for key in ("prompts", "resources", "routes"):
        [change] = after(ended(key))
        assert (change.code, change.klass) == ("CF467", "behaviour")


@pytest.mark.parametrize(("today", "expected"), [("2026-06-29", "CF411"), ("2026-06-30", "CF468")])
@pytest.mark.parametrize("key", ["arguments", "queryParams"])
def test_an_argument_of_a_prompt_or_a_route_may_go_from_its_day(
    key: str, today: str, expected: str
) -> None:
    base = copy.deepcopy(CONTRACT)
    owner = prompt(base) if key == "arguments" else route(base)
    owner[key][1]["deprecated"] = {"date": "2026-06-30"}
    target = copy.deepcopy(base)
    (prompt(target) if key == "arguments" else route(target))[key].pop()
    found = compare(surface(base), surface(target), today=today)
    assert [each.code for each in found if each.code != "CF490"] == [expected]
