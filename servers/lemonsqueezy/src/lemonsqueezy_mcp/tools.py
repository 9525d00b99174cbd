"""The tools: each one GET to LemonSqueezy."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from counterfoil_bindings.lemonsqueezy import models
from counterfoil_bindings.lemonsqueezy.stubs import LemonsqueezyHandlers
from lemonsqueezy_mcp.reading import check_record, read
from lemonsqueezy_mcp.urls import list_url, record_url
from mcp_wrapper_scaffold import Context

Answer = Mapping[str, object]


class Tools(LemonsqueezyHandlers[Context]):
    """What the server can do; descriptions are in the contract."""

    async def get_customer(self, args: models.GetCustomerInput, ctx: Context, /) -> Answer:
        """Read one customer."""
        return await _record(ctx, "customers", args.customerId, args, models.GetCustomerOutput)

    async def get_order(self, args: models.GetOrderInput, ctx: Context, /) -> Answer:
        """Read one order."""
        return await _record(ctx, "orders", args.orderId, args, models.GetOrderOutput)

    async def get_product(self, args: models.GetProductInput, ctx: Context, /) -> Answer:
        """Read one product."""
        return await _record(ctx, "products", args.productId, args, models.GetProductOutput)

    async def get_store(self, args: models.GetStoreInput, ctx: Context, /) -> Answer:
        """Read one store."""
        return await _record(ctx, "stores", args.storeId, args, models.GetStoreOutput)

    async def get_subscription(self, args: models.GetSubscriptionInput, ctx: Context, /) -> Answer:
        """Read one subscription."""
        shape = models.GetSubscriptionOutput
        return await _record(ctx, "subscriptions", args.subscriptionId, args, shape)

    async def list_customers(self, args: models.ListCustomersInput, ctx: Context, /) -> Answer:
        """Read one page of customers."""
        return await read(ctx, list_url("customers", args), models.ListCustomersOutput)

    async def list_orders(self, args: models.ListOrdersInput, ctx: Context, /) -> Answer:
        """Read one page of orders."""
        return await read(ctx, list_url("orders", args), models.ListOrdersOutput)

    async def list_products(self, args: models.ListProductsInput, ctx: Context, /) -> Answer:
        """Read one page of products."""
        return await read(ctx, list_url("products", args), models.ListProductsOutput)

    async def list_stores(self, args: models.ListStoresInput, ctx: Context, /) -> Answer:
        """Read one page of stores."""
        return await read(ctx, list_url("stores", args), models.ListStoresOutput)

    async def list_subscriptions(
        self, args: models.ListSubscriptionsInput, ctx: Context, /
    ) -> Answer:
        """Read one page of subscriptions."""
        return await read(ctx, list_url("subscriptions", args), models.ListSubscriptionsOutput)


async def _record(
    ctx: Context, kind: str, record_id: str, arguments: BaseModel, shape: type[BaseModel]
) -> Answer:
    answer = await read(ctx, record_url(kind, record_id, arguments), shape)
    return check_record(answer, kind, record_id)
