"""What is recorded of x402's objects: the fields that are named here, and nothing else.

Signatures, authorizations and ``extra`` are in none of these lists. A field that is absent, or is
no plain value, is left out, as the original does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, TypeGuard

_REQUIREMENTS: Final = ("scheme", "network", "asset", "amount", "pay_to", "max_timeout_seconds")
_RESOURCE: Final = ("url", "description", "mime_type", "service_name")
_SETTLED: Final = ("success", "transaction", "network", "amount", "payer")
_UNSETTLED: Final = (*_SETTLED, "error_reason", "error_message")
_LONGEST_MESSAGE: Final = 1000
# Keys have 64 digits and signatures more; a library's message may quote either.
_LONG_HEX = re.compile(r"(?:0x)?[0-9a-f]{64,}", re.IGNORECASE)

Fields = dict[str, Any]


def terms_of(offer: object, requirements: object) -> Fields:
    """Return the version, the resource and the chosen terms of a payment."""
    return {**_named(offer, ("x402_version",)), **_resource(offer), **_requirements(requirements)}


def offer_of(offer: object) -> Fields:
    """Return an offer with all its terms."""
    listed: object = getattr(offer, "accepts", None)
    accepts = [_named(each, _REQUIREMENTS) for each in listed] if _is_list(listed) else []
    return {**_named(offer, ("x402_version", "error")), **_resource(offer), "accepts": accepts}


def settlement_of(settlement: object) -> Fields:
    """Return what a seller said of the settlement."""
    if getattr(settlement, "success", None) is True:
        return _named(settlement, _SETTLED)
    return _named(settlement, _UNSETTLED)


def error_of(error: object) -> Fields:
    """Return the kind of an error and its message, without anything that could be a key."""
    message = _LONG_HEX.sub("[removed]", str(error))[:_LONGEST_MESSAGE]
    return {"name": type(error).__name__, "message": message}


def _resource(offer: object) -> Fields:
    found: object = getattr(offer, "resource", None)
    fields = _named(found, _RESOURCE)
    return {"resource": fields} if fields else {}


def _requirements(requirements: object) -> Fields:
    return {"requirements": _named(requirements, _REQUIREMENTS)}


def _named(value: object, names: Iterable[str]) -> Fields:
    found = ((name, getattr(value, name, None)) for name in names)
    return {name: each for name, each in found if isinstance(each, str | int)}


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)
