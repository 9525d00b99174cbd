"""Amounts: decimal text for people, whole numbers of atomic units for counting. Never a float."""

from __future__ import annotations

import re
from typing import Final

from haia_trace_mcp.errors import HaiaTraceError
from haia_trace_mcp.wording import quoted

ATOMIC_LIMIT: Final = 1 << 256
"""No token has this many units: their contracts count in 256 bits."""

DECIMALS_LIMIT: Final = 36
"""More than any token is known to have; the amounts that a policy has by itself fit with it."""

_LENGTH_LIMIT: Final = 160
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)(?:\.([0-9]+))?")


class AmountError(HaiaTraceError):
    """Say why text is no amount, or none that an asset of so many decimals has."""


def parse_amount(text: str, decimals: int) -> int:
    """Return the atomic units of a decimal text such as ``0.25``.

    Raises:
        AmountError: it is no plain decimal number, is finer than the asset, or is too large.
    """
    whole, fraction = _parts(text)
    if len(fraction) > decimals:
        raise AmountError(f"{quoted(text)} is finer than {decimals} decimals")
    atomic = int(whole + fraction.ljust(decimals, "0"))
    if atomic >= ATOMIC_LIMIT:
        raise AmountError(f"{quoted(text)} is more than any token has")
    return atomic


def format_amount(atomic: int, decimals: int) -> str:
    """Return atomic units as the shortest decimal text."""
    digits = str(atomic).rjust(decimals + 1, "0")
    cut = len(digits) - decimals
    fraction = digits[cut:].rstrip("0")
    return f"{digits[:cut]}.{fraction}" if fraction else digits[:cut]


def shortest(text: str) -> str:
    """Return a decimal text without the zeros that mean nothing.

    Raises:
        AmountError: it is no plain decimal number.
    """
    whole, fraction = _parts(text)
    return f"{whole}.{fraction}" if fraction else whole


def _parts(text: str) -> tuple[str, str]:
    """Return the digits before the point, and those after it up to the last that is not zero."""
    match = _DECIMAL.fullmatch(text) if len(text) <= _LENGTH_LIMIT else None
    if match is None:
        raise AmountError(
            f'{quoted(text)} is no decimal number such as "0.25": no sign, no exponent, no '
            "leading zeros"
        )
    return match.group(1), (match.group(2) or "").rstrip("0")
