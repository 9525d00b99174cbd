"""Two versions of one schema, and the changes that are reported about it."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from counterfoil.breaking.changes import Change, Klass, Level, Spot
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.surface import Document
from counterfoil.breaking.walker.gaps import Gap
from counterfoil.breaking.witnesses import Direction, Witness
from counterfoil.contract.canonical import digest


@dataclass(frozen=True)
class Subject:
    """Two versions of one schema.

    Attributes:
        pair: what the schema belongs to.
        key: the field that holds it.
        direction: ``input`` for what callers send, ``output`` for what they get.
        base, target: the schemas.
        today: the day up to which announced removals are due, ``YYYY-MM-DD``.
    """

    pair: Pair
    key: str
    direction: Direction
    base: Document
    target: Document
    today: str

    def change(
        self,
        code: str,
        klass: Klass,
        levels: frozenset[Level],
        gap: Gap | None,
        sentence: str,
        *,
        hint: str = "",
        witness: Witness | None = None,
    ) -> Change:
        """Return a change at the place of a gap, or of the schema as a whole."""
        place = "" if gap is None else gap.route.shown
        keyword = "" if gap is None else gap.keyword
        path = " ".join(each for each in (self.key, place, keyword) if each)
        return Change(
            code, klass, levels, Spot(self.pair.server, self.pair.kind, self.pair.name, path),
            self.base.place("" if gap is None else gap.base_at),
            self.target.place("" if gap is None else gap.target_at),
            f"{self.where(place)}: {sentence}", hint, witness,
            self._digests if gap is None else [gap.sort, gap.effect, gap.delta],
        )  # fmt: skip

    @functools.cached_property
    def _digests(self) -> list[str]:
        """Return what both schemas are recognised by: who accepts this has seen no other."""
        return [digest(each.schema) for each in (self.base, self.target)]

    def where(self, place: str) -> str:
        """Name a place of the schema for people; the empty text is the whole."""
        if self.direction == "input":
            return f'argument "{place}"' if place else "the arguments"
        return f'field "{place}"' if place else "the result"
