"""The stdio transport: one JSON-RPC message a line, bytes in, bytes out."""

from __future__ import annotations

from _thread import allocate_lock

from fairwins_mcp.errors import INVALID_REQUEST, FairwinsMcpError, RpcError
from fairwins_mcp.jsonrpc import MessageError, Notification, Request, classify, decode, encode_error
from fairwins_mcp.protocol import Session
from fairwins_mcp.values import is_array, is_object, is_request_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO
    from typing import Protocol as Interface

    from fairwins_mcp.caller import Caller
    from fairwins_mcp.protocol import Protocol, Work
    from fairwins_mcp.shapes import RequestId
    from fairwins_mcp.workers import Workers

    class Output(Interface):
        """What the transport needs of an unbuffered, blocking binary stream."""

        def write(self, data: memoryview, /) -> int:
            """Write what fits; return how much that was."""
            ...

        def fileno(self) -> int:
            """Return the descriptor."""
            ...


MAX_LINE_BYTES = 32 << 20
DRAIN_STEP = 0.2  # seconds between two looks at whether anyone still reads the answers


class WireError(FairwinsMcpError):
    """Say that nobody reads the output any more."""


class Wire:
    """Write whole lines, one at a time, from any thread."""

    def __init__(self, stream: Output) -> None:
        self._stream = stream
        self._lock = allocate_lock()

    def send(self, message: bytes) -> None:
        """Write one message and its newline.

        Raises:
            WireError: the other end is closed.
        """
        left = memoryview(message + b"\n")
        with self._lock:
            try:
                while left:
                    left = left[self._stream.write(left) :]
            except OSError as error:
                raise WireError from error

    def is_abandoned(self) -> bool:
        """Tell whether the reader closed its end. Only POSIX systems know that without writing."""
        import select

        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._stream.fileno(), 0)
        return bool(poll.poll(0))  # with no event asked for, only errors and hang-ups are left


class Connection:
    """Serve one client over a pair of streams.

    Requests that need no waiting are answered in the order in which they came; the others run in
    threads, so that a ping gets through meanwhile. ``leave`` ends the process from a thread whose
    client is gone, while the loop is blocked in a read that nothing can interrupt.
    """

    def __init__(
        self,
        protocol: Protocol,
        caller: Caller,
        output: Output,
        note: Callable[[str], None],
        leave: Callable[[int], object],
    ) -> None:
        self._protocol = protocol
        self._caller = caller
        self._wire = Wire(output)
        self._note = note
        self._leave = leave
        self._session = Session()
        self._running: dict[RequestId, Work] = {}
        self._lock = allocate_lock()  # guards _running: calls end in other threads
        self._workers: Workers | None = None

    def serve(self, source: BinaryIO) -> None:
        """Answer until the input ends and every accepted request has its reply."""
        try:
            while line := source.readline(MAX_LINE_BYTES):
                if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                    self._skip_line(source)
                elif line.strip():
                    self._take(line)
            self._drain()
        except WireError:
            return

    def _skip_line(self, source: BinaryIO) -> None:
        self._note(f"dropped a line of more than {MAX_LINE_BYTES} bytes")
        while (rest := source.readline(1 << 20)) and not rest.endswith(b"\n"):
            continue

    def _drain(self) -> None:
        """Wait for running calls. Each has its time limit; a vanished client ends the wait."""
        while self._workers is not None and not self._workers.wait(DRAIN_STEP):
            if self._wire.is_abandoned():
                return

    def _take(self, line: bytes) -> None:
        try:
            message = decode(line)
            if is_array(message):
                self._take_batch(message)
                return
            work = self._begin(message)
        except MessageError as refusal:
            self._refuse(refusal, len(line))
            return
        if work is not None:
            self._answer(work)

    def _begin(self, message: object) -> Work | None:
        """Start on a message; None when there is nothing to answer."""
        received = classify(message)
        if isinstance(received, Request):
            work = self._protocol.begin(received, self._session, self._caller)
            if work.waits:
                with self._lock:
                    self._running[work.id] = work
            return work
        if isinstance(received, Notification) and received.method == "notifications/cancelled":
            self._cancel(received.params.get("requestId"))
        return None

    def _cancel(self, request_id: object) -> None:
        """Stop a running request. Unknown, finished and malformed ids are ignored."""
        if is_request_id(request_id):
            with self._lock:
                work = self._running.pop(request_id, None)
            if work is not None:
                work.cancellation.request()

    def _answer(self, work: Work) -> None:
        if work.waits:
            self._submit(lambda: self._finish(work))
        elif work.reply is not None:
            self._wire.send(work.reply)

    def _submit(self, job: Callable[[], None]) -> None:
        def run() -> None:
            try:
                job()
            except WireError:
                self._leave(0)

        if self._workers is None:
            from fairwins_mcp.workers import Workers

            self._workers = Workers()
        self._workers.submit(run)

    def _finish(self, work: Work) -> None:
        reply = self._run(work)
        if reply is not None:
            self._wire.send(reply)

    def _run(self, work: Work) -> bytes | None:
        reply = work.run()
        with self._lock:
            if self._running.get(work.id) is work:
                del self._running[work.id]
        return reply

    def _take_batch(self, items: list[object]) -> None:
        """Serve an array of messages where the negotiated revision has them, else refuse each."""
        revision = self._session.negotiated
        if revision is None or not revision.batches or not items:
            self._refuse_batch(items)
            return
        from fairwins_mcp.batches import open_batch

        works = open_batch(items, self._begin)
        if any(work.waits for work in works):
            self._submit(lambda: self._finish_batch(works))
        else:
            self._finish_batch(works)

    def _finish_batch(self, works: list[Work]) -> None:
        """Answer a batch with one array, its calls one after another."""
        from fairwins_mcp.batches import join_replies

        replies = [reply for work in works if (reply := self._run(work)) is not None]
        if replies:
            self._wire.send(join_replies(replies))

    def _refuse_batch(self, items: list[object]) -> None:
        """Answer every request of a refused array by itself: its sender waits for each of them."""
        error = RpcError(INVALID_REQUEST, "Invalid request: batches are not part of this revision")
        answered = 0
        for item in items:
            request_id: object = item.get("id") if is_object(item) and "method" in item else None
            if is_request_id(request_id):
                self._wire.send(encode_error(request_id, error))
                answered += 1
        if not answered:
            self._note("dropped a batch without a readable id")

    def _refuse(self, refusal: MessageError, size: int) -> None:
        """Answer what is no message when its id is readable, else say so to the operator."""
        if refusal.request_id is None:
            self._note(f"dropped a line of {size} bytes: {refusal.error.message}")
        else:
            self._wire.send(encode_error(refusal.request_id, refusal.error))
