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
from mcp_wrapper_scaffold.calls import Calls
from mcp_wrapper_scaffold.gate import Gate
from mcp_wrapper_scaffold.gate.transport import Transport
from mcp_wrapper_scaffold.lint.interpreter import PARTS
from mcp_wrapper_scaffold.lint.judging import lint
from mcp_wrapper_scaffold.lint.settings import Settings
from mcp_wrapper_scaffold.path_tree import PathTree
from mcp_wrapper_scaffold.redaction import Redaction
from mcp_wrapper_scaffold.secret_cache import Secrets
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


def parts(thing: object) -> Iterator[tuple[str, object]]:
    """Yield what code reaches from a thing by attributes and items, with the attribute's name."""
    if isinstance(thing, dict):
        yield from (("", value) for value in [*thing, *thing.values()])
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from (("", value) for value in thing)
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    for name in {*getattr(thing, "__dict__", {}), *slots} - {"__dict__", "__weakref__"}:
        yield name, getattr(thing, name, None)


def test_the_lint_knows_every_name_by_which_the_library_holds_its_gate() -> None:
    kept: list[Any] = []
    upstream = RecordedUpstream()
    call("async def read(args, ctx):\n    args['kept'].append(ctx)\n", upstream, kept=kept)
    app = create_wrapper_server(
        tools=[], agent_token=CallableSecret(lambda: TOKEN), allowlist=[], network=upstream.network
    )
    gate = Gate([], network=upstream.network)
    calls = Calls(gate, Secrets({}), Redaction(), lambda call, denial: None)
    waiting: list[object] = [app, kept[0], calls, calls.opened, gate]
    seen = dict[int, object]()
    names = set[str]()
    while waiting and len(seen) < 100_000:
        thing = waiting.pop()
        if id(thing) in seen or (type(thing).__module__ == "builtins" and callable(thing)):
            continue
        seen[id(thing)] = thing
        for name, part in parts(thing):
            if isinstance(part, Gate | Calls | Transport | PathTree) or name == "_trees":
                names.add(name)
            waiting.append(part)
    assert names == {"_gate", "_transport", "_trees"}
    assert names <= PARTS
