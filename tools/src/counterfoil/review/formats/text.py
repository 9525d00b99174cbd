"""A review for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.findings import NOTE
from counterfoil.findings.formats.characters import one_line
from counterfoil.findings.formats.text import as_text as findings_as_text
from counterfoil.review.formats import sentences
from counterfoil.review.formats.findings import finding_of
from counterfoil.review.weighing import Review, Verdict


def as_text(review: Review) -> str:
    """Return a few lines for each change, and a count; nothing when nothing changed."""
    lines = [line for verdict in review.verdicts for line in _lines(review, verdict)]
    lines += findings_as_text(review.findings, "breaking").splitlines()[:-1]
    counted = sentences.counts(review)
    lines += [counted] * bool(counted)
    return "".join(f"{one_line(line)}\n" for line in lines)


def _lines(review: Review, verdict: Verdict) -> Iterator[str]:
    change = verdict.change
    marks = [change.klass, *(["accepted"] if verdict.acceptance else [])]
    concerned = sentences.levels(verdict)
    kind = ", ".join(marks) + (f"; for {concerned}" if concerned else "")
    place = finding_of(review, verdict).place
    yield f"{place}: {change.code} ({kind}) {verdict.message}"
    if change.witness is not None:
        for lead, what in sentences.witness_lines(change.witness):
            yield f"    {lead}: {what}"
    if verdict.acceptance is not None:
        yield f"  accepted: {sentences.acceptance(verdict)}"
    elif verdict.severity != NOTE:
        if change.hint:
            yield f"  hint: {change.hint}"
        yield f"  fingerprint: {change.fingerprint}  at: {verdict.at}"
