"""A change between two versions of a surface: what it is, whom it concerns, and the proof."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from counterfoil.breaking.witnesses import Witness
from counterfoil.contract.canonical import compact

Klass: TypeAlias = Literal["breaking", "security", "undecided", "behaviour", "additive"]
Level: TypeAlias = Literal["wire", "generated", "agent"]

# Who is concerned. `wire`: whoever sends what it sent before; `generated`: typed clients made
# from the contract; `agent`: a model that reads the schemas each time.
EVERYONE: frozenset[Level] = frozenset({"wire", "generated", "agent"})
PROGRAMS: frozenset[Level] = frozenset({"wire", "generated"})
READERS: frozenset[Level] = frozenset({"agent"})

KLASSES: tuple[Klass, ...] = ("breaking", "security", "undecided", "behaviour", "additive")
_DIGITS = 12


@dataclass(frozen=True, order=True)
class Spot:
    """What a change is about, by names that edits elsewhere do not move.

    Attributes:
        server: id of the server; empty for what all servers share.
        kind: ``server``, ``tool``, ``resource``, ``template``, ``prompt``, ``route``,
            ``outbound`` or ``wording``.
        name: what identifies it among its kind, in the base where it is there.
        path: the place inside it by meaning, such as ``inputSchema limit minimum``.
    """

    server: str
    kind: str
    name: str
    path: str = ""

    @property
    def subject(self) -> str:
        """Name it for people, without the place inside it."""
        return f"{self.kind} {self.name}" if self.name else self.kind


@dataclass(frozen=True)
class Change:
    """One change and its verdict.

    Attributes:
        code: ``CF4nn``, a rule.
        klass: ``breaking``, ``security``, ``undecided`` (never to be shown as safe),
            ``behaviour`` (valid as before, may mean something else) or ``additive``.
        levels: which consumers it concerns.
        spot: what it is about.
        base: RFC 6901 pointer into the base's document; ``None`` where it has no such place.
        target: the same for the target; of what is gone, the place that held it.
        sentence: one clause for people, without the subject.
        hint: what to do; may be empty.
        witness: a call or result that shows a breaking verdict about a schema.
        delta: JSON that says what changed; it goes into the fingerprint.
    """

    code: str
    klass: Klass
    levels: frozenset[Level]
    spot: Spot
    base: str | None
    target: str | None
    sentence: str
    hint: str = ""
    witness: Witness | None = None
    delta: Any = None

    @functools.cached_property
    def fingerprint(self) -> str:
        """Return 12 hexadecimal digits that stay the same when something else is edited."""
        spot = self.spot
        parts = [self.code, spot.server, spot.kind, spot.name, spot.path, self.delta]
        text = compact(parts).encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:_DIGITS]

    @property
    def order(self) -> tuple[int, Spot, str, str]:
        """Return what changes are sorted by: the gravest class first, then by name."""
        return KLASSES.index(self.klass), self.spot, self.code, self.fingerprint
