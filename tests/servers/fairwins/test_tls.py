"""Calls over TLS: the certificate is checked against the system's authorities, always."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fairwins_mcp.api import Api
from fairwins_mcp.caller import Caller
from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.errors import ApiError
from fairwins_mcp.routes import ApiRequest
from fairwins_mcp.settings import Settings
from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier
from fairwins_mcp.upstream.loop_carrier import LoopCarrier
from fairwins_mcp.workers import Workers

if TYPE_CHECKING:
    from fairwins_mcp.shapes import Steps

Result = TypeVar("Result")


class Read(Protocol):
    """Read so many times, one after another; return the answers."""

    def __call__(self, url: str, times: int = 1, target: str = "/status") -> list[Any]: ...


class Gateway(BaseHTTPRequestHandler):
    """Answer every request with the Host header that came, and with the client's port."""

    protocol_version = "HTTP/1.1"

    def handle_get(self) -> None:
        told = {"host": self.headers["Host"], "port": self.client_address[1]}
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.path == "/leaving"

    do_GET = handle_get  # noqa: N815 - http.server looks for this name

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Stay silent."""


def write_certificate(folder: Path, address: str) -> Path:
    """Make a certificate for an address that signs itself, with its key; return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a gateway for tests")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "gateway.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


@pytest.fixture(params=["127.0.0.1", "127.0.0.2"])
def gateway(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[tuple[str, str]]:
    """Serve TLS on 127.0.0.1 with a trusted certificate for the parameter's address."""
    path = write_certificate(tmp_path, request.param)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    with ThreadingHTTPServer(("127.0.0.1", 0), Gateway) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield request.param, f"https://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def ask(url: str, times: int, target: str) -> Steps[list[Any] | ApiError]:
    """Read so many times, one after another; come to the answers, or to the first failure."""
    request = ApiRequest("GET", target, None, bearer=False)
    api = Api(Settings.from_environment({"FAIRWINS_API_URL": url}))
    answers: list[Any] = []
    try:
        for _ in range(times):
            answer = yield from api.send(request, Caller(None, ""), Cancellation())
            answers.append(answer.document)
    except ApiError as error:
        return error
    return answers


def take_in_a_thread(steps: Steps[Result]) -> Result:
    with closing(BlockingCarrier()) as carrier:
        return carrier.run(steps)


def take_on_a_loop(steps: Steps[Result]) -> Result:
    async def take() -> Result:
        carrier = LoopCarrier(Workers())
        result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        carrier.run(steps, result.set_result)
        try:
            return await result
        finally:
            await carrier.close()

    return asyncio.run(take())


@pytest.fixture(params=[take_in_a_thread, take_on_a_loop])
def read(request: pytest.FixtureRequest) -> Read:
    """Give a function that reads, in one way or in the other; what fails, it raises."""
    take: Callable[[Steps[list[Any] | ApiError]], list[Any] | ApiError] = request.param

    def act(url: str, times: int = 1, target: str = "/status") -> list[Any]:
        outcome = take(ask(url, times, target))
        if isinstance(outcome, ApiError):
            raise outcome
        return outcome

    return act


def test_a_certificate_must_be_trusted_and_name_the_host(
    gateway: tuple[str, str], read: Read
) -> None:
    address, url = gateway
    if address == "127.0.0.1":
        first, *others = read(url, times=4)
        assert first["host"] == url.removeprefix("https://")
        assert others == [first] * 3  # and so over the same connection
        answers = read(url, times=3, target="/leaving")  # which says nothing of it, and hangs up
        assert len({answer["port"] for answer in answers}) == 3
        return
    with pytest.raises(ApiError) as raised:
        read(url)
    assert raised.value.code == "api_unreachable"
    assert raised.value.reason == "the API's certificate could not be verified"


def test_a_certificate_that_nobody_vouches_for_is_refused(
    gateway: tuple[str, str], read: Read, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    empty = tmp_path / "none.pem"
    empty.write_bytes(b"")
    monkeypatch.setenv("SSL_CERT_FILE", str(empty))
    with pytest.raises(ApiError) as raised:
        read(gateway[1])
    assert raised.value.reason == "the API's certificate could not be verified"
