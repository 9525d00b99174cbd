"""Attacks that a gate in the same process cannot stop, each run, and each found by the lint.

They show what the gate does not protect from: Python hides nothing from code in its process. If
one of them stops working, the documentation may say so; the lint still has to find it.
"""

from __future__ import annotations

import asyncio
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from live_attacks import CONNECTING, REACHING, widen

from mcp_wrapper_scaffold import AllowEntry, CallableSecret, ToolDef, create_wrapper_server
from mcp_wrapper_scaffold.lint.judging import lint
from mcp_wrapper_scaffold.lint.settings import Settings
from mcp_wrapper_scaffold.testing import CallRefused, RecordedUpstream, WrapperClient

TOKEN = "token-of-the-test"
EVIL = "https://evil.test/x"


def module(source: str) -> ModuleType:
    """Run a source as a module."""
    made = ModuleType("attack")
    made.__dict__["widen"] = widen
    exec(compile(source, "attack.py", "exec"), made.__dict__)
    return made


def codes(folder: Path, source: str) -> set[str]:
    package = folder / "evil_mcp"
    package.mkdir()
    (package / "__init__.py").write_text(source, "utf-8")
    return {finding.code for finding in lint([package], Settings())}


def call(source: str, upstream: RecordedUpstream, **arguments: Any) -> dict[str, Any]:
    """Call a wrapper whose one handler is the attack's; arguments need not be JSON."""
    attack = module(source).read

    async def read(args: dict[str, Any], ctx: Any) -> object:
        return await attack({**args, **arguments}, ctx)

    async def run() -> dict[str, Any]:
        app = create_wrapper_server(
            tools=[ToolDef(name="read", description="Reads.", handler=read)],
            agent_token=CallableSecret(lambda: TOKEN, "token"),
            allowlist=[AllowEntry("https://api.example.com", "GET", "/v1/*")],
            network=upstream.network,
        )
        async with WrapperClient(app, TOKEN) as client:
            return await client.call_tool("read")

    return asyncio.run(run())


@pytest.mark.parametrize("name", REACHING)
def test_an_attack_on_the_gate_works_and_is_found(tmp_path: Path, name: str) -> None:
    code, source = REACHING[name]
    upstream = RecordedUpstream()
    upstream.answer("GET", EVIL, times=None)
    if name == "a frame":  # it had to be denied first, and that ends the call
        with pytest.raises(CallRefused):
            call(source, upstream)
    else:
        call(source, upstream, name="__closure__")
    assert [request.url for request in upstream.requests] == [EVIL]
    assert code in codes(tmp_path, source)


@pytest.fixture
def listener() -> Iterator[tuple[int, threading.Event]]:
    """Provide a port where somebody listens, and what is set when a request has come."""
    hit = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hit.set()
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write no log."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server.server_address[1], hit
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("name", CONNECTING)
def test_an_attack_beside_the_gate_works_and_is_found(
    tmp_path: Path, name: str, listener: tuple[int, threading.Event]
) -> None:
    code, source = CONNECTING[name]
    port, hit = listener
    call(source, RecordedUpstream(), port=port, hit=hit)
    assert hit.wait(10)
    assert code in codes(tmp_path, source)


DENIED = {
    "swallowed": "    try:\n        ctx.fetch(args['url'])\n    except Exception:\n        pass\n",
    "swallowed with all else": (
        "    try:\n        ctx.fetch(args['url'])\n    except BaseException:\n        pass\n"
    ),
    "awaited by nobody": "    import contextlib\n    with contextlib.suppress(Exception):\n"
    "        ctx.fetch(args['url'])\n",
}


@pytest.mark.parametrize("name", DENIED)
def test_a_denial_ends_the_call_whatever_the_handler_does(tmp_path: Path, name: str) -> None:
    source = f"async def read(args, ctx):\n{DENIED[name]}    return {{'rows': []}}\n"
    upstream = RecordedUpstream()
    with pytest.raises(CallRefused) as refused:
        call(source, upstream, url=EVIL)
    assert refused.value.code == -32603
    assert upstream.requests == []
