"""The start and end of an ASGI application, for whoever carries one without an ASGI server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp, Message

from mcp_wrapper_scaffold.errors import WrapperError


class LifespanError(WrapperError):
    """Say that an application would not start or end."""


@asynccontextmanager
async def running(app: ASGIApp) -> AsyncGenerator[None]:
    """Start an application, and end it with the context.

    Raises:
        LifespanError: it says that it cannot.
    """
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    outbox: asyncio.Queue[Message] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}

    async def tell(event: str) -> None:
        await inbox.put({"type": f"lifespan.{event}"})
        answer = asyncio.ensure_future(outbox.get())
        await asyncio.wait((answer, life), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            raise LifespanError(f"{event} failed")
        if answer.result()["type"] != f"lifespan.{event}.complete":
            raise LifespanError(answer.result().get("message") or f"{event} failed")

    async def live() -> None:
        await app(scope, inbox.get, outbox.put)

    life = asyncio.create_task(live())
    try:
        await tell("startup")
        yield
        await tell("shutdown")
        await life
    finally:
        life.cancel()
