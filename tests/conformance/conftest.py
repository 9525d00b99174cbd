"""Servers in processes of their own: as shipped, prepared for the suite, and a wrapper."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

PREPARED = Path(__file__).with_name("prepared_server.py")
WRAPPED = Path(__file__).with_name("wrapped_server.py")
STOPPED = b"fairwins-mcp: stopped\n"
TRIES = 3


@pytest.fixture(scope="session")
def shipped() -> Generator[str]:
    """Give the URL of the server as its command starts it."""
    with _start_command() as url:
        yield url


@pytest.fixture(scope="session")
def prepared() -> Generator[str]:
    """Give the URL of the server with what the suite asks for beside its own."""
    with _serve([sys.executable, "-W", "error", str(PREPARED)]) as url:
        assert url is not None
        yield url


@pytest.fixture(scope="session")
def wrapped() -> Generator[str]:
    """Give the URL of a wrapper with the tools that the suite names."""
    with _serve([sys.executable, "-W", "error", str(WRAPPED)], stopped=None) as url:
        assert url is not None
        yield url


@pytest.fixture(scope="session")
def receipts(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Give the URL of the server of receipts, over an empty Trace root and without tokens."""
    folder = str(tmp_path_factory.mktemp("trace"))
    Path(folder, "events").mkdir()
    command = [sys.executable, "-W", "error", "-m", "haia_trace_mcp", "--dir", folder]
    with _serve(
        [*command, "--http", "127.0.0.1:0", "--http-insecure-no-auth"], stopped=None
    ) as url:
        assert url is not None
        yield url


@contextmanager
def _start_command() -> Generator[str]:
    for _ in range(TRIES):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        command = [sys.executable, "-W", "error", "-m", "fairwins_mcp", "--http", str(port)]
        with _serve(command) as url:
            if url is None:
                continue  # somebody else took the port in between
            yield url
            return
    pytest.fail("no port stayed free")


@contextmanager
def _serve(command: list[str], stopped: bytes | None = STOPPED) -> Generator[str | None]:
    """Run a server while the block runs; the value is its URL, or None when it cannot listen.

    ``stopped`` is all that it says after its first line; None where it may say more. The runners
    say ``localhost``, since they try other names to see that those are refused.
    """
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FAIRWINS_")}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        if "cannot listen" in line:
            process.wait(20)
            yield None
            return
        try:
            assert "listening on http://127.0.0.1:" in line, line
            yield line.split()[-1].replace("127.0.0.1", "localhost")
        finally:
            process.terminate()
            _, rest = process.communicate(timeout=30)
    assert process.returncode == 0, rest
    assert stopped is None or rest == stopped
