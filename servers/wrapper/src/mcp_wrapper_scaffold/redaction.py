"""Secrets kept out of the log, however they are spelled there."""

from __future__ import annotations

import json
import re
import traceback
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import quote, quote_plus

MARK = "[secret removed]"
# Shorter ones stand in ordinary words too, and protect nothing.
MIN_LENGTH = 8
MAX_VALUES = 64  # what was replaced long ago is of no use to anybody
_PART_LENGTH = 16
_SECRET_MEMBER = re.compile(r"key|passw|secret|token(?!_uri)", re.IGNORECASE)


class Redaction:
    """Replace the secrets that this server has read."""

    def __init__(self) -> None:
        self._values: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def __repr__(self) -> str:
        return f"Redaction({len(self._values)} secrets)"

    def learn(self, value: str) -> None:
        """Remember a value, and forget the oldest ones."""
        if len(value) < MIN_LENGTH:
            return
        if value not in self._values:
            self._values[value] = _spellings(value)
        self._values.move_to_end(value)
        while len(self._values) > MAX_VALUES:
            self._values.popitem(last=False)

    def clean(self, text: str) -> str:
        """Replace every known secret in a text."""
        for spellings in self._values.values():
            for spelling in spellings:
                text = text.replace(spelling, MARK)
        return text

    def clean_value(self, value: object) -> object:
        """Return a value of JSON in which no text holds a known secret, names of members too.

        Raises:
            RecursionError: it is nested too deeply.
        """
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, Mapping):
            members = cast("Mapping[str, object]", value)
            return {self.clean(name): self.clean_value(each) for name, each in members.items()}
        if isinstance(value, list | tuple):
            return [self.clean_value(each) for each in cast("Sequence[object]", value)]
        return value

    def format_exception(self, error: BaseException) -> str:
        """Return the traceback of an exception as text without known secrets."""
        return self.clean("".join(traceback.format_exception(error)))


def _spellings(value: str) -> tuple[str, ...]:
    """Return how a secret may be written, longest first: as it is, escaped, and in parts.

    A secret of several lines, or one that is a JSON object, is quoted in parts too, such as one
    line of a key. Of an object, only the members count whose names speak of a secret: its URLs
    and addresses are what a log is read for.
    """
    wholes = {value, *_strings(value)}
    parts = {line for whole in wholes for line in whole.splitlines() if len(line) >= _PART_LENGTH}
    found: set[str] = set()
    for text in (value, *parts, *(whole for whole in wholes if len(whole) >= _PART_LENGTH)):
        found |= {text, json.dumps(text)[1:-1], repr(text)[1:-1]}
        found |= {quote(text, safe=""), quote_plus(text)}
    return tuple(sorted(found, key=len, reverse=True))


def _strings(value: str) -> list[str]:
    if not value.lstrip().startswith("{"):
        return []
    try:
        members: object = json.loads(value)
    except (ValueError, RecursionError):
        return []
    if not isinstance(members, dict):
        return []
    return [
        member
        for name, member in cast("dict[str, object]", members).items()
        if isinstance(member, str) and _SECRET_MEMBER.search(name)
    ]
