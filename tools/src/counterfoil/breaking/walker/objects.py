"""Members of objects: by name, since a name that is no longer known has lost its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from counterfoil.breaking.proof import unsatisfiable
from counterfoil.breaking.texts import matching, unlike
from counterfoil.breaking.walker.gaps import Effect, Gap, Route, effect_at
from counterfoil.breaking.walker.nodes import Located, Node
from counterfoil.breaking.walker.scalars import kinds_of
from counterfoil.contract.source import escape
from counterfoil.contract.values import members, texts
from counterfoil.schema.containment import Unmodelled
from counterfoil.schema.patterns import PatternError, translate
from counterfoil.schema.semantics import equal

if TYPE_CHECKING:
    from counterfoil.breaking.walker.walk import Walk

ANYTHING = True
# Names for members that nothing declares; the first is what most witnesses have.
_OTHERS = ("other", *(f"other{number}" for number in range(2, 10)))
# Keywords with which members that are named nowhere here may be named elsewhere.
_COMPOSED = frozenset({"anyOf", "dependentSchemas", "if", "oneOf", "else", "then"})


def compare_objects(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield what changed about the members of an object."""
    if "object" not in kinds_of(base) & kinds_of(target):
        return
    gone = sorted(base.members.keys() - target.members.keys())
    new = sorted(target.members.keys() - base.members.keys())
    # What another part of the schema names in the same place has not come or gone.
    kept = {name for name in gone if f"{route.place}.{name}" in walk.named[1]}
    kept |= {name for name in new if f"{route.place}.{name}" in walk.named[0]}
    for name in sorted(kept):
        on = route.member(name, base, target)
        mine = base.members.get(name) or rest_of(base, name)[0]
        yield from walk.pair(mine, target.members.get(name) or rest_of(target, name)[0], on)
    gone, new = ([name for name in names if name not in kept] for names in (gone, new))
    successors = renamed(walk, base, target, gone, new)
    for name in sorted(base.members.keys() & target.members.keys()):
        on = route.member(name, base, target)
        yield from walk.pair(base.members[name], target.members[name], on)
    for name in gone:
        yield from _gone(walk, base, target, route, name, successors.get(name, ""))
    for name in new:
        if name not in successors.values():
            yield from _new(walk, base, target, route, name)
    yield from _required(walk, base, target, route, successors)
    yield from _rest(walk, base, target, route)
    yield from _by_pattern(walk, base, target, route)
    yield from _dependents(walk, base, target, route)
    on = route.name(base, target)
    yield from walk.pair(base.one("propertyNames"), target.one("propertyNames"), on)


def renamed(
    walk: Walk, base: Node, target: Node, gone: list[str], new: list[str]
) -> dict[str, str]:
    """Return the members that only have another name, with it.

    A member is renamed when exactly one new member has its schema, and it alone has that schema
    among those that are gone; and both are needed, or neither is.
    """
    if not gone or not new:
        return {}
    before = {name: (_form(walk, base, name, ours=True)) for name in gone}
    after = {name: (_form(walk, target, name, ours=False)) for name in new}
    found: dict[str, str] = {}
    for name, form in before.items():
        others = [each for each, other in after.items() if other == form]
        if len(others) == 1 and list(before.values()).count(form) == 1:
            found[name] = others[0]
    return found


def _form(walk: Walk, node: Node, name: str, *, ours: bool) -> tuple[bool, str]:
    reader = walk.base if ours else walk.target
    return name in texts(node.facets.get("required")), reader.node(node.members[name]).signature


def rest_of(node: Node, name: str | None = None) -> tuple[Located, str]:
    """Return the schema of members that are not declared, and the keyword that says so.

    Args:
        node: what holds the members.
        name: a name; patterns that match it count first. ``None`` asks for any other name.
    """
    for pattern, located in node.mapped("patternProperties").items() if name is not None else ():
        if _matches(pattern, name or ""):
            return located, "patternProperties"
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in node.facets:
            return node.one(keyword), keyword
    return Located(ANYTHING, node.pointer), "additionalProperties"


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(translate(pattern), name) is not None
    except PatternError:
        return False


def _gone(
    walk: Walk, base: Node, target: Node, route: Route, name: str, successor: str
) -> Iterator[Gap]:
    ours, (theirs, keyword) = base.members[name], rest_of(target, name)
    needed = name in texts(target.facets.get("required"))
    if needed or unsatisfiable(walk.grounds[0].alone(ours)):
        yield from walk.pair(ours, theirs, route.member(name, base, target))
        return
    if theirs.schema not in (True, False) and not equal(theirs.schema, {}):
        yield from walk.pair(ours, theirs, route.member(name, base, target))
        return
    on = route.member(name, base, target)
    suspects = (f"{target.pointer}/additionalProperties", target.place(keyword), theirs.pointer)
    what = f'is "{successor}" now' if successor else "is gone"
    yield Gap(
        "renamed" if successor else "removed", "either", on, "properties", what,
        [name, successor], base, target, ours.pointer, target.place("properties"),
        (*suspects, base.place("required"), target.place("required")), name, successor,
    )  # fmt: skip


def _new(walk: Walk, base: Node, target: Node, route: Route, name: str) -> Iterator[Gap]:
    theirs, (ours, keyword) = target.members[name], rest_of(base, name)
    on = route.member(name, base, target)
    free = not base.declares and route.steps and keyword == "additionalProperties"
    if ours.schema is False:
        yield Gap(
            "added", effect_at(on, "wider"), on, "properties", "is new", name, base, target,
            ours.pointer, theirs.pointer, (base.place(keyword), ours.pointer), name,
        )  # fmt: skip
        return
    # A member that nothing fits is no new one: a name is closed.
    closing = walk.target.node(theirs).takes_nothing
    if free or closing or not (ours.schema is True or equal(ours.schema, {})):
        yield from walk.pair(ours, theirs, on)
        return
    walk.forgiven.append(theirs.pointer)
    yield Gap(
        "added", effect_at(on, "narrower"), on, "properties", "is new", name, base, target,
        base.pointer, theirs.pointer, (), name,
    )  # fmt: skip


