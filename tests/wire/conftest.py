"""Servers on pipes and on the loopback interface, for the wire client to meet."""

from __future__ import annotations

import http.server
import json
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from counterfoil.wire import StdioTarget

SERVERS = Path(__file__).parent / "servers"
META = "io.modelcontextprotocol/"

# A handler is given verb, header fields in lower case, and the message; it returns status,
# header fields and body. A header value of None withholds one that the server would set.
Handler = Callable[[str, dict[str, str], Any], tuple[int, dict[str, str], bytes]]


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., StdioTarget]:
    """Make a target of the scripted server: its behaviour, arguments, and a timeout."""

    def make(*words: str, timeout: float = 30, **env: str) -> StdioTarget:
        command = (sys.executable, "-I", str(SERVERS / "scripted.py"), *words)
        return StdioTarget(command, str(tmp_path), env, timeout)

    return make


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Listen on a free loopback port, for a process to show by a connection that it lives."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)
        yield listening


@pytest.fixture
def outcome() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answer a message as a good server with one tool does, in both eras."""

    def answer(message: dict[str, Any]) -> dict[str, Any]:
        params = message.get("params", {})
        modern = f"{META}protocolVersion" in params.get("_meta", {})
        results: dict[str, dict[str, Any]] = {
            "tools/list": {"tools": [{"name": "one", "inputSchema": {"type": "object"}}]},
            "server/discover": {"supportedVersions": ["2026-07-28"]},
            "initialize": {
                "protocolVersion": params.get("protocolVersion"),
                "serverInfo": {"name": "loopback", "version": "1"},
            },
        }
        result: dict[str, Any] = {"capabilities": {"tools": {}}, **results[message["method"]]}
        if modern:
            result |= {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    return answer


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Serve a handler over HTTP/1.1 on a loopback address; return the endpoint's URL."""
    with ExitStack() as stack:

        def start(
            handler: Handler,
            *,
            host: str = "127.0.0.1",
            tls: ssl.SSLContext | None = None,
        ) -> str:
            server = _Server(host, handler)
            stack.callback(server.server_close)
            if tls is not None:
                server.socket = tls.wrap_socket(server.socket, server_side=True)
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            scheme = "https" if tls else "http"
            shown = f"[{host}]" if ":" in host else host
            return f"{scheme}://{shown}:{server.server_address[1]}/mcp"

        yield start


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, host: str, handler: Handler) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.answer = handler
        super().__init__((host, 0), _Endpoint)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that leaves early is part of the tests."""


class _Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        message = json.loads(body) if body else None
        fields = {name.lower(): value for name, value in self.headers.items()}
        fields["connection-id"] = str(self.client_address[1])
        server = cast(_Server, self.server)
        status, headers, answer = server.answer(self.command, fields, message)
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_POST(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Keep the tests' output clean."""


@pytest.fixture
def serve_raw() -> Iterator[Callable[..., str]]:
    """Answer each request on a connection with the next piece of bytes, then hang up.

    A piece may be an iterable of bytes, which are sent one by one.
    """
    with ExitStack() as stack:
        stopped = threading.Event()

        def start(*pieces: Any, hold: bool = False) -> str:
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            thread = threading.Thread(target=_answer_raw, args=(listening, pieces, hold, stopped))
            thread.start()
            stack.callback(thread.join, 30)
            # Closing a socket does not wake a thread that accepts on it; connecting does.
            stack.callback(_knock, listening.getsockname())
            stack.callback(stopped.set)
            return f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"

        yield start


def _knock(address: tuple[str, int]) -> None:
    with suppress(OSError):
        socket.create_connection(address, 1).close()


def _answer_raw(
    listening: socket.socket, pieces: tuple[Any, ...], hold: bool, stopped: threading.Event
) -> None:
    remaining = list(pieces)
    while not stopped.is_set():
        connection, _ = listening.accept()
        with connection, connection.makefile("rb") as reader, suppress(OSError):
            while remaining and not stopped.is_set() and _read_request(reader):
                piece = remaining.pop(0)
                for part in [piece] if isinstance(piece, bytes) else piece:
                    connection.sendall(part)
                if not hold:
                    break
            else:
                # Until the client hangs up.
                reader.read()


def _read_request(reader: Any) -> bool:
    length = 0
    while (line := reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return bool(line and reader.read(length))


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Make a certificate for localhost that no authority signed, with its key, as PEM."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "localhost.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path
