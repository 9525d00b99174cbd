"""Read ``haia-guard.config.json``, once: what is said later in calls or events changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Final, NoReturn

from haia_trace_mcp.errors import RootError
from haia_trace_mcp.money import (
    KNOWN,
    AmountError,
    Asset,
    Assets,
    asset_key,
    parse_amount,
    shortest,
)
from haia_trace_mcp.money.amounts import DECIMALS_LIMIT
from haia_trace_mcp.policy.counterparties import CounterpartyError, read_counterparty
from haia_trace_mcp.policy.faults import Faults, Members, PolicyError, PolicyFault, Value, below
from haia_trace_mcp.policy.policy import Policy, SpendLimit
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.wording import quoted

FILE_NAME: Final = "haia-guard.config.json"
_SIZE_LIMIT: Final = 1 << 20
_HOURS_LIMIT: Final = 24 * 366
_MINUTES_LIMIT: Final = 24 * 60
_SECONDS_LIMIT: Final = 3600
_OPEN_LIMIT: Final = 1_000_000
_NUMBER_LIMIT: Final = 18
_SYMBOL_LIMIT: Final = 32

KEYS: Final = (
    "allowlist",
    "assets",
    "defaultAsset",
    "denylist",
    "duplicateWindowMinutes",
    "maxOpenPartialPerCounterparty",
    "perCounterpartyLimit",
    "reservationSeconds",
    "reviewAbove",
    "windowLimit",
)
_LIMIT_KEYS: Final = MappingProxyType({"amount": True, "windowHours": True})
_ASSET_KEYS: Final = MappingProxyType({"symbol": True, "decimals": True})
_DEFAULT_LIMIT: Final = Members([("amount", "5.00"), ("windowHours", 24)])
_DEFAULT_REVIEW_ABOVE: Final = "1.00"


def load_policy(path: Path | None) -> Policy:
    """Read a policy file, or return the policy that holds without one.

    Raises:
        PolicyError: it cannot be read, or is not valid; all that is wrong is told at once.
    """
    if path is None:
        return default_policy()
    real = Path(os.path.realpath(path))
    try:
        with TraceRoot(real.parent).folder() as folder:
            data = folder.read(real.name, _SIZE_LIMIT)
    except RootError as error:
        raise PolicyError(str(path), [PolicyFault("", error.reason)]) from error
    return read_policy(data, str(path))


def default_policy() -> Policy:
    """Return the policy of an empty file."""
    return read_policy(b"{}")


def read_policy(data: bytes, place: str = FILE_NAME) -> Policy:
    """Return the policy of a file's content. Every key is optional.

    Raises:
        PolicyError: it is not valid; all that is wrong is told at once.
    """
    faults = Faults()
    members = faults.members(_parse(data, place), "", dict.fromkeys(KEYS, False))
    policy = None if members is None else _policy(members, faults)
    if policy is None or faults.found:
        raise PolicyError(place, faults.found)
    return policy


def _parse(data: bytes, place: str) -> Value:
    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is no JSON")

    try:
        value: Value = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=Members,
            parse_constant=refuse,
            parse_float=Decimal,
            parse_int=_whole,
        )
    except (ValueError, RecursionError) as error:
        raise PolicyError(place, [PolicyFault("", f"is not JSON: {error}")]) from error
    return value


def _whole(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= _NUMBER_LIMIT else Decimal(digits)


def _policy(members: Members, faults: Faults) -> Policy | None:
    assets = _assets(members.get("assets", Members([])), faults)
    asset = _default_asset(members, assets, faults)
    # With no asset there is no scale; whether amounts are decimal numbers is still looked at.
    decimals = None if asset is None else asset.decimals
    limits = {
        key: _limit(members[key], f"/{key}", decimals, faults)
        for key in ("perCounterpartyLimit", "windowLimit")
        if key in members
    }
    if "perCounterpartyLimit" not in members:
        limits["perCounterpartyLimit"] = _limit(_DEFAULT_LIMIT, "", decimals, faults)
    above = members.get("reviewAbove", _DEFAULT_REVIEW_ABOVE)
    review_above = _amount(above, "/reviewAbove", decimals, faults)
    allowlist = _parties(members, "allowlist", faults)
    denylist = _parties(members, "denylist", faults)
    max_open = _count(members, "maxOpenPartialPerCounterparty", 0, _OPEN_LIMIT, faults)
    minutes = _count(members, "duplicateWindowMinutes", 1, _MINUTES_LIMIT, faults)
    seconds = _count(members, "reservationSeconds", 1, _SECONDS_LIMIT, faults)
    per_counterparty = limits["perCounterpartyLimit"]
    if asset is None or per_counterparty is None or review_above is None:
        return None
    return Policy(
        assets=assets,
        asset=asset,
        allowlist=allowlist,
        denylist=denylist,
        per_counterparty=per_counterparty,
        max_open=max_open or 0,
        review_above=review_above,
        window=limits.get("windowLimit"),
        duplicate_minutes=minutes,
        reservation_seconds=seconds,
    )


def _assets(value: Value, faults: Faults) -> Assets:
    found = {asset.key: asset for asset in KNOWN}
    if not isinstance(value, Members):
        faults.members(value, "/assets", {})
        return Assets(found.values())
    faults.repetitions(value, "/assets")
    named: set[str] = set()
    for text, about in value.items():
        pointer = below("/assets", text)
        asset = _asset(text, about, pointer, faults)
        if asset is None:
            continue
        known = found.get(asset.key)
        if asset.key in named:
            faults.add(pointer, "is the same asset as another one here")
        elif known is not None and known.decimals != asset.decimals:
            faults.add(f"{pointer}/decimals", f"is {known.decimals} for this asset, as is known")
        named.add(asset.key)
        found[asset.key] = asset
    return Assets(found.values())


def _asset(text: str, value: Value, pointer: str, faults: Faults) -> Asset | None:
    key = asset_key(text)
    if key is None:
        faults.add(
            pointer, 'is no asset; one is called by network and address, such as "eip155:8453/0x…"'
        )
    members = faults.members(value, pointer, _ASSET_KEYS)
    if members is None or not members.keys() >= _ASSET_KEYS.keys():
        return None
    symbol = faults.text(members["symbol"], f"{pointer}/symbol", "USDC")
    if symbol is not None and not _is_symbol(symbol):
        faults.add(f"{pointer}/symbol", f"{quoted(symbol)} is no symbol of plain characters")
    decimals = faults.count(members["decimals"], f"{pointer}/decimals", 0, DECIMALS_LIMIT)
    if key is None or symbol is None or decimals is None:
        return None
    network, _, address = key.partition("/")
    return Asset(network, address, symbol, decimals)


def _is_symbol(text: str) -> bool:
    is_plain = text.isascii() and text.isprintable() and " " not in text
    return is_plain and len(text) <= _SYMBOL_LIMIT


def _default_asset(members: Members, assets: Assets, faults: Faults) -> Asset | None:
    if "defaultAsset" not in members:
        return assets.of_key(KNOWN[0].key)
    text = faults.text(members["defaultAsset"], "/defaultAsset", KNOWN[0].key)
    asset = None if text is None else assets.of_key(text)
    if text is not None and asset is None:
        faults.add("/defaultAsset", f"{quoted(text, 200)} is not among the assets")
    return asset


def _limit(value: Value, pointer: str, decimals: int | None, faults: Faults) -> SpendLimit | None:
    members = faults.members(value, pointer, _LIMIT_KEYS)
    if members is None or not members.keys() >= _LIMIT_KEYS.keys():
        return None
    atomic = _amount(members["amount"], f"{pointer}/amount", decimals, faults)
    hours = faults.count(members["windowHours"], f"{pointer}/windowHours", 1, _HOURS_LIMIT)
    return None if atomic is None or hours is None else SpendLimit(atomic, hours)


def _amount(value: Value, pointer: str, decimals: int | None, faults: Faults) -> int | None:
    text = faults.text(value, pointer, "5.00")
    if text is None:
        return None
    try:
        if decimals is not None:
            return parse_amount(text, decimals)
        shortest(text)
    except AmountError as error:
        faults.add(pointer, str(error))
    return None


def _count(
    members: Mapping[str, Value], key: str, least: int, most: int, faults: Faults
) -> int | None:
    return faults.count(members[key], f"/{key}", least, most) if key in members else None


def _parties(members: Members, key: str, faults: Faults) -> frozenset[str]:
    value = members.get(key, [])
    if not isinstance(value, list):
        faults.add(f"/{key}", "has to be a list of addresses and hosts")
        return frozenset()
    found: set[str] = set()
    for place, entry in enumerate(value):
        pointer = f"/{key}/{place}"
        text = faults.text(entry, pointer, "weather.example.test")
        try:
            if text is not None:
                found.add(read_counterparty(text).key)
        except CounterpartyError as error:
            faults.add(pointer, str(error))
    return frozenset(found)
