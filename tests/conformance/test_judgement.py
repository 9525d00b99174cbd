"""The judgement of the runs, on verdicts that are made up: each complaint is made once."""

from __future__ import annotations

import pytest
from conformance_suite import Check, Plan

REVISION = "2026-07-28"
PLAN = Plan.parse("""
shipped = ["lists", "calls"]
prepared = ["prompts"]
[runners]
runner = ["2026-07-28"]
[[excluded]]
reason = "It has none."
scenarios = ["images"]
[[allowed]]
reason = "It does not log."
scenario = "calls"
revisions = ["2026-07-28"]
status = "FAILURE"
checks = ["logs"]
""")
FORMAL = Check("wire-schema-valid", "SUCCESS", "")
GOOD = Check("good", "SUCCESS", "")
BAD = Check("bad", "FAILURE", "It fell over.")
LOGS = Check("logs", "FAILURE", "No log.")


def judge(**results: list[Check]) -> list[str]:
    return PLAN.judge(PLAN.shipped, REVISION, results)


def test_what_is_as_expected_gives_no_complaint() -> None:
    facts = Check("facts", "INFO", "")
    assert judge(lists=[GOOD, facts], calls=[GOOD, LOGS], images=[FORMAL, BAD], prompts=[BAD]) == []


def test_an_exclusion_that_only_sees_well_formed_messages_stands() -> None:
    assert judge(images=[FORMAL, Check("facts", "INFO", "")]) == []


@pytest.mark.parametrize("status", ["FAILURE", "WARNING", "SKIPPED"])
def test_a_check_that_does_not_succeed_is_told_with_its_message(status: str) -> None:
    check = Check("bad", status, "It fell over.")
    assert judge(lists=[GOOD, check]) == [f"lists: bad: {status}: It fell over."]


def test_an_allowance_holds_for_its_own_status_scenario_and_revision() -> None:
    skipped = Check("logs", "SKIPPED", "")
    assert "calls: logs: SKIPPED: " in judge(calls=[GOOD, skipped])
    assert judge(lists=[GOOD, LOGS]) == ["lists: logs: FAILURE: No log."]
    other = PLAN.judge(PLAN.shipped, "2025-11-25", {"calls": [GOOD, LOGS]})
    assert other == ["calls: logs: FAILURE: No log."]


@pytest.mark.parametrize("checks", [[GOOD], [GOOD, Check("logs", "SUCCESS", "")]])
def test_an_allowance_that_is_not_needed_is_told(checks: list[Check]) -> None:
    assert judge(calls=checks) == ["calls: logs: is allowed as FAILURE, and that did not happen"]


@pytest.mark.parametrize("scenario", ["images", "prompts"])
def test_a_scenario_that_succeeds_against_the_plan_is_told(scenario: str) -> None:
    complaint = f"{scenario}: succeeds, and the plan says that it does not"
    assert judge(**{scenario: [FORMAL, GOOD]}) == [complaint]


def test_a_scenario_that_the_plan_does_not_know_is_told() -> None:
    assert judge(news=[GOOD]) == ["news: is not in the plan"]


def test_a_scenario_without_any_success_shows_nothing() -> None:
    assert judge(lists=[Check("facts", "INFO", "")]) == ["lists: shows nothing"]
    assert judge(lists=[]) == ["lists: shows nothing"]


def test_a_plan_that_names_a_scenario_twice_is_refused() -> None:
    with pytest.raises(AssertionError, match="named twice"):
        Plan.parse('shipped = ["lists"]\nprepared = ["lists"]\n[runners]\n')
