"""Faults on request: what can be made to go wrong, and what is going wrong now."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from fairwins_gateway.errors import GatewayError


class UnknownFaultError(GatewayError):
    """Say that there is no such fault, or not with such a value."""


@dataclass(frozen=True)
class Kind:
    """One thing that can be made to go wrong.

    Attributes:
        summary: what happens, for people.
        default: the value when none is given; None where one has to be.
        values: pattern of the values; empty for a fault that takes none.
        shown: how the value is written in a list.
    """

    summary: str
    default: str | None = ""
    values: str = ""
    shown: str = ""


# Where in an answer's course each failure that stands for a missing service happens.
FAILURES: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "member_api_unconfigured": (503, "gate"),
        "perps_unconfigured": (503, "gate"),
        "predict_unconfigured": (503, "gate"),
        "news_unconfigured": (503, "gate"),
        "auth_unverifiable": (503, "signature"),
        "membership_unreadable": (503, "membership"),
        "screening_unavailable": (503, "screening"),
        "assistant_unconfigured": (503, "work"),
        "assistant_unavailable": (503, "work"),
        "upstream_unavailable": (503, "work"),
        "upstream_failed": (502, "work"),
        "upstream_rejected": (502, "work"),
        "settlement_unavailable": (503, "settlement"),
    }
)
SWITCHES: Mapping[str, str] = MappingProxyType(
    {"gateway": "killswitch_active", "member-api": "member_api_killed", "perps": "perps_killed"}
)
_CODES = "|".join(FAILURES)
_CHAIN = "[1-9][0-9]{0,9}"
_URL = r"https?://[!-~]{1,2000}"

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "chain-unreadable": Kind(
            "these chains' indexers do not answer", "137", f"{_CHAIN}(,{_CHAIN})*", "CHAIN,…"
        ),
        "cut": Kind("every answer ends in the middle of its body"),
        "failure": Kind(
            f"the routes that know these codes fail with one of them: {', '.join(FAILURES)}",
            None,
            f"({_CODES})(,({_CODES}))*",
            "CODE,…",
        ),
        "fees-unreadable": Kind(
            "the fee contract does not answer for these services", "all", "[a-z.,]+", "SERVICE,…"
        ),
        "flat-error": Kind(
            "every answer is an error of the old form, without an envelope",
            "upstream_unavailable",
            "[a-z][a-z0-9_]*",
            "CODE",
        ),
        "huge": Kind("every answer has this many bytes", "5242880", "[1-9][0-9]{3,7}", "BYTES"),
        "kill-switch": Kind(
            "the operator has stopped the gateway, the Member API, the perps module, or has "
            "withdrawn the offers of payment",
            "payments",
            "gateway|member-api|perps|payments",
            "gateway|member-api|perps|payments",
        ),
        "membership-not-configured": Kind("there is no membership contract to ask"),
        "membership-unreadable": Kind(
            "the membership contract does not answer; what was read less than 60 s ago still admits"
        ),
        "news-unreadable": Kind(
            "the news vendor does not answer, told with status 200",
            "upstream_unreachable",
            "upstream_unreachable|upstream_error",
            "upstream_unreachable|upstream_error",
        ),
        "non-json": Kind("every answer is a page of HTML with status 200"),
        "not-an-offer": Kind("priced routes answer 402 without a list of ways to pay"),
        "offer": Kind("priced routes ask a price even of a good token"),
        "perps-degraded": Kind(
            "these venues do not answer", "gmx", "all|[a-z]+(,[a-z]+)*", "VENUE,…"
        ),
        "redirect": Kind("every answer leads elsewhere", "https://elsewhere.invalid/", _URL, "URL"),
        "slow": Kind("every answer is this much late", None, "[1-9][0-9]{0,5}", "MS"),
    }
)


class Faults:
    """The faults that are on, each with its value. Any thread may change them."""

    def __init__(self, wanted: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._on: Mapping[str, str] = {}
        for text in wanted:
            name, separator, value = text.partition("=")
            self.turn_on(name, value if separator else None)

    def turn_on(self, name: str, value: str | None = None) -> None:
        """Turn a fault on, or give it another value.

        Raises:
            UnknownFaultError: there is no such fault, or not with this value; says what there is.
        """
        kind = _kind(name)
        given = kind.default if value is None else value
        if given is None or not re.fullmatch(kind.values, given, re.ASCII):
            wanted = f"{name}={kind.shown}" if kind.values else f"{name}, without a value"
            raise UnknownFaultError(f"write {wanted}: {kind.summary}")
        with self._lock:
            self._on = {**self._on, name: given}

    def turn_off(self, name: str) -> None:
        """Turn a fault off; one that is off stays off.

        Raises:
            UnknownFaultError: there is no such fault.
        """
        _kind(name)
        with self._lock:
            self._on = {other: value for other, value in self._on.items() if other != name}

    def current(self) -> dict[str, str]:
        """Return what is on: values by name."""
        return dict(self._on)

    def value(self, name: str) -> str | None:
        """Return a fault's value, or None while it is off."""
        return self._on.get(name)

    def names(self, name: str, member: str) -> bool:
        """Tell whether a fault is on for one member of its list, or for all."""
        listed = self._on.get(name, "").split(",")
        return member in listed or "all" in listed


def list_faults() -> list[tuple[str, str]]:
    """Return every fault, with the form of its value, and what it does."""
    faults: list[tuple[str, str]] = []
    for name, kind in KINDS.items():
        value = "" if not kind.values else f"={kind.shown}"
        optional = f"[{value}]" if value and kind.default is not None else value
        faults.append((f"{name}{optional}", kind.summary))
    return faults


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise UnknownFaultError(f"there is no fault {name[:60]!r}; there are: {', '.join(KINDS)}")
    return KINDS[name]
