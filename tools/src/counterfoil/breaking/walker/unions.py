"""Alternatives: ``anyOf``, ``oneOf``, lists of types, conditions and what is excluded."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from counterfoil.breaking.walker.gaps import Effect, Gap, Route, effect_at
from counterfoil.breaking.walker.nodes import Located, Node, Reader, kind_of, types_of
from counterfoil.breaking.walker.scalars import kinds_of, shown, values_of
from counterfoil.contract.canonical import compact
from counterfoil.contract.values import is_array, is_object, text, texts
from counterfoil.schema.semantics import equal

if TYPE_CHECKING:
    from counterfoil.breaking.walker.walk import Walk

_UNIONS = ("anyOf", "oneOf")
# An alternative may be the schema that it is an alternative of.
_DEEPEST = 8
_CONDITION = ("if", "then", "else")


def is_union(node: Node) -> bool:
    """Say whether a node asks for one of several schemas."""
    return any(keyword in node.facets for keyword in _UNIONS)


def beside_union(base: Node, target: Node) -> bool:
    """Say whether the side with alternatives asks for more than one of them."""
    return any(
        is_union(node) and bool(node.conjuncts or node.assertions.keys() - {*_UNIONS})
        for node in (base, target)
    )


def compare_unions(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield what changed about alternatives, where at least one side has some."""
    keys = [key for key in _UNIONS if key in {**base.facets, **target.facets}]
    delta = [[node.facets.get(key) for key in keys] for node in (base, target)]
    if compact(delta[0]) == compact(delta[1]) and walk.same_defs:
        return
    if any({*_UNIONS} <= node.facets.keys() for node in (base, target)):
        what = "alternatives are not the same"
        yield walk.gap("values", "either", route, keys[0], what, delta, base, target)
    elif not (is_union(base) and is_union(target)) and beside_union(base, target):
        # What stands beside the alternatives is compared with the side that has none.
        new = is_union(target)
        what = "asks for one of several alternatives now" if new else "asks for no alternative now"
        effect: Effect = "narrower" if new else "wider"
        yield walk.gap("values", effect, route, keys[0], what, delta, base, target)
    else:
        yield from _alternatives(walk, base, target, route, keys[0])


def _alternatives(
    walk: Walk, base: Node, target: Node, route: Route, keyword: str
) -> Iterator[Gap]:
    ours, theirs = branches(walk.base, base), branches(walk.target, target)
    exclusive = "oneOf" in base.facets or "oneOf" in target.facets
    certain = not exclusive or (_apart(walk.base, ours) and _apart(walk.target, theirs))
    if ("oneOf" in base.facets) is not ("oneOf" in target.facets) and not certain:
        stricter = "oneOf" in target.facets
        what = "takes what fits " + ("exactly one" if stricter else "at least one") + " alternative"
        effect: Effect = "narrower" if stricter else "wider"
        yield walk.gap("values", effect, route, "oneOf", what, stricter, base, target)
    pairs, gone, new = _matched(walk, ours, theirs)
    for before, after in pairs:
        yield from walk.pair(before, after, route.same(base, target, certain=certain))
    for before in gone:
        node = walk.base.node(before)
        what = f"no longer takes {label(node)}"
        yield Gap(
            "values", effect_at(route, "narrower"), route.same(base, target, certain=certain),
            keyword, what, before.schema, node, target, before.pointer, target.place(keyword),
        )  # fmt: skip
    for after in new:
        node = walk.target.node(after)
        what = f"takes {label(node)}, too"
        yield Gap(
            "values", effect_at(route, "wider"), route.same(base, target, certain=certain),
            keyword, what, after.schema, base, node, base.place(keyword), after.pointer,
        )  # fmt: skip


def branches(reader: Reader, node: Node) -> list[Located]:
    """Return the alternatives of a node, each with one type where it lists several.

    What stands beside ``anyOf`` or ``oneOf`` is not in them.
    """
    for keyword in _UNIONS:
        if keyword in node.facets:
            return [single for branch in node.several(keyword) for single in _flat(reader, branch)]
    return _split(Located(_written(node), node.pointer), node)


def _flat(reader: Reader, branch: Located, depth: int = 0) -> list[Located]:
    node = reader.node(branch)
    if depth < _DEEPEST and "anyOf" in node.facets and node.assertions.keys() == {"anyOf"}:
        return [each for one in node.several("anyOf") for each in _flat(reader, one, depth + 1)]
    return _split(branch, node)


def _split(located: Located, node: Node) -> list[Located]:
    listed = node.facets.get("type")
    if not is_array(listed) or len(listed) < 2 or values_of(node) is not None:
        return [located]
    if not is_object(located.schema) or "type" not in located.schema:
        return [located]
    return [Located({**located.schema, "type": each}, f"{located.pointer}") for each in listed]


def _written(node: Node) -> Any:
    """Return a node as a schema; only for nodes without alternatives of their own."""
    facets = {key: value for key, value in node.facets.items() if key != "properties"}
    if node.members:
        facets["properties"] = {name: each.schema for name, each in node.members.items()}
    if node.conjuncts:
        facets["allOf"] = [each.schema for each in node.conjuncts]
    return facets


