"""The official conformance suite against our servers over HTTP, in every revision it knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance_suite import EXTENSION, Plan, list_scenarios, run_suite

PLAN = Plan.parse(Path(__file__).with_name("scenarios.toml").read_text("utf-8"))
WRAPPER = Plan.parse(Path(__file__).with_name("wrapper.toml").read_text("utf-8"))
RECEIPTS = Plan.parse(Path(__file__).with_name("haia_trace.toml").read_text("utf-8"))
PLANS = {"fairwins-mcp": PLAN, "a wrapper": WRAPPER, "haia-trace-mcp": RECEIPTS}
OF_ALL_PLANS = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
OF_ALL_RUNNERS = pytest.mark.parametrize("runner", PLAN.runners)

pytestmark = pytest.mark.conformance


@pytest.mark.parametrize(("runner", "revision"), PLAN.runs)
def test_the_server_as_shipped_passes_what_applies_to_it(
    runner: str, revision: str, shipped: str, tmp_path: Path
) -> None:
    results = run_suite(runner, revision, shipped, tmp_path)
    listed = list_scenarios(runner)
    assert set(results) == {name for name in listed if revision in listed[name]}
    assert PLAN.judge(PLAN.shipped, revision, results) == []


@pytest.mark.parametrize(
    ("runner", "revision"), [run for run in PLAN.runs if run[1] != "2025-03-26"]
)
def test_the_prepared_server_passes_what_asks_for_given_names(
    runner: str, revision: str, prepared: str, tmp_path: Path
) -> None:
    results = run_suite(runner, revision, prepared, tmp_path)
    wanted = {name: checks for name, checks in results.items() if name in PLAN.prepared}
    assert len(wanted) >= 6
    assert PLAN.judge(PLAN.prepared, revision, wanted) == []


@pytest.mark.parametrize(("runner", "revision"), WRAPPER.runs)
def test_a_wrapper_passes_what_applies_to_it(
    runner: str, revision: str, wrapped: str, tmp_path: Path
) -> None:
    results = run_suite(runner, revision, wrapped, tmp_path)
    listed = list_scenarios(runner)
    assert set(results) == {name for name in listed if revision in listed[name]}
    assert WRAPPER.judge([*WRAPPER.shipped, *WRAPPER.prepared], revision, results) == []


@pytest.mark.parametrize(("runner", "revision"), RECEIPTS.runs)
def test_the_server_of_receipts_passes_what_applies_to_it(
    runner: str, revision: str, receipts: str, tmp_path: Path
) -> None:
    results = run_suite(runner, revision, receipts, tmp_path)
    listed = list_scenarios(runner)
    assert set(results) == {name for name in listed if revision in listed[name]}
    assert RECEIPTS.judge(RECEIPTS.shipped, revision, results) == []


@OF_ALL_PLANS
@OF_ALL_RUNNERS
def test_every_scenario_of_a_runner_is_in_the_plan(runner: str, plan: Plan) -> None:
    assert set(list_scenarios(runner)) - plan.scenarios == set()


@OF_ALL_PLANS
def test_every_scenario_of_the_plan_is_one_of_a_runner(plan: Plan) -> None:
    listed = {name for runner in plan.runners for name in list_scenarios(runner)}
    assert plan.scenarios - listed == set()


@OF_ALL_PLANS
@OF_ALL_RUNNERS
def test_every_revision_of_a_runner_is_run_and_no_other(runner: str, plan: Plan) -> None:
    revisions = set[str]().union(*list_scenarios(runner).values()) - {EXTENSION}
    assert revisions == set(plan.runners[runner])


@OF_ALL_PLANS
def test_every_allowance_is_for_a_scenario_that_is_run(plan: Plan) -> None:
    run = {
        (name, revision)
        for runner in plan.runners
        for name, revisions in list_scenarios(runner).items()
        if name in {*plan.shipped, *plan.prepared}
        for revision in revisions
    }
    assert {(entry.scenario, entry.revision) for entry in plan.allowed} - run == set()
