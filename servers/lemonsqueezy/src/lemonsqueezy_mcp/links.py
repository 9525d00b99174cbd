"""Signed links: whoever opens one acts for the customer, without a password.

LemonSqueezy puts them into its records: the portal in which a subscription is changed or cancelled,
the page on which a means of payment is replaced, receipts, invoices. They would let the reader of a
read-only server change an account, so a sentence takes the place of each.
"""

from __future__ import annotations

import re
from typing import Final, cast

WITHHELD: Final = (
    "withheld by this server: a signed link, with which its holder could act for the customer"
)
# The members of a record's ``urls`` that are signed, by LemonSqueezy's documentation. Another link
# is known by its signature.
_NAMES: Final = frozenset(
    {
        "customer_portal",
        "customer_portal_update_subscription",
        "invoice_url",
        "receipt",
        "update_customer_portal",
        "update_payment_method",
    }
)
_SIGNED = re.compile(r"[?&](?:amp;)?(?:[\w.-]*signature|sig|token)=", re.IGNORECASE)


def withhold_links(value: object) -> object:
    """Return a JSON value with a sentence in the place of each signed link.

    Raises:
        RecursionError: it is nested too deeply.
    """
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return {name: _member(name, member) for name, member in members.items()}
    if isinstance(value, list):
        return [withhold_links(item) for item in cast("list[object]", value)]
    return WITHHELD if isinstance(value, str) and _is_signed(value) else value


def _member(name: str, value: object) -> object:
    if name in _NAMES and isinstance(value, str):
        return WITHHELD
    return withhold_links(value)


def _is_signed(text: str) -> bool:
    return "://" in text and _SIGNED.search(text) is not None