def _matched(
    walk: Walk, ours: list[Located], theirs: list[Located]
) -> tuple[list[tuple[Located, Located]], list[Located], list[Located]]:
    """Pair branches: those that are the same, then those that can be told to belong together."""
    pairs: list[tuple[Located, Located]] = []
    left, right = list(ours), list(theirs)
    for form in (_exact, _marked, _named, _typed):
        keys = [form(walk.target.node(each), each) for each in right]
        for before in list(left):
            key = form(walk.base.node(before), before)
            if key and keys.count(key) == 1 and _only(walk, form, left, key):
                index = keys.index(key)
                pairs.append((before, right.pop(index)))
                keys.pop(index)
                left.remove(before)
    if len(left) == len(right) == 1 and _kindred(walk, left[0], right[0]):
        pairs.append((left.pop(), right.pop()))
    return pairs, left, right


def _only(walk: Walk, form: Callable[[Node, Located], str], left: list[Located], key: str) -> bool:
    return sum(form(walk.base.node(each), each) == key for each in left) == 1


def _kindred(walk: Walk, before: Located, after: Located) -> bool:
    return bool(kinds_of(walk.base.node(before)) & kinds_of(walk.target.node(after)))


def _exact(node: Node, located: Located) -> str:
    return node.signature


def _marked(node: Node, located: Located) -> str:
    """Return the constants among the members: what tells tagged alternatives apart."""
    found = _constants(node)
    return compact(found) if found else ""


def _named(node: Node, located: Located) -> str:
    reference = located.schema.get("$ref") if is_object(located.schema) else None
    return text(reference) or text(node.facets.get("title"))


def _typed(node: Node, located: Located) -> str:
    kinds = kinds_of(node)
    if values_of(node) is not None or "type" not in node.facets:
        return ""
    return "number" if "fraction" in kinds else " ".join(sorted(kinds))


def _apart(reader: Reader, alternatives: list[Located]) -> bool:
    """Say whether no value can be in two alternatives: by type, or by a constant member."""
    nodes = [reader.node(each) for each in alternatives]
    return all(
        not (_kinds(left) & _kinds(right)) or _tagged_apart(left, right)
        for left, right in itertools.combinations(nodes, 2)
    )


def _tagged_apart(left: Node, right: Node) -> bool:
    """Say whether both take nothing but objects, with two constants in one member."""
    if _kinds(left) | _kinds(right) != frozenset({"object"}):
        return False
    tags = [_constants(node) for node in (left, right)]
    return any(
        name in texts(left.facets.get("required"))
        and name in texts(right.facets.get("required"))
        and not equal(tags[0][name], tags[1][name])
        for name in tags[0].keys() & tags[1].keys()
    )


def _constants(node: Node) -> dict[str, Any]:
    return {
        name: each.schema["const"]
        for name, each in node.members.items()
        if is_object(each.schema) and "const" in each.schema
    }


def _kinds(node: Node) -> frozenset[str]:
    listed = values_of(node)
    return kinds_of(node) if listed is None else frozenset(map(kind_of, listed))


def label(node: Node) -> str:
    """Name a branch for people."""
    title = text(node.facets.get("title"))
    if title:
        return title
    listed = values_of(node)
    if listed is not None:
        return " or ".join(map(shown, listed[:3]))
    tag = _marked(node, Located(None, ""))
    if tag:
        return f"objects with {tag}"
    if "type" in node.facets:
        kinds = types_of(node.facets["type"])
        names = sorted(kinds - {"fraction", "integer"})
        names += ["number"] if "fraction" in kinds else ["integer"] if "integer" in kinds else []
        return " or ".join(names)
    return "one of the alternatives"


def compare_conditions(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield what changed about ``if``, ``then`` and ``else``."""
    if not any(key in node.facets for node in (base, target) for key in _CONDITION):
        return
    ours, theirs = base.facets.get("if"), target.facets.get("if")
    if "if" in base.facets and "if" in target.facets and compact(ours) == compact(theirs):
        for keyword in ("then", "else"):
            yield from walk.pair(base.one(keyword), target.one(keyword), route.same(base, target))
        return
    delta = [
        [node.facets[key] for key in _CONDITION if key in node.facets] for node in (base, target)
    ]
    what = "a condition is not the same"
    if "if" not in base.facets:
        what = "has a condition now"
        yield walk.gap("values", "narrower", route, "if", what, delta, base, target)
    elif "if" not in target.facets:
        what = "has lost a condition"
        yield walk.gap("values", "wider", route, "if", what, delta, base, target)
    else:
        yield walk.gap("values", "either", route, "if", what, delta, base, target)


def compare_exclusions(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield what changed about ``not``."""
    ours, theirs = "not" in base.facets, "not" in target.facets
    if ours and theirs:
        on = route.same(base, target).inverted()
        yield from walk.pair(base.one("not"), target.one("not"), on)
    elif ours or theirs:
        node = base if ours else target
        what = f"{'no longer excludes' if ours else 'excludes'} {shown(node.facets['not'])}"
        delta = node.facets["not"]
        effect: Effect = "wider" if ours else "narrower"
        yield walk.gap("values", effect, route, "not", what, delta, base, target)
