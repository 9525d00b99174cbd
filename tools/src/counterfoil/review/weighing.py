"""Weigh changes: how grave each is for this project, and whether people have accepted it."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from counterfoil.breaking import (
    Change,
    Level,
    Spot,
    VersionVerdict,
    compare,
    steps,
    uncompared,
)
from counterfoil.config import SEVERITIES, Breaking
from counterfoil.contract.report import Report
from counterfoil.contract.source import Place
from counterfoil.editions.edition import Edition
from counterfoil.errors import CounterfoilError
from counterfoil.findings import ERROR, NOTE, WARNING, Finding, Severity
from counterfoil.review.acceptances import Acceptance, Accepted

NOWHERE: Place = (0, 0)


@dataclass(frozen=True)
class Weighing:
    """How changes are weighed.

    Attributes:
        policy: the project's.
        severities: changed severities by code; what the policy says of a place comes first.
        accepted: what people have accepted.
        level: whom changes have to concern; ``None`` for anybody.
        today: the day on which acceptances have to hold.
        server: the one server that is compared; empty for all.
    """

    policy: Breaking
    severities: Mapping[str, str]
    accepted: Accepted
    level: Level | None
    today: datetime.date
    server: str = ""


@dataclass(frozen=True)
class Verdict:
    """A change, as it counts here.

    Attributes:
        change: what changed.
        at: name of its place, which edits elsewhere do not move.
        severity: of an accepted change a note.
        base, target: line and column on each side; zeros where there is no such place.
        acceptance: the entry that accepts it.
    """

    change: Change
    at: str
    severity: Severity
    base: Place
    target: Place
    acceptance: Acceptance | None = None

    @property
    def message(self) -> str:
        """Return what changed, as one clause with its subject."""
        spot = self.change.spot
        owner = f"{spot.server} " if spot.server else ""
        return f"{owner}{spot.subject}: {self.change.sentence}"


@dataclass(frozen=True)
class Review:
    """Everything there is to say about two editions.

    Attributes:
        base, target: what was compared.
        verdicts: the gravest class first.
        findings: about the file of accepted changes.
        uncompared: what only one side knows, as clauses.
        versions: what the changes ask of the version of each server, by its id.
        hidden: how many changes are left out, because they concern others or are switched off.
    """

    base: Edition
    target: Edition
    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    uncompared: tuple[str, ...]
    versions: Mapping[str, VersionVerdict] = field(default_factory=dict[str, VersionVerdict])
    hidden: int = 0

    @property
    def open(self) -> Counter[str]:
        """Return how many changes of each class nobody has accepted."""
        return Counter(each.change.klass for each in self.verdicts if each.acceptance is None)

    @property
    def accepted(self) -> tuple[Verdict, ...]:
        """Return the changes that people have accepted."""
        return tuple(each for each in self.verdicts if each.acceptance is not None)


def name_of(spot: Spot) -> str:
    """Return the name of a place: ``SERVER/KIND/NAME``, a blank, and the way inside it."""
    return f"{'/'.join(filter(None, (spot.server, spot.kind, spot.name)))} {spot.path}".strip()


def weigh(base: Edition, target: Edition, weighing: Weighing) -> Review:
    """Compare two editions and weigh what changed.

    Raises:
        CounterfoilError: they cannot be compared.
    """
    day = weighing.today.isoformat()
    changes = compare(base.surface, target.surface, today=day)
    kept: list[tuple[Change, Severity, Acceptance | None]] = []
    for change in changes:
        if weighing.level is not None and weighing.level not in change.levels:
            continue
        severity = _severity(change, weighing)
        if severity is not None:
            change = _placed(change, base, target)
            acceptance = _acceptance(change, weighing)
            kept.append((change, NOTE if acceptance else severity, acceptance))
    befores = base.places(each.base for each, _, _ in kept if each.base is not None)
    afters = target.places(each.target for each, _, _ in kept if each.target is not None)
    missing = tuple(uncompared(base.surface, target.surface))
    return Review(
        base,
        target,
        tuple(
            Verdict(
                change,
                name_of(change.spot),
                severity,
                befores.get(change.base or "", NOWHERE) if change.base is not None else NOWHERE,
                afters.get(change.target or "", NOWHERE) if change.target is not None else NOWHERE,
                acceptance,
            )
            for change, severity, acceptance in kept
        ),
        _judge_accepted(changes, weighing, whole=not missing),
        missing,
        steps(base.surface, target.surface, changes),
        len(changes) - len(kept),
    )


def _placed(change: Change, base: Edition, target: Edition) -> Change:
    """Let the pointers of a change lead to where its files have it."""
    ours = base.moved.get(change.base or "", change.base)
    theirs = target.moved.get(change.target or "", change.target)
    return dataclasses.replace(change, base=ours, target=theirs)


def _severity(change: Change, weighing: Weighing) -> Severity | None:
    """Return how grave a change is: by its place, else its code, else its class."""
    spot = change.spot
    where = (name_of(spot), name_of(Spot(spot.server, spot.kind, spot.name)))
    for weight in reversed(weighing.policy.weights):
        if weight.codes and change.code not in weight.codes:
            continue
        pattern = ".*".join(map(re.escape, weight.at.split("*")))
        if any(re.fullmatch(pattern, name, re.DOTALL) for name in where):
            return SEVERITIES.get(weight.severity)
    if change.code in weighing.severities:
        return SEVERITIES.get(weighing.severities[change.code])
    if change.klass in weighing.policy.fail_on:
        return ERROR
    return NOTE if change.klass == "additive" else WARNING


def _acceptance(change: Change, weighing: Weighing) -> Acceptance | None:
    entry = weighing.accepted.by_fingerprint.get(change.fingerprint)
    return None if entry is None or entry.is_over(weighing.today) else entry


def _judge_accepted(
    changes: list[Change], weighing: Weighing, *, whole: bool
) -> tuple[Finding, ...]:
    """Report entries that match nothing (CF495) and entries that are over (CF496).

    Args:
        whole: whether all was compared, so that an entry without a match is really stale.
    """
    accepted = weighing.accepted
    if not accepted.entries:
        return ()
    found = {change.fingerprint for change in changes}
    prefix = f"{weighing.server}/" if weighing.server else ""
    report = Report(accepted.path, accepted.text)
    for index, entry in enumerate(accepted.entries):
        pointer = f"/accepted/{index}"
        if entry.fingerprint in found:
            if entry.is_over(weighing.today):
                report.add("CF496", pointer, f"{entry.at}: was accepted until {entry.until}")
        elif whole and entry.at.startswith(prefix):
            report.add("CF495", pointer, f"{entry.at}: no such change ({entry.code}) is there")
    return report.findings()


def today(epoch: str | None) -> datetime.date:
    """Return the present day in UTC, or the one of ``SOURCE_DATE_EPOCH``.

    Raises:
        CounterfoilError: the variable holds no seconds.
    """
    if not epoch:
        return datetime.datetime.now(datetime.UTC).date()
    try:
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date()
    except (ValueError, OverflowError, OSError) as error:
        raise CounterfoilError(
            "is no number of seconds",
            place="SOURCE_DATE_EPOCH",
            hint="unset it, or set it to a number",
        ) from error
