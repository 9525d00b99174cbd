"""The document and the handlers, held together in both directions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gateway_bench import ROUTES, Bench

from fairwins_gateway.document import document_bytes, read_operations
from fairwins_gateway.errors import BindingError
from fairwins_gateway.routes.binding import bind
from fairwins_gateway.routes.table import HANDLERS
from fairwins_gateway.web.public import public_app

GENERATED = Path(__file__).parents[3] / "generated" / "openapi" / "fairwins.json"


def test_the_handlers_are_those_of_the_document() -> None:
    assert bind(read_operations(document_bytes()), HANDLERS) is HANDLERS


def test_a_route_without_a_handler_is_named(bench: Bench) -> None:
    handlers = {name: each for name, each in HANDLERS.items() if name not in ("fees", "wagers")}
    with pytest.raises(BindingError, match="routes without a handler: fees, wagers") as raised:
        public_app(bench.gateway, handlers)
    assert (raised.value.missing, raised.value.extra) == (["fees", "wagers"], [])


def test_a_handler_without_a_route_is_named(bench: Bench) -> None:
    handlers = {**HANDLERS, "withdraw": HANDLERS["fees"]}
    with pytest.raises(BindingError, match="handlers without a route: withdraw"):
        public_app(bench.gateway, handlers)


def test_both_are_named_at_once(bench: Bench) -> None:
    handlers = {"withdraw": HANDLERS["fees"]}
    with pytest.raises(BindingError) as raised:
        public_app(bench.gateway, handlers)
    assert raised.value.missing == sorted(ROUTES)
    assert raised.value.extra == ["withdraw"]


def test_the_document_is_the_generated_one() -> None:
    def read(text: bytes) -> Any:
        return {name: value for name, value in json.loads(text).items() if name[:2] != "x-"}

    assert read(document_bytes()) == read(GENERATED.read_bytes())


def test_the_operations_are_the_contracts_routes() -> None:
    for name, operation in read_operations(document_bytes()).items():
        entry = ROUTES[name]
        assert (operation.method, operation.path) == (entry["method"], entry["path"])
        assert (operation.auth, operation.kind) == (entry["auth"], entry["class"])
        assert operation.scope == entry.get("scope")
        assert (operation.body is None) == ("body" not in entry)
        assert [p.name for p in operation.parameters] == [
            p["name"] for p in entry.get("pathParams", []) + entry.get("queryParams", [])
        ]
        codes = {str(status): sorted(codes) for status, codes in operation.codes.items()}
        assert codes == entry["errors"]


def test_every_handler_is_used(bench: Bench) -> None:
    assert read_operations(document_bytes()).keys() == ROUTES.keys() == HANDLERS.keys()
