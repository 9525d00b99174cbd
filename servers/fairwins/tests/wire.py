"""What the tests of the HTTP transport share: a server on a port, and bytes to and from it."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from http.client import HTTPResponse
from typing import Any, Self

from support import ENVELOPE, MODERN, SNAPSHOT, TOKEN

from fairwins_mcp.caller import Caller
from fairwins_mcp.http.callers import Callers
from fairwins_mcp.http.endpoint import Endpoint
from fairwins_mcp.http.gates import Gate, Origin
from fairwins_mcp.http.limits import Limits
from fairwins_mcp.http.listener import Listener
from fairwins_mcp.protocol import Protocol
from fairwins_mcp.settings import Settings
from fairwins_mcp.surface import Surface

TIMEOUT = 20  # seconds; a hanging server fails its test, not the run
JSON = {"Content-Type": "application/json"}


def make_gate(
    origins: tuple[str, ...] = (), hosts: tuple[str, ...] = (), checks_host: bool = True
) -> Gate:
    parsed = [origin for text in origins if (origin := Origin.parse(text)) is not None]
    assert len(parsed) == len(origins)
    return Gate(parsed, hosts, checks_host)


def make_endpoint(
    environment: dict[str, str] | None = None,
    snapshot: Any = SNAPSHOT,
    gate: Gate | None = None,
    limits: Limits | None = None,
    notes: list[str] | None = None,
) -> Endpoint:
    """Make an endpoint; a token in the environment is shared by all callers."""
    environment = environment or {}
    surface = Surface(snapshot)
    note = ([] if notes is None else notes).append
    protocol = Protocol(surface, Settings.from_environment(environment), note)
    has_token = bool(environment.get("FAIRWINS_API_TOKEN"))
    callers = Callers(Caller.from_environment(environment) if has_token else None)
    return Endpoint(protocol, surface, callers, gate or make_gate(), limits or Limits())


class HttpServer:
    """The server on a port of its own, in a thread of this process."""

    def __init__(
        self,
        environment: dict[str, str] | None = None,
        snapshot: Any = SNAPSHOT,
        gate: Gate | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.notes: list[str] = []
        limits = limits or Limits()
        endpoint = make_endpoint(environment, snapshot, gate, limits, self.notes)
        self._started = threading.Event()
        self.port = 0
        self.listener = Listener(endpoint, limits, self.notes.append, self._start)
        self._thread = threading.Thread(target=self.listener.serve, args=("127.0.0.1", 0))

    def _start(self, host: str, port: int) -> None:
        self.port = port
        self._started.set()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(TIMEOUT)
        return self

    def __exit__(self, *details: object) -> None:
        self.listener.stop()
        self._thread.join(TIMEOUT)
        assert not self._thread.is_alive()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def open(self) -> Peer:
        """Open a connection."""
        return Peer(self.port)

    def send(self, data: bytes) -> Answer:
        """Send bytes over a connection of their own, and read one response."""
        with self.open() as peer:
            peer.send(data)
            return peer.receive()

    def post(self, body: object, headers: dict[str, str] | None = None) -> Answer:
        """Send a message to /mcp; a header given as an empty text is left out."""
        return self.send(post(body, headers))

    def ask(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send a request of the stateless revision with all its headers."""
        return self.send(modern(method, params, headers))


class Answer:
    """A response: ``status``, ``headers`` in order, ``body``."""

    def __init__(self, response: HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.getheaders()
        self.body = response.read()

    def header(self, name: str) -> str | None:
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        assert len(values) < 2, values
        return values[0] if values else None

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> Any:
        """Return the code of an error, of JSON-RPC or of HTTP."""
        return self.document["error"]["code"]

    @property
    def texts(self) -> list[str]:
        """Return the texts of a tool's result."""
        return [content["text"] for content in self.document["result"]["content"]]


class Peer:
    """One client connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
        self._file = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self, method: str = "POST") -> Answer:
        """Read one response to a request with that method."""
        response = HTTPResponse(_Kept(self._file), method=method)  # type: ignore[arg-type]  # all it takes
        response.begin()
        return Answer(response)

    def read_all(self) -> bytes:
        """Read until the server closes."""
        return self._file.read()


class _Kept:
    """Lend a file to a response that would close it with its own end."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def makefile(self, mode: str) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def close(self) -> None:
        """Leave it open."""


def message(method: str, params: object = None, request_id: object = 1) -> dict[str, Any]:
    """Make a request."""
    made: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        made["params"] = params
    return made


def post(body: object, headers: dict[str, str] | None = None) -> bytes:
    """Write a POST to /mcp. Values are written in Latin-1, as their bytes are meant to go out."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Host": "127.0.0.1", **JSON, "Content-Length": str(len(content)), **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    return f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + content


def modern(
    method: str, params: dict[str, Any] | None = None, headers: dict[str, str] | None = None
) -> bytes:
    """Write a POST of the stateless revision with all its headers."""
    params = params or {}
    named = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(method, "")
    fields = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if named in params:
        fields["Mcp-Name"] = params[named]
    meta = {**ENVELOPE, **params.get("_meta", {})}
    return post(message(method, {**params, "_meta": meta}), {**fields, **(headers or {})})


def call(
    name: str, arguments: Any = None, headers: dict[str, str] | None = None, **meta: Any
) -> bytes:
    """Write a tool call of the stateless revision."""
    params: dict[str, Any] = {"name": name, "arguments": arguments or {}, "_meta": meta}
    return modern("tools/call", params, headers)


BEARER = {"Authorization": f"Bearer {TOKEN}"}
STATUS = call("get_gateway_status")
# The whole command, except that the system chooses the port and the process tells it.
SERVE = (
    "import fairwins_mcp.http.listener as l; serve = l.Listener.serve; "
    "l.Listener.serve = lambda self, host, port: serve(self, host, 0); sys.exit(main())"
)


def read_port(process: subprocess.Popen[bytes]) -> int:
    """Read the port from the line in which a process says that it listens."""
    assert process.stderr is not None
    line = process.stderr.readline().decode()
    assert line.startswith("fairwins-mcp: listening on http://127.0.0.1:"), line
    return int(line.rpartition(":")[2].partition("/")[0])
