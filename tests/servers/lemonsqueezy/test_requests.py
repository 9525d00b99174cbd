"""What is sent to LemonSqueezy for which arguments."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lemonsqueezy_api import FILTERS, HOST, KEY, MEDIA, RELATIONS
from wrapper_room import WrapperRoom, read_contract

from counterfoil_bindings.lemonsqueezy import models
from counterfoil_bindings.lemonsqueezy.stubs import TOOL_NAMES
from lemonsqueezy_mcp import urls
from mcp_wrapper_scaffold.testing import CallRefused

TOOLS = {tool["name"]: tool for tool in read_contract("lemonsqueezy")["tools"]}
ALL = {"include", "page", "pageSize"}


def test_each_tool_sends_one_get_to_its_own_path(room: WrapperRoom) -> None:
    paths = {
        "get_customer": ({"customerId": "101"}, "/v1/customers/101"),
        "get_order": ({"orderId": "510"}, "/v1/orders/510"),
        "get_product": ({"productId": "44"}, "/v1/products/44"),
        "get_store": ({"storeId": "7"}, "/v1/stores/7"),
        "get_subscription": ({"subscriptionId": "300"}, "/v1/subscriptions/300"),
        "list_customers": ({}, "/v1/customers"),
        "list_orders": ({}, "/v1/orders"),
        "list_products": ({}, "/v1/products"),
        "list_stores": ({}, "/v1/stores"),
        "list_subscriptions": ({}, "/v1/subscriptions"),
    }
    assert set(paths) == set(TOOL_NAMES)
    for tool, (arguments, path) in paths.items():
        room.answer(tool, arguments)
        assert (room.requests[-1].method, room.requests[-1].path) == ("GET", path)
    assert len(room.requests) == len(paths)


def test_a_request_has_the_key_and_the_media_type_and_no_body(room: WrapperRoom) -> None:
    room.answer("list_stores")
    [request] = room.requests
    assert request.host == HOST
    assert request.body == b""
    sent = dict(request.headers)
    assert sent.pop("authorization") == f"Bearer {KEY}"
    assert (sent.pop("accept"), sent.pop("content-type")) == (MEDIA, MEDIA)
    assert sent.keys() <= {"host", "accept-encoding", "user-agent", "connection"}


@pytest.mark.parametrize(
    ("tool", "arguments", "parameters"),
    [
        ("list_orders", {}, {"page[number]": "1", "page[size]": "10"}),
        ("list_orders", {"page": 3, "pageSize": 7}, {"page[number]": "3", "page[size]": "7"}),
        ("list_orders", {"page": 2.0}, {"page[number]": "2", "page[size]": "10"}),
        ("list_orders", {"storeId": "7"}, {"filter[store_id]": "7"}),
        ("list_orders", {"orderNumber": 9}, {"filter[order_number]": "9"}),
        ("list_orders", {"userEmail": "a@b"}, {"filter[user_email]": "a@b"}),
        ("list_customers", {"email": "ø+1@b"}, {"filter[email]": "ø+1@b"}),
        ("list_products", {"storeId": "7"}, {"filter[store_id]": "7"}),
        (
            "list_subscriptions",
            {
                "orderId": "1", "orderItemId": "2", "productId": "3", "storeId": "4",
                "variantId": "5", "status": "on_trial", "userEmail": "a@b",
            },
            {
                "filter[order_id]": "1", "filter[order_item_id]": "2", "filter[product_id]": "3",
                "filter[store_id]": "4", "filter[variant_id]": "5", "filter[status]": "on_trial",
                "filter[user_email]": "a@b",
            },
        ),
        ("list_orders", {"include": ["store", "customer"]}, {"include": "store,customer"}),
        (
            "list_orders",
            {"userEmail": "a&filter[store_id]=8#?%00+/=@b"},
            {"filter[user_email]": "a&filter[store_id]=8#?%00+/=@b"},
        ),
    ],
)  # fmt: skip
def test_arguments_become_parameters_of_the_documented_names(
    room: WrapperRoom, tool: str, arguments: dict[str, object], parameters: dict[str, str]
) -> None:
    room.answer(tool, arguments)
    [request] = room.requests
    sent = parse_qs(request.query, keep_blank_values=True, strict_parsing=True, encoding="utf-8")
    usual = {"page[number]": ["1"], "page[size]": ["10"]}
    assert sent == usual | {name: [value] for name, value in parameters.items()}
    assert request.target.isascii()


def test_a_record_is_asked_for_with_its_related_ones_and_nothing_else(room: WrapperRoom) -> None:
    room.answer("get_order", {"orderId": "510", "include": ["customer", "order-items"]})
    room.answer("get_order", {"orderId": "510"})
    assert [request.target for request in room.requests] == [
        "/v1/orders/510?include=customer%2Corder-items",
        "/v1/orders/510",
    ]


@pytest.mark.parametrize("tool", [name for name in TOOL_NAMES if name.startswith("list_")])
def test_every_argument_of_a_list_is_a_documented_filter_and_the_other_way_round(tool: str) -> None:
    properties: dict[str, Any] = TOOLS[tool]["inputSchema"]["properties"]
    filters = {urls.FILTERS[name] for name in properties.keys() - ALL}
    assert filters == FILTERS[tool.removeprefix("list_")]


def test_there_is_no_filter_that_no_tool_takes() -> None:
    taken = {name for tool in TOOLS.values() for name in tool["inputSchema"]["properties"]}
    assert urls.FILTERS.keys() <= taken


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_related_records_are_the_documented_ones_without_license_keys(tool: str) -> None:
    kind = tool.partition("_")[2].removesuffix("s") + "s"
    given = TOOLS[tool]["inputSchema"]["properties"].get("include")
    if kind == "stores":
        assert given is None  # a store's related records are lists of their own, without an end
    else:
        assert set(given["items"]["enum"]) == RELATIONS[kind].keys() - {"license-keys"}


def test_a_lone_surrogate_is_refused_before_anything_is_sent(room: WrapperRoom) -> None:
    with pytest.raises(CallRefused) as caught:
        room.call("list_orders", {"userEmail": "\ud800@b"})
    assert caught.value.code == -32700
    assert room.requests == []


def test_the_allowlist_is_the_contracts(room: WrapperRoom) -> None:
    declared = read_contract("lemonsqueezy")["outbound"]
    served = [(entry.origin, entry.method, entry.path_pattern) for entry in room.app().allowlist]
    assert served == [(each["origin"], each["method"], each["pathPattern"]) for each in declared]
    assert {method for _, method, _ in served} == {"GET"}


@given(
    email=st.text(st.characters(exclude_categories=["Cs"])),
    numbers=st.tuples(st.integers(1, 100_000), st.integers(1, 100)),
)
def test_any_text_stays_the_value_of_its_own_parameter(
    email: str, numbers: tuple[int, int]
) -> None:
    arguments = models.ListCustomersInput.model_construct(
        email=email, page=numbers[0], pageSize=numbers[1]
    )
    head, _, query = urls.list_url("customers", arguments).partition("?")
    assert head == "https://api.lemonsqueezy.com/v1/customers"
    assert query.isascii()
    assert dict(parse_qsl(query, keep_blank_values=True, strict_parsing=True)) == {
        "page[number]": str(numbers[0]),
        "page[size]": str(numbers[1]),
        "filter[email]": email,
    }
