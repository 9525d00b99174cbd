"""Where references lead, and whether the schemas can be put into one document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import items, members
from counterfoil.lint.survey import LARGEST, Node, Place, Survey
from counterfoil.schema.refs import unescape

# RFC 3986, fragment, without percent-encoding: readers differ in whether they undo it.
_PLAIN = re.compile(r"#(?:/[A-Za-z0-9._~!$&'()*+,;=:@?-]*)*\Z")
_SHARED = "#/$defs/"
# Keywords whose schemas judge the very value that the schema around them judges.
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_IN_PLACE_ONE = ("else", "if", "not", "then")


def judge_references(
    survey: Survey, places: tuple[Place, ...], usable: tuple[Place, ...], report: Report
) -> tuple[Place, ...]:
    """Report references that lead out, nowhere or in a circle, and names that hide others.

    Returns:
        The usable places whose references all lead somewhere, those of what they need included.
    """
    targets: dict[str, str] = {}
    broken: set[str] = set()
    for place in places:
        for name in sorted(place.own.keys() & survey.shared.keys()):
            report.add(
                "CF126",
                f"{place.pointer}/$defs/{escape(name)}",
                f'"{name}" is also a shared schema of the contract',
            )
        for node, reference in place.references:
            target = _judge_reference(survey, place, node, reference, report)
            if target is None:
                broken.add(place.pointer)
            else:
                targets[node.pointer] = target
    broken |= _judge_circles(places, targets, report)
    _judge_unused(survey, report)
    return tuple(_sound(survey, usable, broken, report))


def _sound(
    survey: Survey, usable: tuple[Place, ...], broken: set[str], report: Report
) -> Iterator[Place]:
    fine = {place.pointer for place in usable} - broken
    for place in usable:
        needed = survey.needed(place)
        if place.pointer not in fine or not all(each.pointer in fine for each in needed):
            continue
        size = len(place.nodes) + sum(len(each.nodes) for each in needed)
        if size > LARGEST:
            message = f"schema has {size} subschemas with those it refers to, more than {LARGEST}"
            report.add("CF127", place.pointer, message)
        else:
            yield place


def _judge_reference(
    survey: Survey, place: Place, node: Node, reference: str, report: Report
) -> str | None:
    """Return the contract's pointer to what a reference leads to; report one that fails."""
    at = f"{node.pointer}/$ref"
    shown = bounded(repr(reference), 100)
    if not reference.startswith("#"):
        report.add("CF122", at, f"reference leads out of the contract: {shown}")
        return None
    if not _PLAIN.match(reference):
        message = f"reference {shown} is no plain pointer"
        hint = "write #/$defs/Name: no anchors, no percent-encoding, no spaces"
        report.add("CF123", at, message, hint)
        return None
    if place.role == "shared" and not reference.startswith(_SHARED):
        message = f"reference {shown} means another schema wherever this one is used"
        report.add("CF123", at, message, "write #/$defs/Name in full")
        return None
    name = unescape(reference.removeprefix(_SHARED).split("/")[0])
    owner = place
    pointer = f"{place.pointer}{reference[1:]}"
    if reference.startswith(_SHARED) and name not in place.own:
        if name not in survey.shared:
            report.add("CF123", at, f"reference {shown} leads nowhere: {_known(survey, place)}")
            return None
        owner, pointer = survey.shared[name], reference[1:]
    if pointer not in owner.pointers:
        report.add("CF123", at, f"reference {shown} leads to no schema")
        return None
    return pointer


def _known(survey: Survey, place: Place) -> str:
    names = sorted({*place.own, *survey.shared})
    return bounded(f"known are {', '.join(names)}" if names else "there are no $defs", 120)


def _judge_circles(
    places: tuple[Place, ...], targets: Mapping[str, str], report: Report
) -> set[str]:
    """Report references that come back to themselves without going into the value.

    Returns:
        Pointers of the places that take part.
    """
    if not targets:
        return set()
    nodes = {node.pointer: (node, place) for place in places for node in place.nodes}
    inside = {
        target: tuple(_in_place(nodes[target][0], nodes, targets))
        for target in set(targets.values())
    }
    edges = {pointer: inside[target] for pointer, target in targets.items()}
    found: set[str] = set()
    state: dict[str, bool] = {}
    for start in edges:
        for circle in _circles(start, edges, state):
            found.update(nodes[pointer][1].pointer for pointer in circle)
            message = "reference leads back to itself without going into the value"
            report.add("CF128", f"{min(circle)}/$ref", message)
    return found


def _circles(
    start: str, edges: Mapping[str, tuple[str, ...]], state: dict[str, bool]
) -> Iterator[list[str]]:
    """Yield each path of references that ends where it began (depth first; true is finished)."""
    path: list[str] = []
    pending = [(start, False)]
    while pending:
        pointer, leaving = pending.pop()
        if leaving:
            state[path.pop()] = True
        elif pointer in state:
            if not state[pointer]:
                yield path[path.index(pointer) :]
        else:
            state[pointer] = False
            path.append(pointer)
            pending.append((pointer, True))
            pending.extend((each, False) for each in edges[pointer])


def _in_place(
    node: Node, nodes: Mapping[str, tuple[Node, Place]], targets: Mapping[str, str]
) -> Iterator[str]:
    """Yield the references that judge the same value as a schema does."""
    pending = [node]
    while pending:
        current = pending.pop()
        if current.pointer in targets:
            yield current.pointer
        at = current.pointer
        inner = [f"{at}/{key}" for key in _IN_PLACE_ONE if key in current.data]
        for key in _IN_PLACE:
            inner += [f"{at}/{key}/{index}" for index in range(len(items(current.data.get(key))))]
        for name in members(current.data.get("dependentSchemas")):
            inner.append(f"{at}/dependentSchemas/{escape(name)}")
        pending.extend(nodes[pointer][0] for pointer in inner)


def _judge_unused(survey: Survey, report: Report) -> None:
    used: set[str] = set()
    for place in survey.places:
        if place.role != "shared":
            used.update(each.name for each in survey.needed(place))
    for name, place in survey.shared.items():
        if name not in used:
            report.add("CF118", place.pointer, f'nothing uses the shared schema "{name}"')
