"""What is judged again after a change, and that it makes no difference to what is found."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_results import damage, kept

from counterfoil.cache import Cache
from counterfoil.contract.canonical import canonical_text
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract_bytes
from counterfoil.lint import Ledger, lint_contract
from counterfoil.lint.survey import Survey

Change = tuple[str, Any]
Changed = Callable[..., dict[str, Any]]

REMOVE = ...
TOOLS = "/servers/shop/tools"
FIND, GET, ORDER = (f"{TOOLS}/{index}" for index in range(3))
ROUTE = "/servers/shop/routes/0"
BODY = "/servers/shop/routes/1/body"
ITEM = "/$defs/Item"
STRING = {"type": "string"}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def contract(changed: Changed) -> Callable[..., Contract]:
    """Give a function that returns the small contract with changes."""

    def make(*changes: Change) -> Contract:
        return read(changed(*changes))

    return make


def read(data: dict[str, Any]) -> Contract:
    found = read_contract_bytes(canonical_text(data).encode(), "contract.json").contract
    assert found is not None
    return found


def ledger(cache: Cache, judge: str = "we") -> Ledger:
    """Return a ledger as a new process opens it."""
    return Ledger(cache, "project", judge)


def judged(contract: Contract, cache: Cache, judge: str = "we") -> set[str]:
    """Return the pointers of the tools and routes whose schemas are judged."""
    suspects = ledger(cache, judge).suspects(Survey(contract))
    return {place.owner.pointer for place in suspects if place.owner is not None}


def everybody(contract: Contract) -> set[str]:
    return set(Survey(contract).by_owner)


def test_every_tool_and_route_with_a_schema_is_judged_once(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    made = contract()
    assert judged(made, cache) == everybody(made) >= {FIND, GET, ORDER, ROUTE}
    assert lint_contract(made, ledger(cache)) == ()
    assert judged(made, cache) == set()


@pytest.mark.parametrize(
    "change",
    [
        (f"{GET}/description", "Reads another item."),
        (f"{GET}/inputSchema/properties/limit/minimum", 2),
        (f"{GET}/surfaces", ["mcp"]),
    ],
)
def test_an_edited_tool_is_judged_alone(
    change: Change, contract: Callable[..., Contract], cache: Cache
) -> None:
    lint_contract(contract(), ledger(cache))
    assert judged(contract(change), cache) == {GET}


def test_a_tool_that_moves_in_its_list_is_not_judged_again(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    lint_contract(contract(), ledger(cache))
    assert judged(contract((FIND, REMOVE)), cache) == set()


def test_a_changed_shared_schema_is_judged_with_all_who_reach_it(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    deep = [
        ("/$defs/Deep", {"type": "string"}),
        ("/$defs/Middle", {"type": "array", "items": {"$ref": "#/$defs/Deep"}}),
        (f"{ORDER}/inputSchema/properties/more", {"$ref": "#/$defs/Middle"}),
        (f"{ORDER}/exec/body/-", "more"),
        (f"{BODY}/properties/more", {"type": "array", "items": STRING}),
    ]
    assert lint_contract(contract(*deep), ledger(cache)) == ()
    assert judged(contract(*deep, (f"{ITEM}/description", "One.")), cache) == {GET, ROUTE}
    assert judged(contract(*deep, ("/$defs/Deep/maxLength", 3)), cache) == {ORDER}


def test_what_another_toolchain_judged_is_judged_again(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    made = contract()
    lint_contract(made, ledger(cache))
    assert judged(made, cache, judge="others") == everybody(made)


def test_what_has_a_finding_is_judged_and_reported_in_every_run(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    made = contract((f"{ORDER}/inputSchema/properties/count/pattern", "["))
    first = lint_contract(made, ledger(cache))
    assert [finding.code for finding in first] == ["CF140"]
    assert judged(made, cache) == {ORDER}
    assert lint_contract(made, ledger(cache)) == first


def test_a_finding_that_is_not_about_its_schemas_is_reported_and_spares_them(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    made = contract((f"{GET}/exec/route", "nowhere"))
    first = lint_contract(made, ledger(cache))
    assert [finding.code for finding in first] == ["CF152"]
    assert judged(made, cache) == set()
    assert lint_contract(made, ledger(cache)) == first


def test_who_reaches_a_shared_schema_with_a_finding_is_judged_in_every_run(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    made = contract((f"{ITEM}/properties/name/pattern", "["))
    lint_contract(made, ledger(cache))
    assert judged(made, cache) == {GET, ROUTE}


def test_a_finding_that_was_told_of_another_tool_is_not_taken_for_none(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    asks = [
        ("/$defs/Ask", {"type": "object", "properties": {"token": STRING}, "title": "Ask"}),
        (f"{GET}/inputSchema/properties/ask", {"$ref": "#/$defs/Ask"}),
        (f"{GET}/exec/query/-", "ask"),
        (f"{ROUTE}/queryParams/-", {"name": "ask", "description": "Ask.", "pattern": "^a$"}),
    ]
    both = contract(*asks, (f"{FIND}/inputSchema/properties/ask", {"$ref": "#/$defs/Ask"}))
    (found,) = lint_contract(both, ledger(cache))
    assert (found.code, "find_on_page" in found.message) == ("CF135", True)
    (found,) = lint_contract(contract(*asks), ledger(cache))
    assert (found.code, "get_item" in found.message) == ("CF135", True)


def test_a_new_shared_schema_with_the_name_of_a_tools_own_is_reported(
    contract: Callable[..., Contract], cache: Cache
) -> None:
    own = (f"{ORDER}/inputSchema/$defs", {"Mine": STRING})
    assert lint_contract(contract(own), ledger(cache)) == ()
    found = lint_contract(contract(own, ("/$defs/Mine", STRING)), ledger(cache))
    assert "CF126" in {finding.code for finding in found}


def test_a_damaged_ledger_is_made_again(contract: Callable[..., Contract], cache: Cache) -> None:
    made = contract()
    lint_contract(made, ledger(cache))
    assert cache.folder is not None
    sound = kept(cache.folder)
    assert damage(cache.folder) == len(sound) == 1
    assert judged(made, cache) == everybody(made)
    lint_contract(made, ledger(cache))
    assert kept(cache.folder) == sound


def test_a_cache_that_keeps_nothing_spares_nothing(contract: Callable[..., Contract]) -> None:
    made, nowhere = contract(), Cache(None)
    lint_contract(made, ledger(nowhere))
    assert judged(made, nowhere) == everybody(made)


# Each is a fault, or takes part in one with another.
FAULTS: list[Change] = [
    ("/$defs/Other", {"type": "object", "title": "Item", "properties": {"a": STRING}}),
    ("/$defs/Item/properties/name", {"type": "string", "pattern": "(a*)*"}),
    ("/$defs/Item/properties/secret", STRING),
    ("/$defs/Item/properties/loop", {"$ref": "#/$defs/Item"}),
    ("/$defs/Item/allOf", [{"$ref": "#/$defs/Item"}]),
    ("/$defs/Item/$ref", "#/$defs/Item"),
    ("/$defs/Item/maximum", "three"),
    ("/$defs/Mine", {"type": "integer", "minimum": 3, "maximum": 2}),
    (f"{FIND}/inputSchema/properties/item", {"$ref": "#/$defs/Item"}),
    (f"{FIND}/inputSchema/properties/mine", {"$ref": "#/$defs/Mine"}),
    (f"{FIND}/inputSchema/properties/other", {"$ref": "#/$defs/Other"}),
    (f"{FIND}/inputSchema/$defs", {"Mine": STRING}),
    (f"{FIND}/inputSchema/properties/token", STRING),
    (f"{GET}/inputSchema/properties/limit/default", "five"),
    (f"{GET}/inputSchema/properties/item", {"$ref": "#/$defs/Item"}),
    (f"{GET}/inputSchema/properties/itemId/pattern", "["),
    (f"{GET}/outputSchema", {"$ref": "#/$defs/Mine"}),
    (f"{GET}/surfaces", ["mcp"]),
    (f"{GET}/exec/route", "nowhere"),
    (f"{ORDER}/inputSchema/properties/box", {"type": "object", "properties": {"a": STRING}}),
    (f"{ORDER}/inputSchema/properties/count/x-mcp-header", "no token"),
    (f"{ORDER}/name", "get-item"),
    (f"{ROUTE}/response/$ref", "#/$defs/Nobody"),
    (f"{ROUTE}/unreadable/0/at", "/nowhere"),
    (f"{BODY}/properties/item", {"$ref": "#/$defs/Item"}),
]


@pytest.mark.parametrize("seed", range(12))
def test_a_ledger_changes_nothing_that_is_found(
    seed: int, contract: Callable[..., Contract], cache: Cache
) -> None:
    chance = random.Random(seed)  # a seed for a test
    codes: set[str] = set()
    for _ in range(12):
        made = contract(*copy.deepcopy(chance.sample(FAULTS, chance.randrange(5))))
        fresh = lint_contract(made)
        assert lint_contract(made, ledger(cache)) == fresh
        codes.update(finding.code for finding in fresh)
    assert len(codes) > 5
