"""One connection to the Member API on an event loop, which calls it when something has come."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, cast

from fairwins_mcp.upstream.dialogue import (
    MAX_BODY_BYTES,
    BrokenAnswerError,
    Dialogue,
    DryError,
    StaleLinkError,
)
from fairwins_mcp.upstream.inbox import Inbox

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeAlias

    from fairwins_mcp.answers import RawAnswer
    from fairwins_mcp.settings import BaseUrl
    from fairwins_mcp.upstream.exchange import Exchange

    Outcome: TypeAlias = RawAnswer | Exception
    Settle: TypeAlias = Callable[[Outcome], None]

    class Owner(Protocol):
        """Who knows which connections there are."""

        def admit(self, link: LoopLink) -> None:
            """Count a connection in."""
            ...

        def forget(self, link: LoopLink) -> None:
            """Count a connection out that is over."""
            ...


MAX_LINE_BYTES = 65536  # http.client refuses a head with more than that in one line
# Only where this flag exists, a socket that a loop reads from can be looked at besides. Elsewhere
# connections are not kept, since what came on them meanwhile would be taken for an answer.
_AT_ONCE = int(getattr(socket, "MSG_DONTWAIT", 0))
_LOOK = _AT_ONCE | int(socket.MSG_PEEK)


class LoopLink(asyncio.Protocol):
    """One connection to the API, for one exchange at a time. Its ``owner`` keeps account of it."""

    _transport: asyncio.Transport

    def __init__(self, sock: socket.socket, base: BaseUrl, owner: Owner) -> None:
        self.base = base
        self._sock = sock
        self._owner = owner
        self._inbox = Inbox()
        self._dialogue = Dialogue(base, self._send, self._inbox)
        self._settle: Settle | None = None
        self._is_lost = False

    @property
    def is_reusable(self) -> bool:
        """Tell after an exchange whether another one may follow."""
        return self._dialogue.is_reusable and self._inbox.is_read and bool(_AT_ONCE)

    def converse(self, exchange: Exchange, settle: Settle) -> None:
        """Send one request. What comes of it, an answer or an error, is handed on later."""
        self._settle = settle
        self._inbox.empty()
        try:
            self._dialogue.ask(exchange)
        except Exception as error:  # noqa: BLE001 - who waits for an answer has to know
            asyncio.get_running_loop().call_soon(self._finish, error)

    def is_quiet(self) -> bool:
        """Tell whether the other end has neither closed nor said what nobody asked for."""
        if self._is_lost or not self._inbox.is_read:
            return False
        try:
            self._sock.recv(1, _LOOK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def close(self) -> None:
        """Hang up. Whoever waits for an answer is not told."""
        self._settle = None
        self._transport.abort()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)
        self._owner.admit(self)

    def data_received(self, data: bytes) -> None:
        """Read on as far as it goes."""
        self._inbox.add(data)
        if self._settle is None:  # nobody asked for it
            self.close()
        elif self._dialogue.is_begun or b"\n" in data or len(self._inbox) > MAX_LINE_BYTES:
            self._read()

    def eof_received(self) -> bool:
        """Take the end for that of an answer, where it may end so."""
        self._end(None)
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits for an answer."""
        self._is_lost = True
        self._end(exc)
        self._owner.forget(self)

    def pause_writing(self) -> None:
        """Go on: a request is never large."""

    def resume_writing(self) -> None:
        """Go on."""

    def _send(self, data: bytes) -> None:
        if self._is_lost:
            raise StaleLinkError
        self._transport.write(data)

    def _read(self) -> None:
        try:
            answer = self._dialogue.hear()
        except DryError:
            self._inbox.go_back()
            if not self._dialogue.is_begun and len(self._inbox) > MAX_BODY_BYTES:
                self._finish(BrokenAnswerError("the API's answer does not begin"))
        except Exception as error:  # noqa: BLE001 - likewise
            self._finish(error)
        else:
            self._finish(answer)

    def _end(self, error: Exception | None) -> None:
        if self._settle is None:
            return
        if not self._dialogue.is_begun and not len(self._inbox):
            self._finish(StaleLinkError())
        elif error is not None:
            self._finish(error)
        else:
            self._inbox.is_ended = True
            self._read()

    def _finish(self, outcome: RawAnswer | Exception) -> None:
        settle, self._settle = self._settle, None
        if settle is not None:
            settle(outcome)
