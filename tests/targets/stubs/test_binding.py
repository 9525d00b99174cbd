"""Handlers are held to the contract when a server is made of them."""

from __future__ import annotations

import functools
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def test_every_fault_of_the_handlers_is_named_at_once(
    desk: ModuleType, runtime: ModuleType
) -> None:
    class Wrong:
        async def class_(self, args: Any, ctx: Any) -> str:
            return ""

        def get_receipt(self, args: Any, ctx: Any) -> str:
            return ""

        async def get_recipe(self, args: Any, ctx: Any) -> str:
            return ""

        @staticmethod
        async def burn(args: Any, ctx: Any) -> str:
            return ""

        def count(self) -> int:
            return 1

        async def _open(self) -> None:
            return None

    with pytest.raises(runtime.BindingError) as caught:
        desk.bind(Wrong())
    hint = "is a public async method and no handler; begin its name with _"
    assert caught.value.faults == (
        f"burn {hint}",
        "file_paper_v2 is missing (tool file-paper.v2)",
        "get_receipt is not async (tool get_receipt)",
        f"get_recipe {hint}",
        "read_resource is missing (the resources)",
        "weigh is missing (tool weigh)",
    )
    for fault in caught.value.faults:
        assert fault in str(caught.value)


def test_a_method_inherited_from_the_protocol_is_missing(
    shop: ModuleType, runtime: ModuleType
) -> None:
    class Shop(shop.ShopHandlers):  # type: ignore[misc, name-defined] # made at run time
        pass

    with pytest.raises(runtime.BindingError, match=r"get_price is missing \(tool get_price\)"):
        shop.bind(Shop())


def test_a_reader_is_surplus_where_nothing_can_be_read(
    shop: ModuleType, runtime: ModuleType
) -> None:
    async def handler(args: Any, ctx: Any) -> dict[str, Any]:
        return {}

    with pytest.raises(runtime.BindingError, match="read_resource is a public async method"):
        shop.bind(SimpleNamespace(get_price=handler, read_resource=handler))


def test_functions_partials_and_callables_are_handlers(shop: ModuleType) -> None:
    async def handler(args: Any, ctx: Any) -> dict[str, Any]:
        return {}

    class Callable:
        async def __call__(self, args: Any, ctx: Any) -> dict[str, Any]:
            return {}

    for made in (handler, functools.partial(handler), Callable()):
        assert shop.bind(SimpleNamespace(get_price=made)).name == "shop-mcp"


def test_binding_runs_no_property_of_the_handlers(shop: ModuleType) -> None:
    class Shop:
        async def get_price(self, args: Any, ctx: Any) -> dict[str, Any]:
            return {}

        @property
        def client(self) -> Any:
            raise AssertionError("the property was run")

    assert shop.bind(Shop()).version == "0.1.0"


def test_stubs_and_surface_of_different_contracts_are_not_bound(
    runtime: ModuleType, shop: ModuleType, package: str
) -> None:
    bindings = {"get_prize": runtime.Binding("get_prize", lambda: None)}
    with pytest.raises(runtime.BindingError, match=r"tool get_prize is not in surface\.json"):
        runtime.bind_server(
            f"{package}.shop", object(), protocol=shop.ShopHandlers, bindings=bindings
        )


def test_tool_names_are_those_that_are_served(desk: ModuleType, quiet: ModuleType) -> None:
    assert desk.TOOL_NAMES == ("class", "file-paper.v2", "get_receipt", "weigh")
    assert quiet.TOOL_NAMES == ()
