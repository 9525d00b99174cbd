"""Read what x402 events say of money. All of it is what somebody sent: shown, never believed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from haia_trace_mcp.ecmascript import Json
from haia_trace_mcp.money import Assets
from haia_trace_mcp.wording import quoted

_ATOMIC = re.compile(r"[0-9]{1,78}")
_LONG: Final = 200


def terms_of(event: dict[str, Json], assets: Assets) -> str | None:
    """Return the terms of payment that an event names."""
    terms = _object(_object(event.get("payload")).get("requirements"))
    return _terms(terms, assets) if terms else None


def offers_of(event: dict[str, Json], assets: Assets) -> Iterator[str]:
    """Yield the terms that an event says were offered."""
    accepts = _object(event.get("payload")).get("accepts")
    for each in accepts if isinstance(accepts, list) else ():
        terms = _object(each)
        if terms:
            yield _terms(terms, assets)


def service_of(event: dict[str, Json]) -> str | None:
    """Return the service that an event names."""
    url = _object(_object(event.get("payload")).get("resource")).get("url")
    return quoted(url, _LONG) if isinstance(url, str) and url else None


def answer_of(event: dict[str, Json]) -> str | None:
    """Return what an event says about a settlement."""
    settle = _object(_object(event.get("payload")).get("settle"))
    parts: list[str] = []
    if isinstance(settle.get("success"), bool):
        parts.append("success" if settle["success"] else "no success")
    for name in ("transaction", "amount", "error_reason"):
        text = settle.get(name)
        if isinstance(text, str) and text:
            parts.append(f"{name} {quoted(text)}")
    return ", ".join(parts) or None


def cause_of(event: dict[str, Json]) -> str | None:
    """Return what an event says about why something failed."""
    payload = _object(event.get("payload"))
    places = (
        (_object(payload.get("settle")), "error_reason"),
        (_object(payload.get("verify")), "invalid_reason"),
        (_object(payload.get("error")), "message"),
        (payload, "error"),
        (payload, "error_reason"),
        (payload, "reason"),
    )
    for members, name in places:
        text = members.get(name)
        if isinstance(text, str) and text:
            return quoted(text, _LONG)
    return None


def distinct(texts: Iterable[str | None], limit: int = 5) -> list[str]:
    """Return the first texts, each once, and how many there are beyond them."""
    found = list(dict.fromkeys(text for text in texts if text is not None))
    more = len(found) - limit
    return found if more <= 0 else [*found[:limit], f"{more} more"]


def _terms(terms: dict[str, Json], assets: Assets) -> str:
    amount, to = _amount(terms, assets), terms.get("pay_to")
    whom = f"to {quoted(to)}" if isinstance(to, str) and to else "to nobody that is named"
    return f"{amount} {whom}"


def _amount(terms: dict[str, Json], assets: Assets) -> str:
    network, address, amount = (terms.get(name) for name in ("network", "asset", "amount"))
    if not isinstance(network, str) or not isinstance(address, str):
        network, address, asset = "", "", None
    else:
        asset = assets.of_terms(network, address)
    if asset is not None:
        where = f"{asset.symbol} on {asset.network}"
        if isinstance(amount, str) and _ATOMIC.fullmatch(amount):
            return f"{asset.show(int(amount))} on {asset.network}"
    else:
        where = f"the asset {quoted(address)} on the network {quoted(network)}"
    if not isinstance(amount, str):
        return f"an amount that was not recorded, of {where},"
    if asset is not None:
        return f"the amount {quoted(amount)}, which is no number of units, of {where},"
    return f"{quoted(amount)} units of {where}, whose decimals are not known,"


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
