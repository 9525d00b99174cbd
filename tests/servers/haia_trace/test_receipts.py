"""Receipts and the document of a build, without the recorded output of the original."""

from __future__ import annotations

import json
from typing import Any

import pytest
from haia_trace_events import Trace, event, lines, paid, settled

from haia_trace_mcp.errors import RunError
from haia_trace_mcp.receipts import Document, RunInput, build_document, in_order
from haia_trace_mcp.templates import Loaded, Templates


@pytest.fixture
def template(trace: Trace) -> Loaded:
    return Templates(trace.root).load("x402-buyer")


def build(template: Loaded, *values: Any, **named: Any) -> Document:
    run = RunInput("run", "run.ndjson", lines(values))
    return build_document([run], template, **named)


def only(document: Document) -> dict[str, Any]:
    (run,) = json.loads(document.text)["runs"]
    found: dict[str, Any] = run
    return found


def test_a_status_narrows_receipts_and_nothing_else(template: Loaded) -> None:
    values = [*settled("1"), *paid("2", 10), event("required", None, 20)]
    everything = only(build(template, *values))
    for status in ("full", "partial"):
        document = build(template, *values, status=status)
        run = only(document)
        assert [each["completeness"] for each in run["receipts"]] == [status]
        assert (run["assembled"], len(run["unassigned"])) == (2, 1)
        assert len(document.files) == 2
    assert len(everything["receipts"]) == 2


def test_stored_receipts_are_the_receipts_of_the_document(template: Loaded) -> None:
    document = build(template, *settled("é/~.-_\U0001f600"))
    ((name, text),) = document.files.items()
    assert name == "run~%00E9%002F%007E.-_%D83D%DE00.json"
    assert json.loads(text) == only(document)["receipts"][0]
    assert text.endswith("}\n")


@pytest.mark.parametrize(("length", "is_fine"), [(246, True), (247, False)])
def test_names_that_no_file_can_have_are_refused(
    length: int, is_fine: bool, template: Loaded
) -> None:
    if is_fine:
        assert len(build(template, *paid("x" * length)).files) == 1
    else:
        with pytest.raises(RunError, match=r"too long"):
            build(template, *paid("x" * length))


def test_values_that_are_no_events_are_of_no_operation(template: Loaded) -> None:
    values = [5, "text", True, [], {}]
    run = only(build(template, *values))
    assert (run["receipts"], run["unassigned"]) == ([], values)


def test_an_operation_may_be_called_null(template: Loaded) -> None:
    document = build(template, {**event("required", "x"), "context_id": None})
    assert only(document)["receipts"][0]["operation"]["operation_id"] is None
    assert list(document.files) == ["run~operation.json"]


@pytest.mark.parametrize("name", [5, False, [], {"a": 1}])
def test_operations_of_other_names_cannot_be_stored(name: object, template: Loaded) -> None:
    with pytest.raises(RunError, match=r"field context_id: is no string"):
        build(template, {**event("required", "x"), "context_id": name})


def test_a_null_is_refused_by_its_line(template: Loaded) -> None:
    with pytest.raises(RunError, match=r'^run "run", line 4: is null'):
        build(template, *paid("x"), None)


def test_faults_without_an_id_leave_it_out_and_null_ids_stay(template: Loaded) -> None:
    fault = event("failed", "x")
    without = {name: value for name, value in fault.items() if name != "event_id"}
    receipt = only(build(template, {**fault, "event_id": None}, without))["receipts"][0]
    assert receipt["exceptions"] == [
        {"event_type": "x402.payment.failed", "event_id": None},
        {"event_type": "x402.payment.failed"},
    ]


def test_several_runs_are_told_apart(template: Loaded) -> None:
    runs = [RunInput(name, f"{name}.ndjson", lines(paid("op"))) for name in ("b", "a")]
    document = build_document(runs, template)
    assert [run["run"] for run in json.loads(document.text)["runs"]] == ["b", "a"]
    assert sorted(document.files) == ["a~op.json", "b~op.json"]


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        ([("b", 0.0, "x"), ("a", 9.0, "x")], [1, 0]),
        ([("a", 10.0, "x"), ("a", 2.0, "x"), ("a", -1.0, "x")], [2, 1, 0]),
        ([("a", 0.0, "y"), ("a", 0.0, "x"), ("a", 0.0, "x")], [1, 2, 0]),
        ([("\uffff", 0.0, "x"), ("\U0001f600", 0.0, "x")], [1, 0]),
        ([("a", 0.0, "\uffff"), ("a", 0.0, "\U0001f600")], [1, 0]),
        ([("a", None, "b"), ("a", 1.0, "a"), ("a", -1.0, "c")], [2, 0, 1]),
        ([(2.0, 0.0, "b"), (1.0, 0.0, "a")], [1, 0]),
        ([("a", "10", "x"), ("a", "9", "x")], [1, 0]),
        ([("a", "no number", "y"), ("a", 5.0, "x")], [1, 0]),
    ],
)
def test_events_are_ordered_by_time_then_seq_then_id(keys: list[Any], order: list[int]) -> None:
    names = ("occurred_at", "seq", "event_id")
    values: list[Any] = [dict(zip(names, each, strict=True)) for each in keys]
    assert in_order(values) == [values[place] for place in order]
