"""One client connection: bytes in, requests one after another, bytes out.

The event loop calls it; it waits for nothing and never blocks. Requests that were sent ahead are
answered in order, since the next one is read only after the answer to the one before.
"""

from __future__ import annotations

import re

from fairwins_mcp.http.bodies import SizedBody, plan_body
from fairwins_mcp.http.endpoint import Call
from fairwins_mcp.http.faults import HttpFault
from fairwins_mcp.http.heads import parse_head
from fairwins_mcp.http.limits import READ_AHEAD_BYTES
from fairwins_mcp.http.replies import CONTINUE, Reply
from fairwins_mcp.protocol import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol as Interface

    from fairwins_mcp.http.bodies import ChunkedBody
    from fairwins_mcp.http.connections import Connections
    from fairwins_mcp.http.heads import Head

    class Transport(Interface):
        """What a connection needs of the event loop's transport."""

        def write(self, data: bytes, /) -> None:
            """Send soon."""
            ...

        def write_eof(self) -> None:
            """Say that no more will be sent."""
            ...

        def pause_reading(self) -> None:
            """Stop calling ``data_received``."""
            ...

        def resume_reading(self) -> None:
            """Go on calling it."""
            ...

        def close(self) -> None:
            """Close when everything has been sent."""
            ...

        def abort(self) -> None:
            """Close at once."""
            ...


NEVER = float("inf")
_BARE_LINE_END = re.compile(rb"(?<!\r)\n")
_IDLE, _HEAD, _BODY, _CALL, _WRITE, _FLUSH, _LINGER = range(7)  # the last two are the end


