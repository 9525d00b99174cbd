"""LemonSqueezy's API as its public documentation describes it, with a shop of invented people.

Documented and followed here: bearer keys and 401; JSON:API media type, resources, filters, pages
of at most 100, ``include``, error objects; newest first; 300 calls a minute, the two X-Ratelimit
fields and 429; signed links in records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from loopback_upstream import Answer, Request

HOST = "api.lemonsqueezy.com"
KEY = "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.test-key"
MEDIA = "application/vnd.api+json"
SIGNATURE = "ea5c2f0a9b7d4e318866"
LARGE = 9_007_199_254_740_993  # more than a double can hold

FILTERS: Mapping[str, frozenset[str]] = {
    "customers": frozenset({"store_id", "email"}),
    "orders": frozenset({"store_id", "user_email", "order_number"}),
    "products": frozenset({"store_id"}),
    "stores": frozenset(),
    "subscriptions": frozenset(
        {
            "store_id", "order_id", "order_item_id", "product_id", "variant_id", "user_email",
            "status",
        }
    ),
}  # fmt: skip
RELATIONS: Mapping[str, Mapping[str, str]] = {
    "customers": {"orders": "orders", "store": "stores", "subscriptions": "subscriptions"},
    "orders": {
        "customer": "customers",
        "discount-redemptions": "discount-redemptions",
        "license-keys": "license-keys",
        "order-items": "order-items",
        "store": "stores",
        "subscriptions": "subscriptions",
    },
    "products": {"store": "stores", "variants": "variants"},
    "stores": {"products": "products", "orders": "orders", "subscriptions": "subscriptions"},
    "subscriptions": {
        "customer": "customers",
        "order": "orders",
        "order-item": "order-items",
        "product": "products",
        "store": "stores",
        "subscription-invoices": "subscription-invoices",
        "subscription-items": "subscription-items",
        "variant": "variants",
    },
}

Record = dict[str, Any]


def signed(path: str) -> str:
    """Return a link that acts for whoever opens it."""
    return f"https://shop.lemonsqueezy.com/{path}?expires=1780000000&signature={SIGNATURE}"


def _shop() -> dict[str, list[Record]]:
    """Return records by kind, newest first."""
    stores = [
        {"id": "7", "name": "Lemons", "currency": "EUR", "total_revenue": LARGE},
        {"id": "8", "name": "Empty", "currency": "USD", "total_revenue": 0},
    ]
    products = [
        {"id": "44", "store_id": 7, "name": "Lemonade", "status": "published", "price": 1900,
         "buy_now_url": "https://shop.lemonsqueezy.com/buy/44"}
    ]  # fmt: skip
    variants = [{"id": "61", "product_id": 44, "name": "Citrus", "price": 1900}]
    people = ["ada@example.test", "bo+shop@example.test", "øl@example.test"]
    customers = [
        {
            "id": str(100 + number),
            "store_id": 7,
            "email": email,
            "name": email.partition("@")[0],
            "total_revenue_currency": 84332,
            "urls": {"customer_portal": signed("billing") if number else None},
        }
        for number, email in enumerate(people)
    ]
    orders = [
        {
            "id": str(number),
            "store_id": 7,
            "customer_id": 100 + number % 3,
            "order_number": number - 500,
            "user_email": people[number % 3],
            "currency": "EUR",
            "currency_rate": "1.08310000",
            "total": 2261,
            "status": "paid",
            "refunded_at": None,
            "first_order_item": {"id": number + 400, "order_id": number, "product_id": 44},
            "urls": {"receipt": signed(f"my-orders/{number}")},
        }
        for number in range(527, 500, -1)
    ]
    items = [
        {"id": str(number), "order_id": number - 400, "product_id": 44, "price": 1900}
        for number in range(927, 900, -1)
    ]
    subscriptions = [
        {
            "id": str(300 + number),
            "store_id": 7,
            "customer_id": 100,
            "order_id": 510,
            "order_item_id": 910,
            "product_id": 44,
            "variant_id": 61,
            "user_email": people[0],
            "status": status,
            "renews_at": "2026-12-12T00:00:00.000000Z",
            "urls": {
                "update_payment_method": signed("subscription/1/payment-details"),
                "customer_portal": signed("billing"),
                "customer_portal_update_subscription": signed("billing/1/update"),
            },
        }
        for number, status in enumerate(["active", "cancelled", "on_trial"])
    ]
    return {
        "customers": customers,
        "discount-redemptions": [{"id": "1", "order_id": 510, "amount": 100}],
        "license-keys": [{"id": "1", "order_id": 510, "key": "80e15db5-c796-436b-850c"}],
        "order-items": items,
        "orders": orders,
        "products": products,
        "stores": stores,
        "subscription-invoices": [
            {"id": "1", "subscription_id": 300, "total": 999,
             "urls": {"invoice_url": signed("my-orders/1/subscription-invoice/1")}}
        ],
        "subscription-items": [{"id": "1", "subscription_id": 300, "quantity": 1}],
        "subscriptions": subscriptions,
        "variants": variants,
    }  # fmt: skip


@dataclass
class LemonSqueezyApi:
    """Answer requests as LemonSqueezy does.

    Attributes:
        key: the one that is valid.
        left: how many calls are left in this minute.
        scripted: answers, or exceptions to raise, instead: one a request.
    """

    key: str = KEY
    left: int = 300
    scripted: list[Answer | Exception] = field(default_factory=list[Any])
    records: dict[str, list[Record]] = field(default_factory=_shop)

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        if self.scripted:
            answer = self.scripted.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        if request.host != HOST:
            return _failed(404, "Not Found", "There is no such host here.")
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return _failed(401, "Unauthorized", "Unauthenticated.")
        if self.left <= 0:
            status, headers, body = _failed(429, "Too Many Requests", "Too Many Attempts.")
            return status, {**headers, "Retry-After": "17"}, body
        self.left -= 1
        if request.headers.get("accept") != MEDIA:
            return _failed(406, "Not Acceptable", "The requested resource is not acceptable.")
        if request.method != "GET":
            return _failed(405, "Method Not Allowed", "The method is not supported.")
        return self._read(request)

    def _read(self, request: Request) -> Answer:
        match = re.fullmatch(r"/v1/([a-z-]+)(?:/([0-9]+))?", request.path)
        if match is None or match[1] not in FILTERS:
            return _failed(404, "Not Found", "The resource could not be found.")
        kind, record_id = match.groups()
        given = dict(parse_qsl(request.query, keep_blank_values=True, strict_parsing=True)
                     if request.query else ())  # fmt: skip
        related = [name for name in given.pop("include", "").split(",") if name]
        if not set(related) <= RELATIONS[kind].keys():
            return _failed(400, "Invalid Query Parameter", "Include path is not allowed.")
        if record_id is None:
            return self._list(kind, given, related)
        found = [record for record in self.records[kind] if record["id"] == record_id]
        if not found or given:
            return _failed(404, "Not Found", "The requested resource does not exist.")
        body = {
            "jsonapi": {"version": "1.0"},
            "links": {"self": f"https://{HOST}/v1/{kind}/{record_id}"},
            "data": _resource(kind, found[0]),
        }
        return self._answer(kind, body, found, related)

    def _list(self, kind: str, given: dict[str, str], related: list[str]) -> Answer:
        page, size = int(given.pop("page[number]", "1")), int(given.pop("page[size]", "10"))
        if not (page >= 1 and 1 <= size <= 100):
            return _failed(400, "Invalid Query Parameter", "The page is not valid.")
        wanted: dict[str, str] = {}
        for name, value in given.items():
            match = re.fullmatch(r"filter\[([a-z_]+)\]", name)
            if match is None or match[1] not in FILTERS[kind]:
                return _failed(400, "Invalid Query Parameter", f"{name} is not allowed.")
            wanted[match[1]] = value
        found = [
            record
            for record in self.records[kind]
            if all(str(record.get(name)) == value for name, value in wanted.items())
        ]
        shown = found[(page - 1) * size : page * size]
        last = max(1, -(-len(found) // size))
        first = (page - 1) * size + 1
        address = f"https://{HOST}/v1/{kind}?page%5Bnumber%5D="
        body = {
            "meta": {
                "page": {
                    "currentPage": page,
                    "from": first if shown else None,
                    "lastPage": last,
                    "perPage": size,
                    "to": first + len(shown) - 1 if shown else None,
                    "total": len(found),
                }
            },
            "jsonapi": {"version": "1.0"},
            "links": {"first": f"{address}1", "last": f"{address}{last}"}
            | ({"next": f"{address}{page + 1}"} if page < last else {}),
            "data": [_resource(kind, record) for record in shown],
        }
        return self._answer(kind, body, shown, related)

    def _answer(
        self, kind: str, body: dict[str, Any], shown: list[Record], related: list[str]
    ) -> Answer:
        if related:
            body["included"] = [
                _resource(other, record)
                for other in (RELATIONS[kind][name] for name in related)
                for record in self.records[other]
                if any(_belong(kind, one, other, record) for one in shown)
            ]
        headers = {"X-Ratelimit-Limit": "300", "X-Ratelimit-Remaining": str(self.left)}
        return replied(body, headers=headers)


def replied(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an answer of JSON:API."""
    return status, {"Content-Type": MEDIA, **(headers or {})}, json.dumps(body).encode()


def _failed(status: int, title: str, detail: str) -> Answer:
    error = {"detail": detail, "status": str(status), "title": title}
    return replied({"jsonapi": {"version": "1.0"}, "errors": [error]}, status)


def _resource(kind: str, record: Record) -> Record:
    own = f"https://{HOST}/v1/{kind}/{record['id']}"
    return {
        "type": kind,
        "id": record["id"],
        "attributes": {name: value for name, value in record.items() if name != "id"},
        "relationships": {
            name: {"links": {"related": f"{own}/{name}", "self": f"{own}/relationships/{name}"}}
            for name in RELATIONS.get(kind, ())
        },
        "links": {"self": own},
    }


def _belong(kind: str, one: Record, other: str, record: Record) -> bool:
    """Tell whether one record names the other."""
    return str(one.get(f"{_single(other)}_id")) == record["id"] or (
        str(record.get(f"{_single(kind)}_id")) == one["id"]
    )


def _single(kind: str) -> str:
    return kind.removesuffix("s").replace("-", "_")
