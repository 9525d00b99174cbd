"""A finished wrapper in the process of a test, and the upstream behind its gate."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from loopback_upstream import Answer, LoopbackUpstream, Request, network_to, running

from mcp_wrapper_scaffold import CallableSecret, WrapperServer
from mcp_wrapper_scaffold.testing import WrapperClient

ROOT = Path(__file__).parents[2]
TOKEN = "sesame-open-0123456789"
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
# What a result has by itself; the rest is the answer, spread for older clients.
ENVELOPE = frozenset({"_meta", "content", "isError", "resultType", "structuredContent"})

Call = Callable[..., Awaitable[dict[str, Any]]]


@dataclass
class WrapperRoom:
    """A wrapper and its upstream.

    Attributes:
        create: the wrapper's ``create_server``.
        secrets: values by names.
        upstream: what it reaches; None where nobody listens.
        options: more for ``create``.
        trusts: whether it trusts the upstream's authority.
    """

    create: Callable[..., WrapperServer]
    secrets: dict[str, str]
    upstream: LoopbackUpstream | None
    options: Mapping[str, Any]
    trusts: bool = True

    def app(self) -> WrapperServer:
        """Return the wrapper as an application."""
        sources = {
            name: CallableSecret(lambda name=name: self.secrets.get(name), name)  # type: ignore[misc] # bound now
            for name in self.secrets
        }
        return self.create(
            agent_token=CallableSecret(lambda: TOKEN, "the token"),
            secrets=sources,
            network=network_to(self.upstream, trusts=self.trusts),
            **self.options,
        )

    def run(
        self, work: Callable[[WrapperClient], Awaitable[Any]], version: str = REVISIONS[-1]
    ) -> Any:
        """Return what comes of work with a client of a fresh wrapper."""

        async def bounded() -> Any:
            with anyio.fail_after(120):
                async with WrapperClient(self.app(), TOKEN, version) as client:
                    return await work(client)

        return anyio.run(bounded)

    def call(self, tool: str, arguments: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Return the result of one call."""

        async def work(client: WrapperClient) -> Any:
            return await client.call_tool(tool, arguments)

        result: dict[str, Any] = self.run(work)
        return result

    def answer(self, tool: str, arguments: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Return the structured content of a call that is no error."""
        result = self.call(tool, arguments)
        assert result["isError"] is False, result
        value: dict[str, Any] = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == value
        assert {name: result[name] for name in result.keys() - ENVELOPE} == value
        return value

    def failure(
        self, tool: str, arguments: Mapping[str, object] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Return text and structured content of a call that is an error the model is told of."""
        result = self.call(tool, arguments)
        assert result["isError"] is True, result
        assert result.keys() <= ENVELOPE
        [item] = result["content"]
        text: str = item["text"]
        return text, result.get("structuredContent", {})

    @property
    def requests(self) -> list[Request]:
        """Return what the upstream was asked."""
        return [] if self.upstream is None else self.upstream.requests


@contextmanager
def opened(
    create: Callable[..., WrapperServer],
    secrets: dict[str, str],
    hosts: Sequence[str],
    upstream: Callable[[Request], Answer],
    **options: Any,
) -> Iterator[WrapperRoom]:
    """Provide a wrapper whose upstream answers while the context is open."""
    with running(hosts, upstream) as server:
        yield WrapperRoom(create, secrets, server, options)


@asynccontextmanager
async def listening(app: WrapperServer) -> AsyncIterator[str]:
    """Serve a wrapper on a port of loopback, and provide the address of its endpoint."""
    config = uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = asyncio.create_task(server.serve([listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            await task


def read_cases(server: str) -> dict[str, Any]:
    """Return the contract's cases of a server by tool."""
    folder = ROOT / "contract" / "cases" / server
    return {path.stem: json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))}


def read_contract(server: str) -> dict[str, Any]:
    """Return a server's part of the contract."""
    contract = json.loads((ROOT / "contract" / "contract.json").read_bytes())
    part: dict[str, Any] = contract["servers"][server]
    return part
