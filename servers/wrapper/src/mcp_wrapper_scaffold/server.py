"""The wrapper as an ASGI application: tools, one token, one allowlist, one gate."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

from mcp.server import Server
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from mcp_wrapper_scaffold.allowlist import AllowEntry, Allowlist, Entry
from mcp_wrapper_scaffold.calls import Call, Calls, ContextFactory
from mcp_wrapper_scaffold.dispatch import Dispatcher
from mcp_wrapper_scaffold.errors import GatedFetchDenied, WrapperError
from mcp_wrapper_scaffold.gate import Gate
from mcp_wrapper_scaffold.gate.transport import Network
from mcp_wrapper_scaffold.http.admission import Admission
from mcp_wrapper_scaffold.http.application import build_application
from mcp_wrapper_scaffold.http.endpoint import Endpoint
from mcp_wrapper_scaffold.limits import Limits
from mcp_wrapper_scaffold.metrics.points import Meter, MetricsPage, MetricsSink
from mcp_wrapper_scaffold.redaction import Redaction
from mcp_wrapper_scaffold.secret_cache import CachedSecret, Freshness, Secrets
from mcp_wrapper_scaffold.secret_sources import SecretSource
from mcp_wrapper_scaffold.tokens import MAX_SOURCES, find_token_fault
from mcp_wrapper_scaffold.tooldefs import ToolDef
from mcp_wrapper_scaffold.toolserver import ToolServer

_LIMITS: Final = Limits()
_FRESHNESS: Final = Freshness()

Bind: TypeAlias = Callable[[ContextFactory], Server[Any]]


class SetupError(WrapperError):
    """Say which arguments of ``create_wrapper_server`` do not go together."""


class WrapperServer:
    """A wrapper, as an ASGI application to be served by uvicorn or any other server.

    Attributes:
        name: what it is called.
        allowlist: every request that it can send.
        allowed_hosts: the names by which it may be called, beside those of loopback.
    """

    def __init__(
        self,
        app: Starlette,
        name: str,
        allowlist: Sequence[AllowEntry],
        allowed_hosts: Sequence[str],
        cut_off: Callable[[], None],
    ) -> None:
        self.name: Final = name
        self.allowlist: Final = tuple(allowlist)
        self.allowed_hosts: Final = tuple(allowed_hosts)
        self._app = app
        self._cut_off = cut_off

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or follow the server's start and end."""
        await self._app(scope, receive, send)

    def cut_off(self) -> None:
        """Cancel every call that is under way; its caller is told to come back."""
        self._cut_off()

    def __repr__(self) -> str:
        return f"<WrapperServer {self.name}: {len(self.allowlist)} entries>"


