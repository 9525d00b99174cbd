"""Make a value as small as it can be and still show what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from counterfoil.contract.values import is_array, is_object

_TRIALS = 400
_LONG_TEXT = 24


def smallest(value: Any, shows: Callable[[Any], bool]) -> Any:
    """Return a value without the parts that it can do without.

    Args:
        value: one that shows something.
        shows: says whether another still does.
    """
    trials = 0
    smaller = True
    while smaller and trials < _TRIALS:
        smaller = False
        for each in _smaller(value):
            trials += 1
            if shows(each):
                value, smaller = each, True
                break
            if trials >= _TRIALS:
                break
    return value


def _smaller(value: Any) -> Iterator[Any]:
    """Yield values with one part less, outer parts first."""
    if is_object(value):
        for name in value:
            yield {key: each for key, each in value.items() if key != name}
        for name, inner in value.items():
            yield from ({**value, name: each} for each in _smaller(inner))
    elif is_array(value):
        if len(value) > 8:
            yield value[: len(value) // 2]
        for index in range(len(value)):
            yield [*value[:index], *value[index + 1 :]]
        for index, inner in enumerate(value):
            yield from ([*value[:index], each, *value[index + 1 :]] for each in _smaller(inner))
    elif isinstance(value, str) and len(value) > _LONG_TEXT:
        yield value[: len(value) // 2]
        yield value[:-1]
