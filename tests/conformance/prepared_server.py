"""Serve fairwins-mcp over HTTP with the entries of prepared.json beside its own.

It listens on a free port of 127.0.0.1, and so does the gateway that it reads.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from fairwins_mcp.cli import note
from fairwins_mcp.http.gates import Gate
from fairwins_mcp.http.service import serve_http
from fairwins_mcp.options import HttpOptions
from fairwins_mcp.surface import Surface, load_snapshot

PREPARED = Path(__file__).with_name("prepared.json")


class Gateway(BaseHTTPRequestHandler):
    """Answer one path with a text, and no other."""

    def handle_get(self) -> None:
        """Answer a request."""
        found = self.path == "/text"
        self.send_response(200 if found else 404)
        self.end_headers()
        body = {"text": "Hello."} if found else {"error": {"code": "absent", "reason": "Nothing."}}
        self.wfile.write(json.dumps(body).encode())

    do_GET = handle_get  # noqa: N815 - http.server looks for this name

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Stay silent."""


def prepare() -> Surface:
    """Return the shipped surface with the prepared entries after its own."""
    snapshot: Any = load_snapshot()
    prepared = json.loads(PREPARED.read_text("utf-8"))
    for part in ("tools", "resources", "prompts"):
        snapshot[part] += prepared[part]
    snapshot["routes"].update(prepared["routes"])
    return Surface(snapshot)


def main() -> int:
    """Serve until SIGTERM; return the exit status."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Gateway) as gateway:
        threading.Thread(target=gateway.serve_forever, args=(0.02,), daemon=True).start()
        environment = {"FAIRWINS_API_URL": f"http://127.0.0.1:{gateway.server_address[1]}"}
        options = HttpOptions("127.0.0.1", 0, Gate([], [], checks_host=True), is_shared=False)
        status = serve_http(prepare(), options, environment, note)
        gateway.shutdown()
    return status


if __name__ == "__main__":
    sys.exit(main())
