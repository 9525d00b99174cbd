"""Hidden characters, spelled out: what a model reads and a person does not see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from counterfoil.contract.text import REFUSED
from counterfoil.contract.values import is_array, is_object

# Tags repeat ASCII where nobody sees it: U+E0041 is a hidden A.
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_SHIFT = 0xE0000


def visible(text: str) -> str:
    """Return a text in which every hidden character is spelled out in angle brackets.

    A run of tag characters is shown as the ASCII text that it hides.
    """
    return REFUSED.sub(_spelled, _TAGS.sub(_read, text))


def hidden(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Yield ``(pointer, text)`` of every text in JSON data, key or value, that hides something."""
    if isinstance(value, str):
        if REFUSED.search(value):
            yield pointer, value
    elif is_object(value):
        for key, member in value.items():
            child = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            yield from hidden(key, child)
            yield from hidden(member, child)
    elif is_array(value):
        for index, member in enumerate(value):
            yield from hidden(member, f"{pointer}/{index}")


def _read(found: re.Match[str]) -> str:
    told = "".join(chr(ord(each) - _SHIFT) for each in found[0])
    return f"<hidden by tag characters: {told}>" if told.isprintable() else _spelled_all(found[0])


def _spelled_all(text: str) -> str:
    return "".join(f"<U+{ord(each):04X}>" for each in text)


def _spelled(found: re.Match[str]) -> str:
    return "".join(
        f"<U+{ord(each):04X} {unicodedata.name(each, 'unnamed').lower()}>" for each in found[0]
    )
