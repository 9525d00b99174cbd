"""Hidden characters, spelled out: what a model reads and a person does not see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher
from typing import Any

from counterfoil.contract.source import escape
from counterfoil.contract.text import REFUSED
from counterfoil.contract.values import is_array, is_object

# Tags repeat ASCII where nobody sees it: U+E0041 is a hidden A.
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_SHIFT = 0xE0000
# Ends of lines to some programs and nothing to others.
_BREAKS = re.compile("[\u2028\u2029]")
# An edit of so few characters can be one that nobody sees: a letter of another script, a blank.
_SMALL = 3
_LONGEST = 4000  # characters of two lines that are compared one by one


def visible(text: str) -> str:
    """Return a text in which every hidden character is spelled out in angle brackets.

    A run of tag characters is shown as the ASCII text that it hides.
    """
    return _shown(text, ())


def hidden(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Yield ``(pointer, text)`` of every text in JSON data, key or value, that hides something."""
    if isinstance(value, str):
        if REFUSED.search(value):
            yield pointer, value
    elif is_object(value):
        for key, member in value.items():
            child = f"{pointer}/{escape(key)}"
            yield from hidden(key, child)
            yield from hidden(member, child)
    elif is_array(value):
        for index, member in enumerate(value):
            yield from hidden(member, f"{pointer}/{index}")


def difference(old: str, new: str) -> str:
    """Return the lines of a text that differ, so that the eye can tell them apart.

    Hidden characters are spelled out. Where few characters were exchanged for each other, so are
    blanks and what is beyond ASCII, which may look like what was there before.
    """
    return "\n".join(_difference(old.split("\n"), new.split("\n")))


def _difference(old: list[str], new: list[str]) -> Iterator[str]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        ours, theirs = old[start:end], new[new_start:new_end]
        for before, after in zip(ours, theirs, strict=False):
            shown = _contrasted(before, after)
            yield from (f"{sign} {line}" for sign, line in zip("-+", shown, strict=True))
        both = min(len(ours), len(theirs))
        yield from (f"- {visible(line) or '(an empty line)'}" for line in ours[both:])
        yield from (f"+ {visible(line) or '(an empty line)'}" for line in theirs[both:])


def _contrasted(old: str, new: str) -> tuple[str, str]:
    if len(old) + len(new) > _LONGEST:
        return visible(old), visible(new)
    ours: set[int] = set()
    theirs: set[int] = set()
    for kind, *bounds in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        start, end, new_start, new_end = bounds
        if kind != "equal" and max(end - start, new_end - new_start) <= _SMALL:
            is_blank = not (old[start:end] + new[new_start:new_end]).strip()
            ours.update(at for at in range(start, end) if is_blank or not old[at].isascii())
            theirs.update(
                at for at in range(new_start, new_end) if is_blank or not new[at].isascii()
            )
    return _shown(old, ours), _shown(new, theirs)


def _shown(text: str, marked: Collection[int]) -> str:
    """Return a text for people, with more about what stands at some places."""
    spelled = {found.start(): (found.end(), _spelled(found[0])) for found in _hiding(text)}
    made: list[str] = []
    at = 0
    while at < len(text):
        if at in spelled:
            at, told = spelled[at]
        else:
            told = _named(text[at]) if at in marked else text[at]
            at += 1
        made.append(told)
    return "".join(made)


def _hiding(text: str) -> Iterator[re.Match[str]]:
    yield from REFUSED.finditer(text)
    yield from _BREAKS.finditer(text)
    yield from _TAGS.finditer(text)  # the last: a run of them is one


def _named(character: str) -> str:
    """Return a character with its name, which stands for it where it would not be seen."""
    is_mark = unicodedata.category(character)[0] in "CMZ"
    return f"{'' if is_mark else character}{_spelled_out(character)}"


def _spelled(text: str) -> str:
    told = "".join(chr(ord(each) - _SHIFT) for each in text) if _TAGS.fullmatch(text) else ""
    if told and told.isprintable():
        return f"<hidden by tag characters: {told}>"
    return "".join(map(_spelled_out, text))


def _spelled_out(character: str) -> str:
    name = unicodedata.name(character, "").lower()
    return f"<U+{ord(character):04X}{f' {name}' if name else ''}>"
