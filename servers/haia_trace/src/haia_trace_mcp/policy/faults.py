"""Look through a policy file's values, and note all that is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias, TypeGuard

from haia_trace_mcp.errors import HaiaTraceError
from haia_trace_mcp.wording import quoted

Value: TypeAlias = "Members | list[Value] | str | int | Decimal | bool | None"


class Members(dict[str, "Value"]):
    """A JSON object, and the keys that it has more than once."""

    def __init__(self, pairs: Sequence[tuple[str, Value]]) -> None:
        super().__init__(pairs)
        times = Counter(key for key, _ in pairs)
        self.repeated = tuple(key for key, count in times.items() if count > 1)


@dataclass(frozen=True, slots=True)
class PolicyFault:
    """One thing that is wrong; ``pointer`` is the JSON pointer of its place."""

    pointer: str
    reason: str


class PolicyError(HaiaTraceError):
    """Say all that is wrong with a policy file."""

    def __init__(self, place: str, faults: Sequence[PolicyFault]) -> None:
        super().__init__("\n".join(f"{place}#{each.pointer}: {each.reason}" for each in faults))
        self.place = place
        self.faults = tuple(faults)


class Faults:
    """Reads values, and keeps what is wrong with them; what cannot be read is None."""

    def __init__(self) -> None:
        self.found: list[PolicyFault] = []

    def add(self, pointer: str, reason: str) -> None:
        """Note one fault."""
        self.found.append(PolicyFault(pointer, reason))

    def members(self, value: Value, pointer: str, known: Mapping[str, bool]) -> Members | None:
        """Return an object that has only keys in ``known``, and those that are true there."""
        if not isinstance(value, Members):
            self.add(pointer, f"has to be an object, not {_kind(value)}")
            return None
        self.repetitions(value, pointer)
        for key in value:
            if key not in known:
                self.add(below(pointer, key), f"is no key; known are {', '.join(sorted(known))}")
        for key, is_required in known.items():
            if is_required and key not in value:
                self.add(below(pointer, key), "is missing")
        return value

    def repetitions(self, value: Members, pointer: str) -> None:
        """Note the keys that an object has more than once."""
        for key in value.repeated:
            self.add(below(pointer, key), "is there more than once")

    def text(self, value: Value, pointer: str, example: str) -> str | None:
        """Return text that is not empty."""
        if isinstance(value, str) and value:
            return value
        self.add(pointer, f"has to be text such as {quoted(example)}, not {_kind(value)}")
        return None

    def count(self, value: Value, pointer: str, least: int, most: int) -> int | None:
        """Return a whole number within bounds."""
        if _is_whole(value) and least <= value <= most:
            return value
        shown = value if _is_whole(value) else _kind(value)
        self.add(pointer, f"has to be a whole number from {least} to {most}, not {shown}")
        return None


def below(pointer: str, key: str | int) -> str:
    """Return the pointer of a member; what does not print is escaped."""
    escaped = str(key).replace("~", "~0").replace("/", "~1")
    return f"{pointer}/{quoted(escaped)[1:-1]}"


def _is_whole(value: Value) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _kind(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value) if value else "empty text"
    if isinstance(value, (int, Decimal)):
        return "a number"
    return "a list" if isinstance(value, list) else "an object"
