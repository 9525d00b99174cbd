"""What the tests share: a small snapshot, a gateway on loopback, ways to talk to the server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Self

from fairwins_mcp.caller import Caller
from fairwins_mcp.protocol import Protocol, Session
from fairwins_mcp.settings import Settings
from fairwins_mcp.stdio import Connection
from fairwins_mcp.surface import Surface

SOURCE = Path(__file__).parents[1] / "src"
TOKEN = "fw1.eyJ0ZXN0Ijp0cnVlfQ.c2VjcmV0LXNpZ25hdHVyZQ"
MODERN = "2026-07-28"
ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
UNKNOWN = "This is not known; it is not empty."
PRICE = "That is a price and no outage."

NUMBER = "^[1-9][0-9]{0,9}$"
SNAPSHOT: Any = {
    "server": {
        "name": "small",
        "title": "Small",
        "version": "9.8.7",
        "instructions": "Read the guide.",
        "protocolVersions": ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN],
    },
    "wording": {"unknown": UNKNOWN, "price": PRICE},
    "tools": [
        {
            "name": "build",
            "title": "Build",
            "description": "Build something.",
            "inputSchema": {
                "type": "object",
                "properties": {"action": {"type": "string"}, "params": {"type": "object"}},
                "required": ["action"],
                "additionalProperties": False,
            },
            "auth": "grant",
            "scope": "build:intents",
            "surfaces": ["mcp"],
            "exec": {"kind": "route", "route": "build", "body": ["action", "params"]},
            "priced": True,
        },
        {
            "name": "find",
            "title": "Find",
            "description": "Never leaves the app.",
            "inputSchema": {"type": "object"},
            "auth": "local",
            "surfaces": ["assistant"],
            "exec": {"kind": "local"},
        },
        {
            "name": "news",
            "title": "News",
            "description": "Read news.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "chainId": {"type": ["string", "integer"], "default": "137"},
                    "asset": {"type": "string"},
                    "q": {"type": "string"},
                    "fresh": {"type": "boolean"},
                },
                "required": ["asset"],
                "additionalProperties": False,
            },
            "outputSchema": {
                "type": "object",
                "properties": {"state": {"enum": ["read", "unreadable"]}},
                "required": ["state"],
            },
            "annotations": {"readOnlyHint": True},
            "icons": [{"src": "https://icons.test/news.png"}],
            "_meta": {"test.example/rank": 1},
            "auth": "none",
            "surfaces": ["assistant", "mcp"],
            "exec": {
                "kind": "public",
                "route": "news",
                "path": ["chainId", "asset"],
                "query": ["q", "fresh"],
            },
        },
        {
            "name": "wagers",
            "title": "Wagers",
            "description": "Read wagers.",
            "inputSchema": {
                "type": "object",
                "properties": {"first": {"type": "integer", "minimum": 1, "maximum": 200}},
                "additionalProperties": False,
            },
            "auth": "grant",
            "surfaces": ["assistant", "mcp"],
            "exec": {"kind": "route", "route": "wagers", "query": ["first"]},
        },
    ],
    "resources": [
        {
            "uri": "small://status",
            "name": "status",
            "title": "Status",
            "description": "Live.",
            "mimeType": "application/json",
            "source": {"kind": "route", "route": "status"},
        },
        {
            "uri": "small://mine",
            "name": "mine",
            "title": "Mine",
            "description": "Live, with a token.",
            "mimeType": "application/json",
            "source": {"kind": "route", "route": "wagers"},
        },
        {
            "uri": "fairwins://guide",
            "name": "guide",
            "title": "Guide",
            "description": "Shipped.",
            "mimeType": "text/markdown",
            "source": {"kind": "embedded"},
        },
    ],
    "prompts": [
        {
            "name": "review",
            "title": "Review",
            "description": "Review it.",
            "arguments": [
                {"name": "who", "title": "Who", "description": "Whose.", "required": True},
                {"name": "chainId", "description": "Where.", "whenAbsent": "every chain"},
            ],
            "messages": [{"role": "user", "text": "Review {who} on {chainId}; keep {braces}."}],
        },
        {
            "name": "brief",
            "title": "Brief",
            "description": "Brief me.",
            "messages": [{"role": "user", "text": "Brief me."}],
        },
    ],
    "routes": {
        "build": {"method": "POST", "path": "/v1/build", "auth": "bearer", "class": "build"},
        "news": {
            "method": "GET",
            "path": "/v1/news/{chainId}/{asset}",
            "auth": "none",
            "class": "free",
            "pathParams": [
                {"name": "chainId", "description": "Chain.", "pattern": NUMBER},
                # Looser than any real one: what must not pass is stopped elsewhere too.
                {"name": "asset", "description": "Asset.", "pattern": "^.{0,40}$"},
            ],
            "queryParams": [
                {"name": "q", "description": "Words.", "pattern": "^.{1,20}$"},
                {"name": "fresh", "description": "Fresh?", "pattern": "^(true|false)$"},
            ],
            "unreadable": [{"at": "/state", "value": "unreadable", "meaning": "All."}],
        },
        "status": {"method": "GET", "path": "/status", "auth": "none", "class": "free"},
        "wagers": {
            "method": "GET",
            "path": "/v1/wagers",
            "auth": "bearer",
            "class": "read",
            "queryParams": [{"name": "first", "description": "How many.", "pattern": NUMBER}],
            "unreadable": [
                {"at": "/state", "value": "unreadable", "meaning": "All.", "reason": "/reason"},
                {"at": "/state", "value": "not-configured", "meaning": "All."},
                {"at": "/chains/*/state", "value": "unreadable", "meaning": "One chain."},
            ],
        },
    },
}


class Gateway(ThreadingHTTPServer):
    """A gateway that answers every request with ``respond`` and remembers what came.

    ``gone`` is set when a client closes its end during a slow answer.
    """

    daemon_threads = True
    request_queue_size = 64  # a full queue would make clients retry for seconds

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.arrived = threading.Event()
        self.release = threading.Event()
        self.gone = threading.Event()
        self.respond: Callable[[BaseHTTPRequestHandler], None] = answer(200, b"{}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *details: object) -> None:
        self.release.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: clients that leave are part of the tests."""

    def hold(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer only after ``release``."""
        self.release.wait(30)
        answer(200, b'{"state":"read"}')(handler)

    def wait_for_hang_up(self, handler: BaseHTTPRequestHandler) -> None:
        """Never answer; notice that the client has gone."""
        if handler.connection.recv(1) == b"":
            self.gone.set()

    def drip(self, handler: BaseHTTPRequestHandler) -> None:
        """Send a body byte by byte, always before a socket timeout could strike."""
        handler.send_response(200)
        handler.end_headers()
        while not self.release.wait(0.02):
            handler.wfile.write(b" ")


class _Handler(BaseHTTPRequestHandler):
    def handle_request(self) -> None:
        assert isinstance(self.server, Gateway)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.command, self.path, dict(self.headers), body))
        self.server.arrived.set()
        self.server.respond(self)

    do_GET = do_POST = handle_request  # noqa: N815 - http.server looks for these names

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Stay silent."""


def answer(
    status: int, body: bytes, headers: dict[str, str] | None = None
) -> Callable[[BaseHTTPRequestHandler], None]:
    """Make a response."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return respond


def configure(url: str = "", token: str = "", **more: str) -> dict[str, str]:
    """Make an environment of the server's variables."""
    return {"FAIRWINS_API_URL": url, "FAIRWINS_API_TOKEN": token, **more}


class Server:
    """The server in this process: messages in, replies out, through the stdio transport."""

    def __init__(
        self,
        environment: dict[str, str] | None = None,
        snapshot: Any = SNAPSHOT,
        only: list[str] | None = None,
    ) -> None:
        self.notes: list[str] = []
        self.surface = Surface(snapshot, only)
        self.settings = Settings.from_environment(environment or {})
        self.protocol = Protocol(self.surface, self.settings, self.notes.append)
        self.caller = Caller.from_environment(environment or {})
        self.session = Session()

    def exchange(self, *lines: bytes) -> list[Any]:
        """Feed lines to a connection of their own until the end of input; return what it wrote."""
        with TemporaryFile(buffering=0) as output:
            left: list[int] = []
            connection = Connection(
                self.protocol, self.caller, output, self.notes.append, left.append
            )
            connection.serve(BytesIO(b"".join(line + b"\n" for line in lines)))
            output.seek(0)
            written = output.read()
        assert not left
        return [json.loads(line) for line in written.split(b"\n") if line]

    def ask(self, method: str, params: dict[str, Any] | None = None, version: str = "") -> Any:
        """Send one request; return the reply. ``version`` is the revision it is made in."""
        opening: list[bytes] = []
        params = {} if params is None else params
        if version == MODERN:
            params = {**params, "_meta": {**ENVELOPE, **params.get("_meta", {})}}
        elif version:
            opening = [request("initialize", {"protocolVersion": version}, "opening")]
        return self.exchange(*opening, request(method, params))[-1]

    def call(self, name: str, arguments: Any = None, version: str = MODERN) -> Any:
        """Call a tool; return the result."""
        params = {"name": name, "arguments": {} if arguments is None else arguments}
        reply = self.ask("tools/call", params, version)
        return reply["result"]

    def fail(self, name: str, arguments: Any = None, version: str = MODERN) -> str:
        """Call a tool that fails; return the text of its only content."""
        result = self.call(name, arguments, version)
        assert result["isError"] is True, result
        assert "structuredContent" not in result, result
        (content,) = result["content"]
        text: str = content["text"]
        return text


def request(method: str, params: object = None, request_id: object = 1) -> bytes:
    """Write a request line."""
    message: dict[str, object] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode()


def notification(method: str, params: object = None) -> bytes:
    """Write a notification line."""
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode()


ISOLATED = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); from fairwins_mcp.cli import main; "


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # In the background of a shell; what the tests start would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def start(
    *arguments: str, environment: dict[str, str] | None = None, code: str = "sys.exit(main())"
) -> Generator[subprocess.Popen[bytes]]:
    """Start the command as a process that can import the library and its own folder only."""
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-W", "error", "-c", ISOLATED + code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**kept, **(environment or {})},
    ) as process:
        guard = threading.Timer(30, process.kill)  # a hanging server fails its test, not the run
        guard.daemon = True
        guard.start()
        try:
            yield process
        finally:
            guard.cancel()
            process.kill()


def send(process: subprocess.Popen[bytes], *lines: bytes) -> None:
    """Write lines to a process."""
    assert process.stdin is not None
    process.stdin.write(b"".join(line + b"\n" for line in lines))
    process.stdin.flush()


def receive(process: subprocess.Popen[bytes]) -> Any:
    """Read one line from a process."""
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def run(
    *lines: bytes, arguments: tuple[str, ...] = (), environment: dict[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    """Run a process over lines to its end; return status, output and diagnostics."""
    with start(*arguments, environment=environment) as process:
        out, err = process.communicate(b"".join(line + b"\n" for line in lines))
        return process.returncode, out, err
