"""Look for a witness of a gap: assemble a whole value around its place, and have it judged."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import jsonschema_rs

from counterfoil.breaking.proof import Ground
from counterfoil.breaking.walker.gaps import MEMBERS, Gap, Step
from counterfoil.breaking.walker.nodes import Located, Node
from counterfoil.breaking.walker.objects import spare
from counterfoil.breaking.walker.walk import Walk
from counterfoil.breaking.witnesses.candidates import candidates, objects
from counterfoil.breaking.witnesses.mending import mended
from counterfoil.breaking.witnesses.minimum import smallest
from counterfoil.breaking.witnesses.reasons import chosen, reasons
from counterfoil.breaking.witnesses.values import Source, member_of
from counterfoil.breaking.witnesses.witness import Direction, Witness
from counterfoil.contract.canonical import compact
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object
from counterfoil.schema.judge import judge
from counterfoil.schema.patterns import PatternError

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_TRIALS = 500
_VARIANTS = 6
_AROUND = 100
# Of many values that one engine refuses, so many are shown to the judge before it is believed.
_HEARINGS = 4
# What is refused as a whole when one part of it does not fit.
_WHOLES = frozenset({"anyOf", "contains", "not", "oneOf", "propertyNames", "enum", "const"})

_Kinds = jsonschema_rs.ValidationErrorKind

Showing: TypeAlias = Literal["refused", "lost", ""]


class Search:
    """Look for witnesses between two schemas.

    Args:
        walk: the two, walked.
        direction: ``input`` looks for what the base takes and the target refuses; ``output`` for
            the reverse.
        tool: whose schemas they are.
    """

    def __init__(self, walk: Walk, direction: Direction, tool: str) -> None:
        self.direction: Direction = direction
        self.tool = tool
        self._walk = walk
        forward = direction == "input"
        reader, other = (walk.base, walk.target) if forward else (walk.target, walk.base)
        ground, ground_of_other = walk.grounds if forward else walk.grounds[::-1]
        self._outer: jsonschema_rs.Validator | None = None
        self._readers = reader, other
        self._roots = reader.root, other.root
        self._source = Source(reader, ground)
        self._taking = ground.judge(Located(reader.root, ""))
        self._refusing = ground_of_other.judge(Located(other.root, ""))

    def witness(self, gap: Gap, *, alone: bool = False) -> Witness | None:
        """Return a witness of a gap, or ``None`` where none was found.

        Args:
            gap: what is to be shown.
            alone: whether nothing else can be why a value is refused.
        """
        return self._found(self._values(gap), gap, alone=alone)

    def any_witness(self, gaps: list[Gap], outer: Any) -> Witness | None:
        """Return a value that is taken on one side and refused on the other, for any reason.

        Args:
            gaps: places to look at first.
            outer: the side that refuses, without what nobody has sent before.
        """
        self._outer = Ground(outer).judge(Located(outer, ""))
        streams = [self._values(gap) for gap in gaps]
        streams += [itertools.islice(self._around_gap(gap), _AROUND) for gap in gaps]
        nodes = (reader.node(Located(reader.root, "")) for reader in self._readers)
        whole = candidates(self._source, *nodes)
        return self._found(itertools.chain(*streams, whole), None, alone=True)

    def _found(self, values: Iterator[Any], gap: Gap | None, *, alone: bool) -> Witness | None:
        self._source.renew()
        seen: set[str] = set()
        hearings = 0
        for value in itertools.islice(values, _TRIALS):
            key = compact(value)
            if key in seen:
                continue
            seen.add(key)
            how = self._shows(value, gap, alone=alone)
            if not how:
                continue
            small = smallest(value, self._showing(how, gap, alone=alone))
            found = self._verified(small, how, gap)
            hearings += 1
            if found is not None or hearings >= _HEARINGS:
                return found
        return None

    def _shows(self, value: Any, gap: Gap | None, *, alone: bool) -> Showing:
        """Say what a value shows of a gap: refused because of it, or a part of it lost."""
        if self._taking is None or self._refusing is None or not self._taking.is_valid(value):
            return ""
        losing = gap is not None and gap.sort in ("removed", "renamed")
        if gap is not None and losing and not self._loses(value, gap):
            return ""
        if gap is not None and not alone:
            if any(_caused(error, gap, self.direction) for error in self._errors(value)):
                return "refused"
            return "lost" if losing and self._refusing.is_valid(value) else ""
        if not self._refusing.is_valid(value):
            forgiven = gap is None and self._outer is not None and self._outer.is_valid(value)
            return "" if forgiven else "refused"
        return "lost" if losing else ""

    def _showing(self, how: Showing, gap: Gap | None, *, alone: bool) -> Callable[[Any], bool]:
        return lambda value: self._shows(value, gap, alone=alone) == how

    def _errors(self, value: Any) -> Iterator[jsonschema_rs.ValidationError]:
        if self._refusing is not None:
            for error in self._refusing.iter_errors(value):
                yield from _all(error)

    def _loses(self, value: Any, gap: Gap) -> bool:
        """Say whether a value holds a member that is gone; or, of a result, lacks it."""
        held = list(_reached(value, gap.route.steps[:-1]))
        if self.direction == "input":
            return any(is_object(each) and gap.name in each for each in held)
        return any(is_object(each) and gap.name not in each for each in held)

    def _values(self, gap: Gap) -> Iterator[Any]:
        """Yield whole values with something at the gap's place."""
        steps = gap.route.steps[:-1] if gap.sort in MEMBERS else gap.route.steps
        for part in self._parts(gap):
            for value in itertools.islice(self._wrapped(part, steps), _VARIANTS):
                yield value
                if self._taking is not None and not self._taking.is_valid(value):
                    yield mended(value, self._taking, self._source)

    def _around_gap(self, gap: Gap) -> Iterator[Any]:
        """Yield whole values with something at the places that hold a gap, innermost first."""
        steps = gap.route.steps
        for index in range(len(steps) - 1, 0, -1):
            pair = steps[index].base, steps[index].target
            taking, refusing = pair if self.direction == "input" else pair[::-1]
            for part in candidates(self._source, taking, refusing):
                yield from itertools.islice(self._wrapped(part, steps[:index]), _VARIANTS)

    def _parts(self, gap: Gap) -> Iterator[Any]:
        forward = self.direction == "input"
        # What an exclusion takes, the whole refuses.
        first = forward is not gap.route.flipped
        taking, refusing = (gap.base, gap.target) if first else (gap.target, gap.base)
        if gap.sort in ("added", "removed", "renamed") and (forward or gap.sort == "added"):
            for value in itertools.islice(self._source.values(member_of(taking, gap.name)), 4):
                yield self._source.object_of(taking, 1, {gap.name: value})
        elif gap.sort == "closed":
            other = spare(taking, refusing)
            if other is not None:
                yield self._source.object_of(taking, 1, {other: "a"})
            yield from objects(self._source, taking, refusing)
        elif gap.sort in MEMBERS:
            yield from objects(self._source, taking, refusing)
        else:
            yield from candidates(self._source, taking, refusing)

    def _wrapped(self, value: Any, steps: tuple[Step, ...]) -> Iterator[Any]:
        """Yield values that hold a part where some steps lead to it."""
        if not steps:
            yield value
            return
        for each in self._around(steps[-1], value):
            yield from self._wrapped(each, steps[:-1])

    def _around(self, step: Step, value: Any) -> Iterator[Any]:
        node = step.base if self.direction == "input" else step.target
        if step.kind == "member":
            yield self._source.object_of(node, 1, {str(step.key): value})
        elif step.kind == "item":
            yield from self._arrays(node, int(step.key), value)
        elif step.kind == "name":
            if isinstance(value, str):
                inner = self._source.simplest(member_of(node, value), 1)
                yield self._source.object_of(node, 1, {value: inner})
        else:
            yield from self._beside(node, value)

    def _arrays(self, node: Node, index: int, value: Any) -> Iterator[list[Any]]:
        for made in itertools.islice(self._source.arrays_of(node, 1), 3):
            if len(made) > index:
                yield [*made[:index], value, *made[index + 1 :]]
            else:
                yield [*made, *[value] * (index + 1 - len(made))]

    def _beside(self, node: Node, value: Any) -> Iterator[Any]:
        """Yield a value, then with what has to stand beside it so that a branch counts."""
        yield value
        if not is_object(value):
            return
        yield self._source.object_of(node, 1, value)
        for name in sorted(self._walk.triggers):
            inner = self._source.simplest(member_of(node, name), 2)
            yield self._source.object_of(node, 1, {name: inner, **value})
        if "if" in node.facets:
            met = filter(is_object, self._source.values(node.one("if"), 1))
            for each in itertools.islice(met, 3):
                yield self._source.object_of(node, 1, {**each, **value})

    @functools.cached_property
    def _judges(self) -> tuple[Validator, Validator] | None:
        try:
            return judge(self._roots[0]), judge(self._roots[1])
        except PatternError:
            return None

    def _verified(self, value: Any, how: Showing, gap: Gap | None) -> Witness | None:
        """Return the witness if the judge agrees with the engine that found it."""
        if self._judges is None:
            return None
        taking, refusing = self._judges
        try:
            told, refused = reasons(refusing, value), not taking.is_valid(value)
        except RecursionError:  # a schema that refers to itself without looking at a part
            return None
        if refused or bool(told) is not (how == "refused"):
            return None
        if how == "refused":
            return Witness(self.tool, self.direction, value, chosen(told, gap))
        name = gap.name if gap is not None else ""
        reason = f'"{name}" is taken, and nothing reads it'
        if self.direction == "output":
            reason = f'"{name}" is not there'
        return Witness(self.tool, self.direction, value, reason, refused=False)


