"""A gap: one place where two schemas say different things about values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from counterfoil.breaking.walker.nodes import Node

# From the base to the target: fewer values, more values, or nobody knows which.
Effect: TypeAlias = Literal["narrower", "wider", "either"]
Sort: TypeAlias = Literal["added", "closed", "removed", "renamed", "required", "values"]
# Those about a member of the node that they hold; the others are about the node itself.
MEMBERS: frozenset[Sort] = frozenset({"added", "removed", "renamed", "required"})
_FLIPPED: dict[Effect, Effect] = {"narrower": "wider", "wider": "narrower", "either": "either"}


@dataclass(frozen=True)
class Step:
    """One step from a value to a part of it.

    Attributes:
        kind: ``member``, ``item``, ``name`` (of a member), or ``same`` for a branch.
        key: the member or the index; of a name, nothing.
        base, target: the nodes that hold the part.
    """

    kind: Literal["member", "item", "name", "same"]
    key: str | int
    base: Node
    target: Node


@dataclass(frozen=True)
class Route:
    """The way from the root to a place.

    Attributes:
        steps: outermost first.
        shown: the place for people, such as ``rows[].id``; empty for the root.
        flipped: whether an odd number of ``not`` lies on the way.
        certain: whether fewer values here always are fewer values at the root.
    """

    steps: tuple[Step, ...] = ()
    shown: str = ""
    flipped: bool = False
    certain: bool = True

    @property
    def place(self) -> str:
        """Return the place as :func:`~counterfoil.breaking.walker.declared.declared` has it."""
        return f".{self.shown}" if self.shown else ""

    def member(self, name: str, base: Node, target: Node, label: str = "") -> Route:
        """Return the way on to a member; ``label`` stands for all that a member is one of."""
        shown = f"{self.shown}.{label or name}" if self.shown else label or name
        return self._on(Step("member", name, base, target), shown)

    def item(self, index: int, base: Node, target: Node, *, rest: bool = False) -> Route:
        """Return the way on to an item, or to all items from an index on."""
        shown = f"{self.shown}[{'' if rest else index}]"
        return self._on(Step("item", index, base, target), shown)

    def name(self, base: Node, target: Node) -> Route:
        """Return the way on to the names of members."""
        return self._on(Step("name", "", base, target), f"{self.shown}.*".lstrip("."))

    def same(self, base: Node, target: Node, *, certain: bool = True) -> Route:
        """Return the way on to a branch, which looks at the same value."""
        step = Step("same", "", base, target)
        return replace(self, steps=(*self.steps, step), certain=self.certain and certain)

    def doubted(self) -> Route:
        """Return the same way, with nothing to be concluded from what lies at its end."""
        return replace(self, certain=False)

    def inverted(self) -> Route:
        """Return the way on into a ``not``."""
        return replace(self, flipped=not self.flipped)

    def _on(self, step: Step, shown: str) -> Route:
        return replace(self, steps=(*self.steps, step), shown=shown)


@dataclass(frozen=True)
class Gap:
    """One difference.

    Attributes:
        sort: what kind of thing it is.
        effect: what it does to the values that are accepted at the root.
        route: where it is.
        keyword: what it is about, for fingerprints.
        what: a clause for people.
        delta: what changed, as JSON.
        base, target: the nodes on both sides.
        base_at, target_at: pointers to what differs, or to the place that holds it.
        suspects: further pointers, on either side, that refuse values because of it.
        name: the member that it is about; empty where it is about none.
        successor: the new name of a renamed member.
    """

    sort: Sort
    effect: Effect
    route: Route
    keyword: str
    what: str
    delta: Any
    base: Node
    target: Node
    base_at: str
    target_at: str
    suspects: tuple[str, ...] = field(default=())
    name: str = ""
    successor: str = ""


def effect_at(route: Route, effect: Effect) -> Effect:
    """Return what an effect at a place does at the root."""
    return _FLIPPED[effect] if route.flipped else effect
