"""Call a wrapper without a network between: an MCP client in the same process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, Final, Self, cast

from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message

from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.lifespan import running

_NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass(frozen=True)
class Answer:
    """An HTTP response.

    Attributes:
        status: its status.
        headers: its fields, by their lower-case names.
        body: its whole body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the value of a JSON body."""
        return json.loads(self.body)


class CallRefused(WrapperError):
    """Say that a request was answered with a JSON-RPC error, or refused before it was one.

    Attributes:
        code: the error's code; the HTTP status where the answer is no JSON-RPC.
        message: the error's text.
        data: what came with it.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data


class WrapperClient:
    """Speak MCP to an ASGI application, as an async context manager that starts and ends it.

    Args:
        app: what ``create_wrapper_server`` returned.
        token: sent as the bearer token; None sends none.
        version: the MCP revision to speak.
    """

    def __init__(
        self, app: ASGIApp, token: str | None, version: str = LATEST_MODERN_VERSION
    ) -> None:
        self._app = app
        self._token = token
        self._version = version
        self._ids = count(1)
        self._life = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._life.enter_async_context(running(self._app))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._life.aclose()

    async def list_tools(self) -> list[dict[str, Any]]:
        """Return the tools as they are listed.

        Raises:
            CallRefused: the request failed.
        """
        return cast("list[dict[str, Any]]", (await self.request("tools/list"))["tools"])

    async def call_tool(
        self, name: str, arguments: Mapping[str, object] | None = None
    ) -> dict[str, Any]:
        """Return the whole result of a call; one that is an error has ``isError``.

        Raises:
            CallRefused: the call ended as a JSON-RPC error, as it does after a denied fetch.
        """
        return await self.request("tools/call", {"name": name, "arguments": dict(arguments or {})})

    async def request(
        self, method: str, params: Mapping[str, object] | None = None
    ) -> dict[str, Any]:
        """Return the result of any request.

        Raises:
            CallRefused: it failed.
        """
        answer = await self.send(self.message(method, params), method=method, params=params or {})
        try:
            reply = answer.json()
        except ValueError:
            raise CallRefused(answer.status, answer.body.decode("utf-8", "replace")) from None
        if "result" in reply:
            return cast("dict[str, Any]", reply["result"])
        error = reply.get("error", {})
        code = error.get("code")
        if not isinstance(code, int):
            raise CallRefused(answer.status, str(error.get("reason", "")))
        raise CallRefused(code, error.get("message", ""), error.get("data"))

    def message(self, method: str, params: Mapping[str, object] | None = None) -> bytes:
        """Return a request as the client's revision writes it."""
        body: dict[str, object] = dict(params or {})
        if self._version in MODERN_PROTOCOL_VERSIONS:
            own: dict[str, object] = {
                PROTOCOL_VERSION_META_KEY: self._version,
                CLIENT_CAPABILITIES_META_KEY: {},
            }
            body["_meta"] = {**own, **cast("Mapping[str, object]", body.get("_meta", {}))}
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": body}
        return json.dumps(request).encode()

    async def send(
        self, body: bytes, *, method: str, params: Mapping[str, object] | None = None
    ) -> Answer:
        """Return the HTTP response to a message, which is sent with the fields that go with it."""
        fields = {"content-type": "application/json", "mcp-protocol-version": self._version}
        if self._version in MODERN_PROTOCOL_VERSIONS:
            fields["mcp-method"] = method
            named = (params or {}).get(_NAMED_BY.get(method, ""))
            if isinstance(named, str):
                fields["mcp-name"] = named
        if self._token is not None:
            fields["authorization"] = f"Bearer {self._token}"
        return await exchange(self._app, "POST", "/mcp", fields, body)


async def exchange(
    app: ASGIApp,
    method: str,
    path: str,
    fields: Mapping[str, str] | Sequence[tuple[str, str]],
    body: bytes = b"",
) -> Answer:
    """Return an application's response to any HTTP request; without a Host, it is for localhost.

    Raises:
        CallRefused: the application sent no response.
    """
    lines = list(fields.items() if isinstance(fields, Mapping) else fields)
    if not any(name.lower() == "host" for name, _ in lines):
        lines.append(("host", "localhost"))
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in lines]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 80),
    }
    waiting = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Message] = []
    never = asyncio.Event()

    async def receive() -> Message:
        if not waiting:
            await never.wait()
        return waiting.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if not sent:
        raise CallRefused(0, "no response")
    content = b"".join(message.get("body", b"") for message in sent[1:])
    named = {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], named, content)
