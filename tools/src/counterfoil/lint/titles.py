"""Titles, since they become names of classes."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from dataclasses import dataclass

from counterfoil.contract.canonical import compact
from counterfoil.contract.report import Report
from counterfoil.contract.values import items, members, text
from counterfoil.lint.survey import DEEPEST, Node, Place, Survey
from counterfoil.names import class_name

_DEFINITIONS = ("$defs", "definitions")


@dataclass(frozen=True)
class _Class:
    """A class that a generator makes: its name, where the name stands, and of what."""

    name: str
    pointer: str
    content: str


def judge_titles(survey: Survey, places: tuple[Place, ...], report: Report) -> None:
    """Report nested objects without a title, and titles that two different objects share.

    A schema is taken together with the shared schemas it needs, since their classes may stand
    in one module.
    """
    for place in places:
        for node in place.nodes:
            if node.keyword and _is_class(node):
                _judge_title(node, report)
    shared = {name: tuple(_classes(place)) for name, place in survey.shared.items()}
    _judge_names([each for classes in shared.values() for each in classes], report)
    for place in places:
        ours = list(_classes(place)) if place.role != "shared" else []
        if ours:
            theirs = [each for needed in survey.needed(place) for each in shared[needed.name]]
            _judge_names([*theirs, *ours], report)


def _is_class(node: Node) -> bool:
    """Say whether an object with members of its own stands here.

    Parts of an ``allOf`` are merged into the schema that holds them, and make no class.
    """
    return node.classy and node.keyword != "allOf" and _has_members(node.data, DEEPEST)


def _has_members(schema: object, depth: int) -> bool:
    data = members(schema)
    if members(data.get("properties")):
        return True
    return (
        "allOf" in data
        and depth > 0
        and any(_has_members(each, depth - 1) for each in items(data.get("allOf")))
    )


def _judge_title(node: Node, report: Report) -> None:
    title = text(node.data.get("title"))
    name = class_name(title)
    if node.keyword in _DEFINITIONS:
        return
    if not any(character.isascii() and character.isalnum() for character in title):
        report.add("CF104", node.pointer, "nested object has no title")
    elif keyword.iskeyword(name):
        message = f'the title "{title}" is a word of Python and cannot name a class'
        report.add("CF130", f"{node.pointer}/title", message)


def _classes(place: Place) -> Iterator[_Class]:
    for node in place.nodes:
        is_shared = place.role == "shared" and not node.keyword
        if is_shared or node.keyword in _DEFINITIONS:
            name = node.name or place.name
            yield _Class(class_name(name), node.pointer, compact(node.data))
        elif node.keyword and _is_class(node) and node.data.get("title"):
            title = text(node.data["title"])
            yield _Class(class_name(title), f"{node.pointer}/title", compact(node.data))


def _judge_names(classes: list[_Class], report: Report) -> None:
    first: dict[str, _Class] = {}
    for each in classes:
        known = first.setdefault(each.name, each)
        if known.content != each.content:
            message = f"this and #{known.pointer} differ, and both would be the class {each.name}"
            report.add("CF130", each.pointer, message)
