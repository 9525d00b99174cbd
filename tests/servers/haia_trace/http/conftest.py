"""A Trace root with two operations, served behind an issuer's tokens."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from served import served_in_thread
from token_issuer import ISSUER, RESOURCE, Issuer
from trace_room import TraceRoom, offered, requirements

from haia_trace_mcp.http.address import Address
from haia_trace_mcp.http.serving import application_of
from haia_trace_mcp.http.settings import AuthSettings, HttpSettings
from haia_trace_mcp.oauth.key_file import KeyFile
from haia_trace_mcp.oauth.keys import read_key_set
from haia_trace_mcp.server import make_server
from haia_trace_mcp.service import Settings, TraceService

SCOPES = ("trace:read", "trace:guard")


@dataclass(frozen=True)
class Served:
    """A server, and where its keys are."""

    url: str
    jwks: Path
    issuer: Issuer

    @property
    def origin(self) -> str:
        return self.url.removesuffix("/mcp")

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.issuer.token(scope=' '.join(SCOPES))}"}


@pytest.fixture(scope="session")
def issuer() -> Issuer:
    """Return an issuer: one for all tests, since making keys takes time."""
    return Issuer()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> TraceService:
    """Return what is known of a root with an operation that settled and one that did not."""
    path = tmp_path_factory.mktemp("root") / ".trace"
    room = TraceRoom(path)
    for kind in ("required", "creating"):
        room.record(f"x402.payment.{kind}", "op-1", offered(requirements("250000")), run="1000")
    room.pay("op-1", run="1000")
    room.pay("op-2", run="1000", settled=False)
    return TraceService.start(Settings(path))


@pytest.fixture(scope="session")
def running(
    service: TraceService, issuer: Issuer, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Served]:
    """Give a server that takes tokens of the issuer with two scopes."""
    jwks = tmp_path_factory.mktemp("keys") / "jwks.json"
    auth = AuthSettings(ISSUER, KeyFile(jwks, read_key_set), SCOPES)
    settings = HttpSettings(Address("127.0.0.1", 3000), auth, RESOURCE)
    with served_in_thread(application_of(make_server(service), settings, 3000)) as url:
        yield Served(url, jwks, issuer)


@pytest.fixture
def guarded(running: Served) -> Served:
    """Return that server with the issuer's keys."""
    running.jwks.write_bytes(running.issuer.jwks())
    return running


@pytest.fixture(scope="session")
def unguarded(service: TraceService) -> Generator[str]:
    """Give the URL of a server that asks for no token."""
    settings = HttpSettings(Address("127.0.0.1", 3000), None)
    with served_in_thread(application_of(make_server(service), settings, 3000)) as url:
        yield url