class Connection:
    """Serve one client. ``shared`` is what all connections have in common.

    ``deadline`` is when the present state has to be over, and ``since`` when it began.
    """

    _transport: Transport

    def __init__(self, shared: Connections) -> None:
        self._shared = shared
        self._buffer = bytearray()
        self._searched = 0  # bytes of the buffer that hold no end of a head
        self._head: Head | None = None
        self._body: SizedBody | ChunkedBody = SizedBody(0)
        self._call: Call | None = None
        self._is_reading = True
        self._is_writable = True
        self._has_skipped = False  # an empty line came before the request that is being read
        self._is_bodiless = False  # the request that is being read is HEAD
        self._is_last = False  # the answer that is owed, if any, is the last one
        self._state = _HEAD  # a new client has as long as one that has begun a request
        self.since = shared.now()
        self.deadline = self.since + shared.limits.head_seconds

    @property
    def is_evictable(self) -> bool:
        """Tell whether the client, and not the API, is what the connection waits for."""
        return self._call is None

    @property
    def _is_over(self) -> bool:
        return self._state >= _FLUSH

    # What the event loop calls.

    def connection_made(self, transport: Transport) -> None:
        """Start, or say that there is no room."""
        self._transport = transport
        if not self._shared.admit(self):
            self.evict()

    def connection_lost(self, error: Exception | None) -> None:
        """Stop what runs for a client that is gone."""
        self._state = _FLUSH
        self._drop_call()
        self._buffer.clear()
        self._shared.forget(self)

    def eof_received(self) -> bool:
        """Take the end of what a client sends for its end: the two cannot be told apart."""
        self._drop_call()
        return False

    def data_received(self, data: bytes) -> None:
        """Take bytes, and answer the requests that they complete."""
        if self._is_over:
            return  # only to let the client read why it was refused
        self._buffer += data
        if self._call is None and self._is_writable:
            self._advance()
        elif self._is_reading and len(self._buffer) > READ_AHEAD_BYTES:
            self._is_reading = False
            self._transport.pause_reading()

    def pause_writing(self) -> None:
        """Answer nothing more until the client reads what it has asked for."""
        self._is_writable = False
        if not self._is_over:
            self._enter(_WRITE)

    def resume_writing(self) -> None:
        """Go on after the client has read."""
        self._is_writable = True
        if not self._is_over:
            self._go_on()

    # What the server calls.

    def expire(self) -> None:
        """End a state that took too long."""
        if self._state >= _WRITE:
            self._transport.abort()
        elif self._state == _BODY or self._buffer:
            self._refuse(HttpFault(408, "timeout", "the request did not come in time"))
        else:
            self._close()

    def evict(self) -> None:
        """Make room for somebody else, and say so to a client that may wait for an answer.

        In a rush, that is one whose request has come and was not read yet.
        """
        if self._state in (_HEAD, _BODY) and self._shared.see_off(self):
            busy = HttpFault(503, "busy", "every connection is in use", (("Retry-After", "1"),))
            self._refuse(busy)
        else:
            self._state = _FLUSH
            self._transport.abort()

    def stop(self) -> None:
        """Let a running call end, and everything else end now."""
        self._is_last = True
        if self._call is None and not self._is_over:
            self._close()

    def cut(self) -> None:
        """Cancel a running call, and say so to the client."""
        call, head = self._call, self._head
        if call is None or head is None:
            return
        self._drop_call()
        self._send(call.cut(), head)

    def abort(self) -> None:
        """Close without sending anything more."""
        self._transport.abort()

    # The states.

    def _go_on(self) -> None:
        """Answer what has waited, and read again once nothing holds it back."""
        self._advance()
        is_held = self._call is not None or not self._is_writable
        if not self._is_reading and not (is_held and len(self._buffer) > READ_AHEAD_BYTES):
            self._is_reading = True
            self._transport.resume_reading()

    def _enter(self, state: int) -> None:
        """Begin a state, with the time that it may take."""
        limits = self._shared.limits
        seconds = (
            limits.idle_seconds,
            limits.head_seconds,
            limits.body_seconds,
            NEVER,  # the API has a deadline of its own
            limits.write_seconds,
            limits.write_seconds,
            limits.linger_seconds,
        )
        self._state = state
        self.since = self._shared.now()
        self.deadline = self.since + seconds[state]

    def _advance(self) -> None:
        """Read and answer as far as the bytes go."""
        has_answered = False
        try:
            while self._call is None and self._is_writable and not self._is_over:
                if self._head is None and not self._read_head():
                    break
                if not self._body.feed(self._buffer):
                    break
                self._answer()
                has_answered = True
        except HttpFault as fault:
            self._refuse(fault)
        except Exception as error:  # noqa: BLE001 - one request must not end the others
            self._shared.note(f"internal error: {type(error).__name__} at {locate(error)}")
            self._refuse(HttpFault(500, "internal_error", "this server has a fault"))
        if self._is_over or not self._is_writable:
            return
        # Whose head has begun with an empty line is not idle again after it.
        is_begun = self._state == _HEAD and not has_answered
        state = _HEAD if self._buffer or is_begun else _IDLE
        if self._call is not None:
            state = _CALL
        elif self._head is not None:
            state = _BODY
        if has_answered or state != self._state:
            self._enter(state)

    def _read_head(self) -> bool:
        """Read a head and judge it; tell whether there is one."""
        buffer, limits = self._buffer, self._shared.limits
        if buffer.startswith(b"\r\n"):
            if self._has_skipped:
                raise HttpFault(400, "malformed_request", "one empty line may precede a request")
            self._has_skipped = True
            del buffer[:2]
            self._searched = 0
            return self._read_head()
        self._is_bodiless = buffer.startswith(b"HEAD ")
        end = buffer.find(b"\r\n\r\n", max(0, self._searched - 3))
        if end > limits.head_bytes or (end < 0 and len(buffer) > limits.head_bytes):
            reason = f"a head has at most {limits.head_bytes >> 10} KiB"
            raise HttpFault(431, "head_too_large", reason)
        if end < 0:
            if _BARE_LINE_END.search(buffer, self._searched):
                raise HttpFault(400, "malformed_request", "lines of a request end in CR LF")
            self._searched = len(buffer)
            return False
        head = parse_head(bytes(buffer[:end]), limits)
        self._has_skipped = False
        del buffer[: end + 4]
        self._searched = 0
        self._shared.endpoint.admit(head)
        self._body = plan_body(head, limits.body_bytes)
        self._head = head
        if head.is_modern and "expect" in head.fields and self._body.is_expected and not buffer:
            self._transport.write(CONTINUE)
        return True

    def _answer(self) -> None:
        head = self._head
        if head is None:
            return
        outcome = self._shared.endpoint.answer(head, self._body.content)
        if isinstance(outcome, Call):
            self._call = outcome
            self._shared.run(outcome, self._finish)
        else:
            self._send(outcome, head)

    def _finish(self, call: Call, reply: Reply | None) -> None:
        """Send the reply of a call, unless its client is gone."""
        head = self._head
        if call is not self._call or head is None:
            return
        self._call = None
        if reply is None:
            self._close()
            return
        self._send(reply, head)
        self._go_on()

    def _drop_call(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call.cancel()

    def _send(self, reply: Reply, head: Head) -> None:
        """Send the answer to a request, which is over with that."""
        self._head = None
        is_last = self._is_last or not head.keeps_alive
        self._transport.write(reply.render(is_last, self._is_bodiless))
        if is_last:
            self._close()

    def _close(self) -> None:
        self._buffer.clear()
        self._enter(_FLUSH)
        self._transport.close()

    def _refuse(self, fault: HttpFault) -> None:
        """Answer with a fault and end: what else the client sends has no clear beginning.

        What it still sends is read and thrown away for a while. Closed at once, the connection
        would be reset, and the reason lost on its way.
        """
        self._transport.write(Reply.of(fault).render(True, self._is_bodiless))
        self._buffer.clear()
        self._enter(_LINGER)
        try:
            self._transport.write_eof()
        except OSError:  # the client is gone, and the system knows it before the event loop
            self._transport.abort()
