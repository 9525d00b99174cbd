"""What is said of a verdict, in every form for people."""

from __future__ import annotations

import json

from counterfoil.breaking import Witness
from counterfoil.contract.excerpts import bounded
from counterfoil.review.weighing import Review, Verdict

# An argument of more characters is not read by anybody; the JSON form has all of it.
_LONGEST = 400
_LEVELS = ("wire", "generated", "agent")


def shown_call(witness: Witness) -> str:
    """Return the call, or the tool and what it may now return, on one line."""
    value = bounded(json.dumps(witness.value, ensure_ascii=False), _LONGEST)
    return f"{witness.tool} {value}" if witness.direction == "input" else f"{witness.tool}: {value}"


def witness_lines(witness: Witness) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return two pairs of a lead and what follows it: what worked, and what happens now."""
    reason = bounded(witness.reason, _LONGEST)
    if witness.direction == "output":
        return ("result that can come now", shown_call(witness)), ("refused before", reason)
    now = "refused now" if witness.refused else "taken now, with another meaning"
    return ("call that worked", shown_call(witness)), (now, reason)


def levels(verdict: Verdict) -> str:
    """Return whom a change concerns; empty when it is everybody."""
    concerned = verdict.change.levels
    return "" if len(concerned) == len(_LEVELS) else ", ".join(
        level for level in _LEVELS if level in concerned
    )  # fmt: skip


def acceptance(verdict: Verdict) -> str:
    """Return why a change is accepted, and how long; empty when it is not."""
    entry = verdict.acceptance
    if entry is None:
        return ""
    return f"{entry.reason} (until {entry.until})" if entry.until else entry.reason


def counts(review: Review) -> str:
    """Return how many changes there are: ``2 breaking, 1 additive; 1 accepted``."""
    parts = [f"{number} {klass}" for klass, number in review.open.items()]
    accepted = f"{len(review.accepted)} accepted" if review.accepted else ""
    return "; ".join(filter(None, (", ".join(parts), accepted)))


def remarks(review: Review) -> list[str]:
    """Return what is to be said of versions and of what is left out, as clauses.

    That a step is too small is a change of its own.
    """
    found = [
        f"the version{f' of {server}' * bool(server)} {verdict.sentence}"
        for server, verdict in sorted(review.versions.items())
        if verdict.needs != "none" and verdict.enough
    ]
    if review.hidden:
        changes = "1 change is" if review.hidden == 1 else f"{review.hidden} changes are"
        found.append(f"{changes} left out: of another level, or switched off by a severity")
    return found
