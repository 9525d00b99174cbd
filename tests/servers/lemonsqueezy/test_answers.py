"""What of LemonSqueezy's answers is handed on, and how."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lemonsqueezy_api import LARGE, SIGNATURE, LemonSqueezyApi, replied, signed
from wrapper_room import REVISIONS, WrapperRoom

from lemonsqueezy_mcp.links import WITHHELD


def test_pages_together_hold_every_record_once(room: WrapperRoom) -> None:
    seen: list[str] = []
    page: int | None = 1
    while page is not None and page < 10:
        answer = room.answer("list_orders", {"page": page, "pageSize": 10})
        seen += [record["id"] for record in answer["data"]]
        assert answer["meta"]["page"]["total"] == 27
        page = page + 1 if "next" in answer["links"] else None
    assert seen == [str(number) for number in range(527, 500, -1)]


def test_a_page_beyond_the_last_one_is_empty_and_says_how_many_there_are(room: WrapperRoom) -> None:
    answer = room.answer("list_orders", {"page": 4})
    assert answer["data"] == []
    assert answer["meta"]["page"] == {
        "currentPage": 4, "from": None, "lastPage": 3, "perPage": 10, "to": None, "total": 27,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "arguments", "ids"),
    [
        ("list_customers", {"email": "bo+shop@example.test"}, ["101"]),
        ("list_customers", {"email": "øl@example.test"}, ["102"]),
        ("list_customers", {"email": "nobody@example.test"}, []),
        ("list_customers", {"storeId": "8"}, []),
        ("list_orders", {"orderNumber": 10}, ["510"]),
        ("list_orders", {"userEmail": "ada@example.test", "pageSize": 2}, ["525", "522"]),
        ("list_products", {"storeId": "7"}, ["44"]),
        ("list_stores", {}, ["7", "8"]),
        ("list_subscriptions", {"status": "cancelled"}, ["301"]),
        ("list_subscriptions", {"orderItemId": "910", "variantId": "61"}, ["300", "301", "302"]),
    ],
)
def test_filters_narrow_a_list(
    room: WrapperRoom, tool: str, arguments: dict[str, object], ids: list[str]
) -> None:
    answer = room.answer(tool, arguments)
    assert [record["id"] for record in answer["data"]] == ids


def test_related_records_come_along(room: WrapperRoom) -> None:
    answer = room.answer("get_order", {"orderId": "510", "include": ["customer", "order-items"]})
    included = {(record["type"], record["id"]) for record in answer["included"]}
    assert included == {("customers", "100"), ("order-items", "910")}
    assert "included" not in room.answer("get_order", {"orderId": "510"})


def test_numbers_keep_every_digit(room: WrapperRoom) -> None:
    result = room.call("get_store", {"storeId": "7"})
    assert result["structuredContent"]["data"]["attributes"]["total_revenue"] == LARGE
    assert str(LARGE) in result["content"][0]["text"]
    order = room.answer("get_order", {"orderId": "510"})
    assert order["data"]["attributes"]["currency_rate"] == "1.08310000"


def test_no_signed_link_is_handed_on(room: WrapperRoom, api: LemonSqueezyApi) -> None:
    related = ["customer", "order", "subscription-invoices"]
    answers = [
        room.answer("list_customers"),
        room.answer("list_orders", {"include": ["customer", "subscriptions"]}),
        room.answer("list_subscriptions", {"include": related}),
        room.answer("get_customer", {"customerId": "101"}),
        room.answer("get_subscription", {"subscriptionId": "300", "include": related}),
    ]
    assert SIGNATURE in json.dumps(api.records)
    assert SIGNATURE not in json.dumps(answers)
    urls = answers[-1]["data"]["attributes"]["urls"]
    assert urls == dict.fromkeys(
        ("update_payment_method", "customer_portal", "customer_portal_update_subscription"),
        WITHHELD,
    )
    invoice = next(one for one in answers[-1]["included"] if one["type"].endswith("invoices"))
    assert invoice["attributes"]["urls"] == {"invoice_url": WITHHELD}


def test_what_is_no_signed_link_stays_as_it_is(room: WrapperRoom) -> None:
    customer = room.answer("get_customer", {"customerId": "100"})
    assert customer["data"]["attributes"]["urls"] == {"customer_portal": None}
    product = room.answer("get_product", {"productId": "44"})
    link = "https://shop.lemonsqueezy.com/buy/44"
    assert product["data"]["attributes"]["buy_now_url"] == link
    assert product["data"]["links"]["self"] == "https://api.lemonsqueezy.com/v1/products/44"


@pytest.mark.parametrize(
    "link",
    [
        signed("billing"),
        "https://s3.example.test/file?X-Amz-Signature=abc",
        "https://shop.test/x?a=1&amp;signature=abc",
        "Pay here: https://shop.test/x?token=abc now",
        "HTTPS://SHOP.TEST/X?SIGNATURE=ABC",
    ],
)
def test_a_signed_link_is_known_by_its_signature_wherever_it_stands(
    room: WrapperRoom, api: LemonSqueezyApi, link: str
) -> None:
    api.records["products"][0]["deep"] = {"list": [{"x": link}], "signature": "a word"}
    attributes = room.answer("get_product", {"productId": "44"})["data"]["attributes"]
    assert attributes["deep"] == {"list": [{"x": WITHHELD}], "signature": "a word"}


def test_fields_that_are_not_known_yet_are_handed_on(
    room: WrapperRoom, api: LemonSqueezyApi
) -> None:
    body: dict[str, Any] = {
        "data": [{"type": "orders", "id": "1", "attributes": {"new": [1, {"a": None}]}, "x": 1.5}],
        "meta": {"page": {"currentPage": 1, "lastPage": 1, "perPage": 10, "total": 1, "new": 2}},
        "surprise": {"isError": True, "content": "here"},
        "links": {},
    }
    api.scripted = [replied(body)]
    assert room.answer("list_orders") == body


@pytest.mark.parametrize("version", REVISIONS)
def test_every_revision_is_answered(room: WrapperRoom, version: str) -> None:
    async def work(client: Any) -> Any:
        listed = await client.list_tools()
        return listed, await client.call_tool("get_order", {"orderId": "510"})

    listed, result = room.run(work, version)
    assert len(listed) == 10
    assert json.loads(result["content"][0]["text"])["data"]["id"] == "510"
    assert result["data"]["id"] == "510"  # for clients from before the envelope
    assert ("structuredContent" in result) is (version >= "2025-06-18")
    assert ("resultType" in result) is (version >= "2026-07-28")
