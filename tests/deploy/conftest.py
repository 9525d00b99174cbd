"""The servers in pairs, and each proxy in front of all of them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

import deployment
import proxies
import pytest
from deployment import Deployed, Pair
from proxies import Haproxy, Nginx, Site
from public_client import PublicClient


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Deployed]:
    """Run six processes for all tests; one that a test stops, it starts again."""
    with ExitStack() as stack:
        receipts, behind = stack.enter_context(
            deployment.receipts(tmp_path_factory.mktemp("receipts"))
        )
        shop, shop_api = stack.enter_context(
            deployment.lemonsqueezy(tmp_path_factory.mktemp("shop"))
        )
        fairwins, member_api = stack.enter_context(deployment.fairwins())
        pairs = {pair.server: pair for pair in (fairwins, shop, receipts)}
        for pair in pairs.values():
            pair.await_start()
        yield Deployed(pairs, member_api, shop_api, behind)


@pytest.fixture(scope="session", params=["nginx", "haproxy"])
def proxy(request: pytest.FixtureRequest, deployed: Deployed) -> Generator[Nginx | Haproxy]:
    """Run a proxy in front of them."""
    with proxies.running(request.param, Site(deployed.ports)) as running:
        yield running


@pytest.fixture(params=["fairwins", "lemonsqueezy", "receipts"])
def pair(request: pytest.FixtureRequest, deployed: Deployed) -> Pair:
    """Return two processes of one server."""
    return deployed.pairs[request.param]


@pytest.fixture
def client(proxy: Nginx | Haproxy, pair: Pair) -> Generator[PublicClient]:
    """Return a client of their public name."""
    made = PublicClient(proxy, pair.host, pair.bearer)
    yield made
    made.close()
