"""The server over HTTP, as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import gateway_bench
import pytest
from member_api import serve_member_api

import fairwins_mcp

# The command with nothing to import beside the library and its own folder; the system chooses the
# port, and the process tells it.
_START = f"""\
import sys
sys.path.insert(0, {str(Path(fairwins_mcp.__file__).parents[1])!r})
import fairwins_mcp.http.listener as module
serve = module.Listener.serve
module.Listener.serve = lambda self, host, port: serve(self, host, 0)
from fairwins_mcp.cli import main
sys.exit(main())
"""


@contextmanager
def serve_http(api_url: str) -> Generator[str]:
    """Start the server; the value is the URL of its endpoint."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-W", "error", "-c", _START, "--http"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "FAIRWINS_API_URL": api_url},
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        try:
            assert "listening on http://127.0.0.1:" in line
            yield line.split()[-1]
        finally:
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, b""), err
    assert err == b"fairwins-mcp: stopped\n"


@pytest.fixture(scope="session")
def http_url() -> Generator[str]:
    """Give the URL of a server that reads a Member API on loopback."""
    with serve_member_api() as api_url, serve_http(api_url) as url:
        yield url


@pytest.fixture(scope="session")
def sandbox() -> Generator[tuple[str, gateway_bench.Process]]:
    """Give the URL of a server that reads the sandbox gateway, and that gateway."""
    with gateway_bench.serve() as gateway, serve_http(gateway.url) as url:
        yield url, gateway
