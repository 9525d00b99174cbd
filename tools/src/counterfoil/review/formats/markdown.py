"""A review as Markdown for the comment of a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from counterfoil.config import CLASSES
from counterfoil.findings import Finding
from counterfoil.findings.formats.characters import one_line
from counterfoil.review.formats import sentences
from counterfoil.review.weighing import Review, Verdict

# Bots that keep one comment up to date find theirs by it.
MARK = "<!-- counterfoil breaking -->"
# GitHub takes 65,536 characters in a comment; what is around the rows needs some.
_LONGEST = 60_000
_SHOWN = CLASSES[:3]
# Whatever else is ASCII is written as an entity.
_PLAIN = re.compile(r"""[^0-9A-Za-z ,;=?%/()"']""")
# @, #, :// and www., with entities in them: people are told of their names, and numbers and
# addresses become links, after Markdown was read. A space without width keeps them from it.
_TELLING = re.compile("&#64;|&#35;|&#58;(?=//)|www(?=&#46;)")


def as_markdown(review: Review) -> str:
    """Return a heading, and a table for each class; what fails nobody is folded."""
    counted = sentences.counts(review)
    lines = [
        MARK,
        f"### What this changes for callers: {counted or _nothing(review)}",
        "",
        f"{_code(review.target.shown)} against {_code(review.base.shown)}.",
    ]
    room = _LONGEST - sum(map(len, lines))
    for title, verdicts, folded in _groups(review):
        rows, left = _fitting([_row(verdict) for verdict in verdicts], room)
        room -= sum(map(len, rows))
        table = ["| Rule | Change | For | Fingerprint |", "|---|---|---|---|", *rows]
        if left:
            table += ["", f"And {left} more, which `counterfoil breaking` prints."]
        lines += _folded(title, table) if folded else ["", f"#### {title}", "", *table]
    lines += _notes(review)
    return "\n".join(lines) + "\n"


def _nothing(review: Review) -> str:
    return "nothing that is shown" if review.hidden else "nothing"


def _groups(review: Review) -> Iterable[tuple[str, list[Verdict], bool]]:
    """Yield a title, its changes, and whether they are folded."""
    for klass in CLASSES:
        same = [
            each
            for each in review.verdicts
            if each.acceptance is None and each.change.klass == klass
        ]
        if same:
            yield f"{len(same)} {klass}", same, klass not in _SHOWN
    if review.accepted:
        yield f"{len(review.accepted)} accepted", list(review.accepted), True


def _row(verdict: Verdict) -> str:
    change = verdict.change
    parts = [_plain(verdict.message)]
    if change.witness is not None:
        parts += [
            f"{lead}: {_code(what)}" for lead, what in sentences.witness_lines(change.witness)
        ]
    if verdict.acceptance is not None:
        parts.append(f"accepted: {_plain(sentences.acceptance(verdict))}")
    elif change.hint:
        parts.append(f"<sub>{_plain(change.hint)}</sub>")
    concerned = sentences.levels(verdict) or "everybody"
    told = "<br>".join(parts)
    return f"| {change.code} | {told} | {concerned} | <code>{change.fingerprint}</code> |"


def _fitting(rows: Sequence[str], room: int) -> tuple[list[str], int]:
    """Return the rows that fit, and how many do not."""
    kept: list[str] = []
    for row in rows:
        room -= len(row)
        if room < 0:
            break
        kept.append(row)
    return kept, len(rows) - len(kept)


def _folded(title: str, body: Sequence[str]) -> list[str]:
    return ["", f"<details><summary>{title}</summary>", "", *body, "", "</details>"]


def _notes(review: Review) -> list[str]:
    lines: list[str] = []
    told = sentences.remarks(review)
    if told:
        lines += ["", *(f"- {_plain(each)}" for each in told)]
    if review.uncompared:
        lines += ["", "Not compared:", ""]
        lines += [f"- {_plain(each)}" for each in review.uncompared]
    if review.findings:
        lines += ["", "About accepted changes:", ""]
        lines += [f"- {finding.code}: {_plain(_told(finding))}" for finding in review.findings]
    if any(review.open[klass] for klass in _SHOWN):
        lines += ["", "To accept one: `counterfoil accept FINGERPRINT --reason WHY`."]
    return lines


def _told(finding: Finding) -> str:
    return f"{finding.message} ({finding.place})"


def _code(text: str) -> str:
    """Return foreign text as code, in which nothing is Markdown, HTML, a mention or a link."""
    return f"<code>{_PLAIN.sub(_entity, one_line(text))}</code>"  # no mention is told from code


def _plain(text: str) -> str:
    """Return foreign text as prose, in which nothing is Markdown, HTML, a mention or a link."""
    return _TELLING.sub(r"\g<0>&#8203;", _PLAIN.sub(_entity, one_line(text)))


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};" if match[0].isascii() else match[0]