def _required(
    walk: Walk, base: Node, target: Node, route: Route, successors: dict[str, str]
) -> Iterator[Gap]:
    ours = {*texts(base.facets.get("required"))}
    theirs = {*texts(target.facets.get("required"))}
    for name in sorted(theirs - ours - {*successors.values()}):
        on = route.member(name, base, target)
        what = "is required" if name in base.members else "is new and required"
        yield walk.gap("required", "narrower", on, "required", what, name, base, target, name=name)
    for name in sorted(ours - theirs):
        if name in target.members or name not in base.members:
            on = route.member(name, base, target)
            what = "is no longer required"
            yield walk.gap("required", "wider", on, "required", what, name, base, target, name=name)


def _rest(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield what changed about members that are not declared."""
    (ours, mine), (theirs, other) = rest_of(base), rest_of(target)
    if ours.schema is theirs.schema is True:
        return
    if ours.schema is theirs.schema is False:
        if mine != other and _composed(base, target):
            yield _looked_at(walk, base, target, route, [mine, other])
        return
    name = spare(base, target)
    if name is None:
        return
    if "unevaluatedProperties" in (mine, other) and _composed(base, target):
        route = route.doubted()
    if ours.schema is False or theirs.schema is False:
        closed = theirs.schema is False
        what = "takes no other members now" if closed else "takes other members, too"
        yield Gap(
            "closed", effect_at(route, "narrower" if closed else "wider"), route,
            "additionalProperties", what, [mine, other], base, target, ours.pointer, theirs.pointer,
        )  # fmt: skip
        return
    on = route.member(name, base, target, "*")
    yield from walk.pair(ours, theirs, on)


def _looked_at(walk: Walk, base: Node, target: Node, route: Route, keywords: list[str]) -> Gap:
    """Return that one side counts what its branches declare, and the other does not."""
    what = f"other members are closed by {keywords[1]}, were by {keywords[0]}"
    return walk.gap("values", "either", route, keywords[1], what, keywords, base, target)


def _composed(*nodes: Node) -> bool:
    return any(node.conjuncts or node.facets.keys() & _COMPOSED for node in nodes)


def spare(*nodes: Node) -> str | None:
    """Return a name that no node declares; ``None`` where every name is declared by a pattern."""
    taken = {name for node in nodes for name in node.members}
    patterns = sorted(
        {each for node in nodes for each in members(node.facets.get("patternProperties"))}
    )
    for name in (*_given_names(*nodes), *_OTHERS):
        if name not in taken and not any(_matches(pattern, name) for pattern in patterns):
            return name
    try:
        return unlike(patterns, sorted(taken))
    except (PatternError, Unmodelled):
        return _OTHERS[0]  # perhaps a pattern's; whoever is shown a value with it has it judged


def _given_names(*nodes: Node) -> Iterator[str]:
    """Yield names that nodes list, or ask to look like something."""
    for node in nodes:
        named = members(node.facets.get("propertyNames"))
        yield from texts(named.get("enum"))
        yield from matching([each for each in (named.get("pattern"),) if each], 1, None)


def _by_pattern(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    ours, theirs = base.mapped("patternProperties"), target.mapped("patternProperties")
    for pattern in sorted(ours.keys() | theirs.keys()):
        mine = ours.get(pattern) or rest_of(base)[0]
        other = theirs.get(pattern) or rest_of(target)[0]
        name = walk.text_like(pattern)
        on = route.member(name if name is not None else pattern, base, target, pattern)
        if name is None or len(ours) > 1 or len(theirs) > 1 or pattern not in ours:
            on = on.doubted()
        yield from walk.pair(mine, other, on)


def _dependents(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    ours, theirs = (members(node.facets.get("dependentRequired")) for node in (base, target))
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours and not expected(base, name, route):
            walk.forgiven.append(f"{target.place('dependentRequired')}/{escape(name)}")
            continue
        before, after = {*texts(ours.get(name))}, {*texts(theirs.get(name))}
        always = [{*texts(node.facets.get("required"))} for node in (base, target)]
        on = route.member(name, base, target)
        changed: tuple[tuple[Effect, set[str], str], ...] = (
            ("narrower", after - before - always[0], "needs"),
            ("wider", before - after - always[1], "no longer needs"),
        )
        for effect, names, verb in changed:
            for needed in sorted(names):
                yield walk.gap(
                    "required", effect, on, "dependentRequired", f'{verb} "{needed}" beside it',
                    [name, needed], base, target, name=name,
                )  # fmt: skip
    yield from _dependent_schemas(walk, base, target, route)


def expected(node: Node, name: str, route: Route) -> bool:
    """Say whether anybody sends a member: it is declared, or the object is a map."""
    if name in node.members or not (node.declares or not route.steps):
        return True
    return rest_of(node, name)[0].schema not in (True, {})


def _dependent_schemas(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    ours, theirs = base.mapped("dependentSchemas"), target.mapped("dependentSchemas")
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours and not expected(base, name, route):
            walk.forgiven.append(theirs[name].pointer)
            continue
        mine = ours.get(name) or Located(ANYTHING, base.pointer)
        other = theirs.get(name) or Located(ANYTHING, target.pointer)
        walk.triggers.add(name)
        yield from walk.pair(mine, other, route.same(base, target))