def _all(error: jsonschema_rs.ValidationError) -> Iterator[jsonschema_rs.ValidationError]:
    """Yield an error, and those of the alternatives that it sums up."""
    yield error
    kind = error.kind
    if isinstance(kind, _Kinds.AnyOf | _Kinds.OneOfNotValid):
        for branch in kind.context:
            for inner in branch:
                yield from _all(inner)


def _caused(error: jsonschema_rs.ValidationError, gap: Gap, direction: Direction) -> bool:
    """Say whether a value is refused because of a gap."""
    at = "".join(f"/{escape(str(token))}" for token in error.schema_path)
    own = gap.target_at if direction == "input" else gap.base_at
    if gap.sort == "required":
        kind = error.kind
        needed = gap.delta[1] if is_array(gap.delta) else gap.name
        missing = isinstance(kind, _Kinds.Required) and kind.property == needed
        return missing and _within(at, own)
    spots = (own, *gap.suspects)
    whole = at.rpartition("/")[2] in _WHOLES
    return any(_within(at, spot) or (whole and _within(spot, at)) for spot in spots)


def _within(inner: str, outer: str) -> bool:
    return inner == outer or inner.startswith(f"{outer}/")


def _reached(value: Any, steps: tuple[Step, ...]) -> Iterator[Any]:
    """Yield the parts of a value that steps lead to."""
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if step.kind == "member" and is_object(value) and step.key in value:
        yield from _reached(value[str(step.key)], rest)
    elif step.kind == "item" and is_array(value):
        for each in value:
            yield from _reached(each, rest)
    elif step.kind == "same":
        yield from _reached(value, rest)