def create_wrapper_server(
    *,
    agent_token: SecretSource | Sequence[SecretSource],
    allowlist: Iterable[Entry],
    tools: Sequence[ToolDef] | None = None,
    bind: Bind | None = None,
    name: str = "mcp-wrapper",
    version: str = "0",
    title: str | None = None,
    instructions: str | None = None,
    secrets: Mapping[str, SecretSource] | None = None,
    metrics: MetricsSink | Sequence[MetricsSink] = (),
    public_only: bool = False,
    allowed_hosts: Iterable[str] = (),
    allowed_origins: Iterable[str] = (),
    limits: Limits = _LIMITS,
    freshness: Freshness = _FRESHNESS,
    ssl_context: ssl.SSLContext | None = None,
    network: Network | None = None,
) -> WrapperServer:
    """Return a wrapper: an ASGI application that serves tools at ``/mcp`` to whoever has the token.

    It reaches the network through its allowlist alone, and hands that way to each call of a
    handler as ``ctx.fetch``; it cannot be had anywhere else.

    Args:
        agent_token: where the token of callers is; two sources while it is being replaced.
        allowlist: the requests that may be sent: ``AllowEntry``, or generated entries.
        tools: hand-written tools; ``name``, ``version``, ``title``, ``instructions`` go with them.
        bind: instead of them, typed handlers of a contract. It is given what opens a context, and
            returns a server of the SDK:
            ``bind=lambda context: stubs.bind(Handlers(), context=context)``.
        name: what the server is called.
        version: its version.
        title: its name for people.
        instructions: what a model is told about it.
        secrets: what handlers may ask for with ``ctx.secret(name)``.
        metrics: take one data point for each call. One that can be rendered is served at
            ``/metrics``, to whoever has the token.
        public_only: refuse names with an address that is not public, at each connection.
        allowed_hosts: names by which the server is called, beside loopback; ``*`` for any.
        allowed_origins: origins of pages that may call it, beside loopback.
        limits: bounds of sizes, times and calls at once.
        freshness: how long secrets are kept that were read.
        ssl_context: which authorities upstreams may be certified by, and the wrapper's own
            certificate if they want one; the system's authorities where it is left out.
        network: opens connections to upstreams: the seam of tests.

    Raises:
        SetupError: arguments do not go together.
        DeclarationError: an entry of the allowlist is refused.
        ToolDeclarationError: two tools have one name.
        AdmissionError: an allowed host or origin is none.
    """
    if (tools is None) == (bind is None):
        raise SetupError("a wrapper has either tools or bind")
    entries, hosts = Allowlist(allowlist), tuple(allowed_hosts)
    gate = Gate(
        entries,
        public_only=public_only,
        timeout=limits.fetch_seconds,
        max_response_bytes=limits.response_bytes,
        max_connections=limits.concurrent_calls,
        ssl_context=ssl_context,
        network=network,
    )
    redaction = Redaction()

    def cached(source: SecretSource) -> CachedSecret:
        return CachedSecret(source, redaction, freshness)

    def cached_token(source: SecretSource) -> CachedSecret:
        return CachedSecret(source, redaction, freshness, find_fault=find_token_fault)

    sinks = metrics if isinstance(metrics, Sequence) else (metrics,)

    def count(call: Call, denial: GatedFetchDenied) -> None:
        meter.denial(call.tool, denial.code, denial.origin)

    handed_out = Secrets({key: cached(source) for key, source in _named(secrets or {})})
    calls = Calls(gate, handed_out, redaction, count)
    if bind is not None:
        server = bind(calls.opened)
    else:
        tool_server = ToolServer(tools or (), calls, limits.answer_bytes)
        server = tool_server.server(name, version, title, instructions)
    meter = Meter(sinks, _known(server), entries.origins)
    dispatcher = Dispatcher(server, meter, redaction)
    endpoint = Endpoint(dispatcher, limits)
    app = build_application(
        endpoint,
        next((sink for sink in sinks if isinstance(sink, MetricsPage)), None),
        Admission(hosts, allowed_origins),
        [cached_token(source) for source in _sources(agent_token)],
        _lifespan(server, dispatcher, gate),
    )
    return WrapperServer(app, server.name, entries.entries, hosts, endpoint.cut_off)


def _sources(given: SecretSource | Sequence[SecretSource]) -> list[SecretSource]:
    sources = list(given) if isinstance(given, Sequence) else [given]
    is_usable = all(map(_is_source, sources))
    if not (is_usable and 0 < len(sources) <= MAX_SOURCES):
        raise SetupError(
            "agent_token is a secret source, or two of them while the token is being replaced"
        )
    return sources


def _is_source(value: object) -> bool:
    return isinstance(value, SecretSource)


def _named(secrets: Mapping[str, SecretSource]) -> Iterator[tuple[str, SecretSource]]:
    for name, source in secrets.items():
        if not _is_source(source):
            # It may be the secret itself, and is not quoted.
            raise SetupError(f"secrets: {name} is no secret source")
        yield name, source


def _known(server: Server[Any]) -> Callable[[str], bool]:
    """Return what tells the names of a server's tools."""
    lookup = server.get_tool_input_schema
    if lookup is None:
        raise SetupError("the bound server has no get_tool_input_schema")
    return lambda name: lookup(name) is not None


def _lifespan(
    server: Server[Any], dispatcher: Dispatcher, gate: Gate
) -> Callable[[Starlette], Any]:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        try:
            async with server.lifespan(server) as state:
                dispatcher.lifespan_state = state
                yield
        finally:
            await gate.aclose()

    return lifespan
