"""Which events belong to one payment: the offer, then the signed payload, tie them together."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

_KEPT: Final = 1024  # payments under way at once; the oldest are forgotten first


@dataclass
class _Offer:
    """An offer on its way to a payment; keeping it keeps its identity from any other object."""

    offer: object
    operation: str
    is_signed: bool = False


class Operations:
    """Operation ids of the payments under way. Its caller sees to one user at a time.

    Args:
        new_id: makes an id.
    """

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._offers: OrderedDict[int, _Offer] = OrderedDict()
        self._payments: OrderedDict[str, str] = OrderedDict()

    def begin(self, offer: object) -> str:
        """Return the operation of an offer that is about to be paid.

        One that was paid before begins another payment, which may move money again.
        """
        known = self._offers.get(id(offer))
        return known.operation if known and not known.is_signed else self._open(offer).operation

    def sign(self, offer: object, payload: object) -> str:
        """Return the operation of an offer, which is that of the signed payload from here on."""
        found = self._offers.get(id(offer)) or self._open(offer)
        found.is_signed = True
        key = _key_of(payload)
        if key is not None:
            self._payments[key] = found.operation
            _forget(self._payments)
        return found.operation

    def fail(self, offer: object) -> str:
        """Return the operation of an offer that is not paid after all."""
        found = self._offers.pop(id(offer), None)
        return self._new_id() if found is None else found.operation

    def of_payment(self, payload: object) -> str | None:
        """Return the operation of a payload; None for one that carries nothing of its own."""
        key = _key_of(payload)
        if key is None:
            return None
        return self._payments.get(key) or self._new_id()

    def _open(self, offer: object) -> _Offer:
        self._offers.pop(id(offer), None)  # so that it is the newest
        opened = self._offers[id(offer)] = _Offer(offer, self._new_id())
        _forget(self._offers)
        return opened


def _key_of(payload: object) -> str | None:
    """Return a digest of what a payment has for itself alone: its nonce, else its signature."""
    inner: object = getattr(payload, "payload", None)
    if not _is_mapping(inner):
        return None
    for place in ("authorization", "permit2Authorization"):
        authorization = inner.get(place)
        nonce = authorization.get("nonce") if _is_mapping(authorization) else None
        if isinstance(nonce, str):
            return hashlib.sha256(f"nonce {nonce.lower()}".encode()).hexdigest()
    for name in ("signature", "transaction"):
        own = inner.get(name)
        if isinstance(own, str):
            return hashlib.sha256(f"{name} {own}".encode()).hexdigest()
    return None


def _is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _forget(entries: OrderedDict[Any, Any]) -> None:
    if len(entries) > _KEPT:
        entries.popitem(last=False)
