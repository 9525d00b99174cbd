"""A real HTTPS server on loopback that stands in for hosts of the internet.

A wrapper reaches it through the network seam of its gate: the gate decides about the real URL,
resolves nothing, and is connected to loopback in place of the real address. TLS is spoken and
verified all the same: for the name in the URL, against an authority that is made here. The seam
replaces the address and the authority, and nothing else; that the gate itself asks for a verified
connection is tested with the gate.
"""

from __future__ import annotations

import datetime
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from tempfile import TemporaryDirectory
from typing import Any, cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mcp_wrapper_scaffold.testing import LoopbackNetwork

Answer = tuple[int, Mapping[str, str], bytes]


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire.

    Attributes:
        method: its method.
        host: the name that the client asked for, in TLS and in the Host field alike.
        target: path and query as they were sent.
        headers: its fields, by lower-case names.
        body: its whole body.
    """

    method: str
    host: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """Return the path without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """Return the query without its question mark."""
        return self.target.partition("?")[2]


class Cut(Exception):
    """Send the beginning of an answer, announce more, and close the connection."""

    def __init__(self, beginning: bytes = b"") -> None:
        super().__init__()
        self.beginning = beginning


class Hang(Exception):
    """Answer nothing until the upstream is closed."""


class LoopbackUpstream:
    """Answer requests for several names.

    Attributes:
        requests: what came, in order.
        faults: what ``answer`` raised besides ``Cut`` and ``Hang``; it fails the test at the end.
        address: where it listens.
    """

    def __init__(self, hosts: Sequence[str], answer: Callable[[Request], Answer]) -> None:
        self.requests: list[Request] = []
        self.faults: list[Exception] = []
        self.closing = threading.Event()
        self.answer = answer
        self._server = _Server(("127.0.0.1", 0), self, _server_context(tuple(hosts)))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def address(self) -> tuple[str, int]:
        """Return host and port."""
        return cast("tuple[str, int]", self._server.server_address)

    def start(self) -> None:
        """Answer from now on."""
        self._thread.start()

    def close(self) -> None:
        """End, connections included."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if self.faults:
            raise ExceptionGroup("the upstream could not answer", self.faults)


@contextmanager
def running(
    hosts: Sequence[str], answer: Callable[[Request], Answer]
) -> Iterator[LoopbackUpstream]:
    """Provide an upstream that answers while the context is open."""
    upstream = LoopbackUpstream(hosts, answer)
    upstream.start()
    try:
        yield upstream
    finally:
        upstream.close()


def network_to(upstream: LoopbackUpstream | None, *, trusts: bool = True) -> LoopbackNetwork:
    """Return a network on which every name leads to an upstream, or to nobody.

    Args:
        upstream: what answers; without one, connections are refused.
        trusts: whether its authority is trusted, in place of the system's.
    """
    context = _client_context() if trusts else ssl.create_default_context()
    return LoopbackNetwork(9 if upstream is None else upstream.address[1], context)


def write_authority(path: Path) -> None:
    """Write the authority that every upstream's certificate is from, for another process."""
    path.write_bytes(_authority()[1].public_bytes(serialization.Encoding.PEM))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _handle(self) -> None:
        upstream = self.server.upstream
        length = int(self.headers.get("content-length", "0"))
        request = Request(
            self.command,
            self.headers["host"],
            self.path,
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length),
        )
        upstream.requests.append(request)
        try:
            status, headers, body = upstream.answer(request)
        except Hang:
            upstream.closing.wait(60)
            self.close_connection = True
            return
        except Cut as cut:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(cut.beginning) + 100))
            self.end_headers()
            self.wfile.write(cut.beginning)
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _handle  # noqa: N815 - its names

    def log_message(self, *_: object) -> None:
        """Write no log."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, address: tuple[str, int], upstream: LoopbackUpstream, context: ssl.SSLContext
    ) -> None:
        self.upstream = upstream
        self._context = context
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Listen, without asking anybody for the name of the address."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = cast("tuple[str, int]", self.server_address)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Speak TLS in the connection's own thread, so that a slow client holds nobody up."""
        try:
            with self._context.wrap_socket(request, server_side=True) as secure:
                super().finish_request(secure, client_address)
        except (OSError, ssl.SSLError):
            return  # the client went, or did not like the certificate

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what went wrong for the end of the test."""
        fault = sys.exception()
        if isinstance(fault, Exception):
            self.upstream.faults.append(fault)

    def shutdown_request(self, request: Any) -> None:
        """Close the socket; TLS, which took it over, has said good-bye."""
        self.close_request(request)


@dataclass(frozen=True)
class _Authority:
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: _key())

    def certificate(self) -> x509.Certificate:
        return _certificate(_AUTHORITY_NAME, self.key, self.key, x509.BasicConstraints(True, 0))

    def issue(self, hosts: Sequence[str]) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
        key = _key()
        names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
        return _certificate("upstream", key, self.key, names), key


_AUTHORITY_NAME = "Authority of the tests"


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _AUTHORITY_NAME)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(signer, hashes.SHA256())
    )


@cache
def _authority() -> tuple[_Authority, x509.Certificate]:
    authority = _Authority()
    return authority, authority.certificate()


@cache
def _client_context() -> ssl.SSLContext:
    pem = _authority()[1].public_bytes(serialization.Encoding.PEM).decode()
    return ssl.create_default_context(cadata=pem)


@cache
def _server_context(hosts: tuple[str, ...]) -> ssl.SSLContext:
    certificate, key = _authority()[0].issue(hosts)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        file = Path(folder, "upstream.pem")
        form = serialization.PrivateFormat.PKCS8
        pem = serialization.Encoding.PEM
        plain = serialization.NoEncryption()
        file.write_bytes(key.private_bytes(pem, form, plain) + certificate.public_bytes(pem))
        context.load_cert_chain(file)
    return context
