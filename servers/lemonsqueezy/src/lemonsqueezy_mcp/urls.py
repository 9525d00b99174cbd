"""Arguments of tools as URLs of the LemonSqueezy API.

Names and values are those of LemonSqueezy's public documentation (JSON:API filters, pages and
related records). Every argument was held to its tool's input schema before it comes here, so an id
is digits and cannot end a path segment or begin a query.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, urlencode

from pydantic import BaseModel

API: Final = "https://api.lemonsqueezy.com/v1"

FILTERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "email": "email",
        "orderId": "order_id",
        "orderItemId": "order_item_id",
        "orderNumber": "order_number",
        "productId": "product_id",
        "status": "status",
        "storeId": "store_id",
        "userEmail": "user_email",
        "variantId": "variant_id",
    }
)
"""The filters that lists take, by the arguments that ask for them."""


def list_url(kind: str, arguments: BaseModel) -> str:
    """Return the URL of one page of a list.

    Args:
        kind: the kind of record as LemonSqueezy names it, such as ``orders``.
        arguments: of a tool that lists.

    Raises:
        KeyError: there is an argument that no parameter is known for.
    """
    given = arguments.model_dump(mode="json")
    parameters = _related(given.pop("include", None))
    parameters["page[number]"] = given.pop("page")
    parameters["page[size]"] = given.pop("pageSize")
    parameters |= {f"filter[{FILTERS[name]}]": value for name, value in given.items()}
    return f"{API}/{kind}?{_query(parameters)}"


def record_url(kind: str, record_id: str, arguments: BaseModel) -> str:
    """Return the URL of one record; of the arguments, ``include`` alone goes into it."""
    parameters = _related(arguments.model_dump(mode="json").get("include"))
    return f"{API}/{kind}/{record_id}" + (f"?{_query(parameters)}" if parameters else "")


def _related(names: list[str] | None) -> dict[str, object]:
    return {"include": ",".join(names)} if names else {}


def _query(parameters: Mapping[str, object]) -> str:
    return urlencode(parameters, quote_via=quote, safe="")
