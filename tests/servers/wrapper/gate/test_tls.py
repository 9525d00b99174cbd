"""Whom the gate trusts."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import ssl
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from loopback import Visit, upstream
from wrapped import TOKEN, wrap

from mcp_wrapper_scaffold import Context
from mcp_wrapper_scaffold.allowlist import AllowEntry
from mcp_wrapper_scaffold.errors import FetchError
from mcp_wrapper_scaffold.gate import Gate
from mcp_wrapper_scaffold.gate.transport import Network, NetworkStream, SystemNetwork
from mcp_wrapper_scaffold.testing import WrapperClient

pytestmark = pytest.mark.anyio


class Certificate:
    """A certificate that signs itself, for ``localhost`` and 127.0.0.1."""

    def __init__(self, folder: Path) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.now(datetime.UTC)
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256())
        )
        self.certificate = folder / "certificate.pem"
        self.certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        self.key = folder / "key.pem"
        self.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def trusted(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate(tmp_path_factory.mktemp("tls"))


async def answer(visit: Visit) -> None:
    await visit.answer("200 OK", b"x")


class Local(Network):
    """A network in which every name is this machine."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> NetworkStream:
        return await SystemNetwork().connect_tcp("127.0.0.1", port, timeout)


async def fetched(certificate: Certificate, host: str, **options: Any) -> tuple[bytes, list[str]]:
    async with upstream(answer, tls=certificate.server(), host=host) as server:
        gate = Gate([AllowEntry(server.origin, "GET", "/v1/*")], network=Local(), **options)
        try:
            response = await gate.fetch(lambda denied: None)(f"{server.origin}/v1/x?key=s3cr3t")
        finally:
            await gate.aclose()
        return response.content, server.lines


@pytest.mark.parametrize("trusts", [False, True])
async def test_a_wrapper_can_be_told_of_a_private_authority(
    certificate: Certificate, trusts: bool
) -> None:
    async def read(args: dict[str, Any], ctx: Context) -> object:
        return (await ctx.fetch(args["url"])).text

    async with upstream(answer, tls=certificate.server(), host="localhost") as server:
        context = certificate.trusted() if trusts else None
        app = wrap(read, origin=server.origin, network=Local(), ssl_context=context)
        async with WrapperClient(app, TOKEN) as client:
            result = await client.call_tool("read", {"url": f"{server.origin}/v1/x"})
    (item,) = result["content"]
    assert item["text"] == '"x"' if trusts else "no trusted TLS connection" in item["text"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_a_certificate_that_is_trusted_is_taken(certificate: Certificate, host: str) -> None:
    content, lines = await fetched(certificate, host, ssl_context=certificate.trusted())
    assert (content, len(lines)) == (b"x", 1)


async def test_a_certificate_that_nobody_vouches_for_is_refused(certificate: Certificate) -> None:
    with pytest.raises(FetchError) as caught:
        await fetched(certificate, "localhost")
    assert caught.value.code == "tls"
    assert "s3cr3t" not in str(caught.value)


async def test_the_environment_does_not_say_whom_to_trust(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
    with pytest.raises(FetchError) as caught:
        await fetched(certificate, "localhost")
    assert caught.value.code == "tls"


async def test_a_certificate_of_another_host_is_refused(certificate: Certificate) -> None:
    with pytest.raises(FetchError) as caught:
        await fetched(certificate, "shop.test", ssl_context=certificate.trusted())
    assert caught.value.code == "tls"


async def test_an_upstream_that_speaks_no_tls_is_refused() -> None:
    async def parrot(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await reader.read()
        writer.close()

    server = await asyncio.start_server(parrot, "127.0.0.1", 0)
    origin = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    gate = Gate([AllowEntry(origin, "GET", "/v1/*")])
    with pytest.raises(FetchError) as caught:
        await gate.fetch(lambda denied: None)(f"{origin}/v1/x")
    assert caught.value.code == "tls"
    await gate.aclose()
    server.close()


@pytest.mark.parametrize("cancels", [False, True])
async def test_a_call_that_ends_amid_the_greeting_closes_its_connection(cancels: bool) -> None:
    greeted, gone = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        greeted.set()
        await reader.read()
        gone.set()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    origin = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    gate = Gate([AllowEntry(origin, "GET", "/v1/*")], timeout=60 if cancels else 0.2)
    task = asyncio.create_task(gate.fetch(lambda denied: None)(f"{origin}/v1/x"))
    await greeted.wait()
    if cancels:
        task.cancel()
    with pytest.raises(asyncio.CancelledError if cancels else FetchError):
        await task
    await gone.wait()
    await gate.aclose()
    server.close()
