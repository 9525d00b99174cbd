"""The original's recorded output, byte for byte."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from haia_oracle import ABSENT, ORACLE, Recorded, recorded

from haia_trace_mcp.errors import HaiaTraceError, RunError, RunsError, TemplateError
from haia_trace_mcp.index import TraceIndex
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates

ALL = list(recorded())
BUILT = [each for each in ALL if each.is_build and each.status == 0]
REFUSED = [each for each in ALL if each.is_build and each.status != 0]
BROKEN = [each for each in ALL if each.contract == "broken"]

# What the original refuses for reasons of its command line or its store.
STATUS_OPTION = "case-275-bad"

# Where the words of the original are promised, they end here; engines differ after it.
SHARED_WORDS = {"malformed event on line ": ": ", "invalid template (": "): "}


def chosen(cases: list[Recorded]) -> pytest.MarkDecorator:
    absent = pytest.mark.skip(reason=ABSENT)
    if not ALL:
        return pytest.mark.parametrize("case", [pytest.param(None, marks=absent)])
    return pytest.mark.parametrize("case", cases, ids=[each.id for each in cases])


@pytest.mark.skipif(not ALL, reason=ABSENT)
def test_every_recording_is_compared_or_is_about_what_this_project_does_not_have() -> None:
    left = [each for each in ALL if not each.is_build]
    assert {each.category for each in left} == {"cli-error", "store"}
    assert len(BUILT) + len(REFUSED) + len(left) == len(ALL)
    assert len({each.folder for each in ALL}) == 272


@chosen(BUILT)
def test_what_the_original_prints_and_stores_is_made_byte_for_byte(case: Recorded) -> None:
    document = case.build()
    assert document.text.encode() == case.out
    digests = {name: sha256(text.encode()).hexdigest() for name, text in document.files.items()}
    # Later invocations over one Trace root find what earlier ones stored.
    assert digests.items() <= case.stored.items()
    assert digests == case.stored or "--dir" in case.arguments


@chosen([each for each in REFUSED if each.id != STATUS_OPTION])
def test_what_the_original_refuses_is_refused(case: Recorded) -> None:
    with pytest.raises(HaiaTraceError) as refusal:
        case.build()
    if case.category.startswith("template"):
        assert isinstance(refusal.value, TemplateError)
        told, recorded_text = str(refusal.value), case.err.removeprefix("error: ")
        assert told.partition("): ")[0] == recorded_text.partition("): ")[0]
        if " at line " not in recorded_text:
            assert told == recorded_text.rstrip("\n")
        return
    assert isinstance(refusal.value, RunError)
    if "malformed event on line " in case.err:
        line = case.err.partition("malformed event on line ")[2].partition(":")[0]
        assert (refusal.value.code, refusal.value.line) == ("malformed", int(line))


def index_of(case: Recorded, folder: Path) -> TraceIndex:
    """Return an index over the case's run files, wherever they lie."""
    events = folder / "events"
    events.mkdir()
    for name in case.files() or [each.path for each in case.runs()]:
        shutil.copyfile(case.folder / name, events / Path(name).name)
    index = TraceIndex(TraceRoot(folder), case.templates())
    index.refresh()
    return index


@chosen([each for each in BUILT if each.contract != "broken"])
def test_the_index_gives_the_receipts_that_the_original_stores(
    case: Recorded, tmp_path: Path
) -> None:
    index = index_of(case, tmp_path)
    template = case.option("--template") or "x402-buyer"
    operations = index.operations(template)
    receipts = [index.receipt(each.run_id, each.operation_id, template) for each in operations]
    digests = {sha256(each.text().encode()).hexdigest() for each in receipts}
    document = case.build()
    assert digests == {sha256(text.encode()).hexdigest() for text in document.files.values()}
    for operation, receipt in zip(operations, receipts, strict=True):
        assert operation.completeness == receipt.completeness
        assert operation.missing == tuple(each.stage for each in receipt.missing)
        assert operation.exception_count == len(receipt.exceptions)
        assert operation.last_event_at == receipt.events[-1]["occurred_at"]
        confirmed = {stage.id for stage in receipt.stages if stage.is_confirmed}
        assert operation.confirmed == confirmed


# What the original makes something of, and the event contract does not allow.
FIELDS = {
    "array among events": None,
    "empty object": "event_id",
    "context_id null": "context_id",
    "context_id number": "context_id",
    "context_id false": "context_id",
    "context_id object": "context_id",
    "event_id number": "event_id",
    "event_id null": "event_id",
    "event_type absent": "event_type",
    "seq null": "seq",
    "occurred_at number": "occurred_at",
    "occurred_at mixed types": "occurred_at",
    "role null / number": "role",
    "adapter absent": "adapter",
    "null line alone": None,
    "null among events": None,
}


@chosen([each for each in BROKEN if each.name != "latest"])
def test_the_index_refuses_a_broken_run_by_run_line_and_field(
    case: Recorded, tmp_path: Path
) -> None:
    index = index_of(case, tmp_path)
    with pytest.raises(RunsError) as refusal:
        index.operations("x402-buyer")
    problem = refusal.value.problems[0]
    assert problem.line is not None
    assert f"line {problem.line}" in str(problem)
    assert problem.run_id in str(problem)
    if case.category == "invalid-envelope":
        assert problem.code == "envelope"
        assert problem.field == FIELDS[case.title]
        assert problem.field is None or problem.field in str(problem)
    else:
        assert problem.code == "malformed"


@pytest.mark.skipif(not ALL, reason=ABSENT)
def test_every_way_to_break_an_event_is_listed_and_recorded() -> None:
    assert {each.title for each in ALL if each.category == "invalid-envelope"} == set(FIELDS)


@chosen([each for each in ALL if each.err.startswith("error: template not found: ")])
def test_templates_that_are_not_found_there_are_not_found_here(case: Recorded) -> None:
    with pytest.raises(TemplateError, match=r"^template not found: "):
        Templates(TraceRoot(case.folder / ".trace", ".trace")).load(case.option("--template") or "")


@pytest.mark.skipif(not ALL, reason=ABSENT)
def test_the_shipped_templates_say_what_the_originals_say(tmp_path: Path) -> None:
    shipped = Templates(TraceRoot(tmp_path))
    originals = Templates(TraceRoot(ORACLE / "upstream/templates"), None)
    for name in ("x402-buyer", "x402-seller", "x402-facilitator", "escrow-arc"):
        ours, theirs = shipped.load(name).template, originals.load(name).template
        assert (ours.id, ours.version, ours.exceptions) == (
            theirs.id,
            theirs.version,
            theirs.exceptions,
        )
        for own, other in zip(ours.stages, theirs.stages, strict=True):
            assert (own.id, own.required, own.witnesses) == (
                other.id,
                other.required,
                other.witnesses,
            )
            assert own.explanation == (other.explanation if own.required else None)
