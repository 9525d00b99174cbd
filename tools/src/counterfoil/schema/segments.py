"""Whether a pattern keeps a path parameter inside its own segment of a path.

A path parameter is percent-encoded before it is put into a path, which is not enough: ``..``
survives the encoding and is collapsed by URL parsers, so that a call reaches another route.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from counterfoil.schema.expressions import (
    Characters,
    Choice,
    Edge,
    Item,
    Repeat,
    Spans,
    overlap,
)
from counterfoil.schema.patterns import Pattern, PatternError, Problem, translate

_SEPARATORS: Spans = ((0x2F, 0x2F), (0x5C, 0x5C))
# Unicode's category Cc.
_CONTROLS: Spans = ((0x00, 0x1F), (0x7F, 0x9F))
_DOTS = ("", ".", "..")
_ANCHOR = "write ^(?:first|second)$, so that both anchors hold for every alternative"
_CLASS = "name the characters that are meant, for example [A-Za-z0-9_-]+"


def anchored(pattern: Pattern) -> bool:
    """Say whether every alternative begins with ``^`` and ends with ``$``."""
    return _begins(pattern.root) and _ends(pattern.root)


def judge_whole(pattern: Pattern) -> Iterator[Problem]:
    """Yield what is wrong with a pattern that has to describe a value from end to end."""
    if not anchored(pattern):
        yield Problem(
            0, "unanchored", f"{pattern.source!r} also matches a part of a longer value", _ANCHOR
        )


def judge_segment(pattern: Pattern) -> Iterator[Problem]:
    """Yield what a path parameter with this pattern could do to a path.

    The empty and the dot segments are tried. Slashes, backslashes and control characters are
    excluded from the pattern's characters, so silence is a proof; a problem may be a possibility
    that another part of the pattern rules out.
    """
    if not anchored(pattern):
        return
    for text in _DOTS:
        if _accepts(pattern, text):
            yield Problem(
                0,
                "dot-segment",
                f"{pattern.source!r} matches {text!r}, which changes the path it stands in",
                "ask for at least one character other than a dot",
            )
    sets = list(_sets(pattern.root))
    if any(each is None for each in sets):
        yield Problem(
            0,
            "unproven",
            f"{pattern.source!r} uses forms whose characters cannot be listed",
            _CLASS,
        )
    for name, forbidden in (("a path separator", _SEPARATORS), ("a control", _CONTROLS)):
        found = [point for each in sets if each and (point := overlap(each, forbidden)) is not None]
        if found:
            yield Problem(
                0,
                "separator" if forbidden is _SEPARATORS else "control",
                f"{pattern.source!r} can match {name} character (U+{min(found):04X})",
                _CLASS,
            )


def _accepts(pattern: Pattern, text: str) -> bool:
    try:
        return re.search(translate(pattern.source), text) is not None
    except PatternError:
        # Reported as "unproven": its sets are not all known.
        return False


def _sets(choice: Choice) -> Iterator[Spans | None]:
    """Yield the set of every character that a match can hold; ``None`` for an unknown one."""
    for branch in choice.branches:
        for item in branch:
            yield from _item_sets(item)


def _item_sets(item: Item) -> Iterator[Spans | None]:
    if isinstance(item, Characters):
        yield item.spans if item.known else None
    elif isinstance(item, Choice):
        yield from _sets(item)
    elif isinstance(item, Repeat):
        yield from _item_sets(item.item)
    elif not isinstance(item, Edge):
        # What a condition looks at lies inside an anchored match, and other items see to it;
        # but conditions can also make a match impossible, so nothing is claimed about them.
        yield None


def _begins(choice: Choice) -> bool:
    return all(_edge(branch, "start") for branch in choice.branches)


def _ends(choice: Choice) -> bool:
    return all(_edge(reversed(branch), "end") for branch in choice.branches)


def _edge(items: Iterable[Item], kind: str) -> bool:
    """Say whether the first item is the edge, or a group that is anchored in turn."""
    for item in items:
        if isinstance(item, Edge):
            return item.kind == kind
        if isinstance(item, Repeat):
            return item.low > 0 and isinstance(item.item, Choice) and _group(item.item, kind)
        return isinstance(item, Choice) and _group(item, kind)
    return False


def _group(choice: Choice, kind: str) -> bool:
    return _begins(choice) if kind == "start" else _ends(choice)
