"""The stdio transport: one JSON-RPC message a line, bytes in, bytes out."""

from __future__ import annotations

import time
from _thread import allocate_lock, start_new_thread

from fairwins_mcp.errors import INVALID_REQUEST, FairwinsMcpError, RpcError
from fairwins_mcp.inflight import Errand, InFlight
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
    from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier
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
WATCH_SECONDS = 0.2  # between two looks at whether anyone still reads the answers
DRAIN_SECONDS = 0.05  # between two looks at what still runs after the end of input
GRACE_SECONDS = 0.7  # for calls to end after the last one has begun to wait for the API, or ended
FLUSH_SECONDS = 0.1  # for threads that are about to answer
SEAL_SECONDS = 0.2  # for a line that is being written


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

    def seal(self, seconds: float) -> None:
        """Let nothing be written any more, so that the end of the process cuts no line.

        A line that is not through after so many seconds is one that nobody reads.
        """
        self._lock.acquire(timeout=seconds)

    def is_abandoned(self) -> bool:
        """Tell whether the reader closed its end. Only POSIX systems know that without writing."""
        import select

        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        try:
            poll.register(self._stream.fileno(), 0)
        except ValueError:  # closed here, as the process ends
            return False
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
        self._in_flight = InFlight()
        self._workers: Workers | None = None
        self._carrier: BlockingCarrier | None = None
        self._lock = allocate_lock()  # guards _is_watched
        self._is_watched = False

    def serve(self, source: BinaryIO) -> None:
        """Answer until the input ends and every accepted request has its reply.

        Calls that are slow to end after the end of input are cut off, and answered as such.
        """
        try:
            while line := source.readline(MAX_LINE_BYTES):
                if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                    self._skip_line(source)
                elif line.strip():
                    self._take(line)
            self._drain()
        except WireError:
            return
        finally:
            if self._carrier is not None:
                self._carrier.close()

    def stop(self) -> None:
        """Cut off and answer what runs, and write nothing after that: the process is to end."""
        try:
            self._cut()
        except WireError:
            return
        self._wire.seal(SEAL_SECONDS)

    def _cut(self) -> None:
        for reply in self._in_flight.cut():
            self._wire.send(reply)
        if self._workers is not None:  # some may be about to send
            self._workers.wait(FLUSH_SECONDS)

    def _skip_line(self, source: BinaryIO) -> None:
        self._note(f"dropped a line of more than {MAX_LINE_BYTES} bytes")
        while (rest := source.readline(1 << 20)) and not rest.endswith(b"\n"):
            continue

    def _drain(self) -> None:
        """Wait for running calls as long as they get on, and cut off the rest."""
        seen, end = None, 0.0
        while self._workers is not None and not self._workers.wait(DRAIN_SECONDS):
            progress, now = self._in_flight.progress(), time.monotonic()
            if progress != seen:
                seen, end = progress, now + GRACE_SECONDS
            elif now >= end:
                self._cut()
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
                self._in_flight.begin(work)
            return work
        if isinstance(received, Notification) and received.method == "notifications/cancelled":
            self._cancel(received.params.get("requestId"))
        return None

    def _cancel(self, request_id: object) -> None:
        """Stop a running request. Unknown, finished and malformed ids are ignored."""
        if is_request_id(request_id):
            self._in_flight.cancel(request_id)

    def _answer(self, work: Work) -> None:
        if work.waits:
            self._submit(Errand([work], is_batch=False))
        elif work.reply is not None:
            self._wire.send(work.reply)

    def _submit(self, errand: Errand) -> None:
        self._in_flight.open(errand)
        if self._workers is None or self._carrier is None:  # not every session calls a tool
            from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier
            from fairwins_mcp.workers import Workers

            self._workers, self._carrier = Workers(), BlockingCarrier()
        carrier = self._carrier

        def run() -> None:
            try:
                self._finish(errand, carrier)
            except WireError:
                self._leave(0)

        self._workers.submit(run)
        with self._lock:
            if not self._is_watched:
                try:
                    start_new_thread(self._watch, (self._workers,))
                    self._is_watched = True
                except RuntimeError:  # the system has no thread to spare: the next call tries again
                    return

    def _watch(self, workers: Workers) -> None:
        """End the process when its client vanishes while calls run."""
        while True:
            while not workers.wait(WATCH_SECONDS):
                if self._wire.is_abandoned():
                    self._in_flight.cut()
                    self._leave(0)
                    return
            with self._lock:
                if workers.wait(0):
                    self._is_watched = False
                    return

    def _finish(self, errand: Errand, carrier: BlockingCarrier) -> None:
        """Do what a line asks for, one request after another, and answer it."""
        for work in errand.works:
            self._in_flight.end(work, carrier.run(work.steps()))
        if self._in_flight.close(errand) and (line := errand.reply()) is not None:
            self._wire.send(line)

    def _take_batch(self, items: list[object]) -> None:
        """Serve an array of messages where the negotiated revision has them, else refuse each."""
        revision = self._session.negotiated
        if revision is None or not revision.batches or not items:
            self._refuse_batch(items)
            return
        from fairwins_mcp.batches import open_batch

        works = open_batch(items, self._begin)
        errand = Errand(works, is_batch=True)
        if any(work.waits for work in works):
            self._submit(errand)
        elif (line := errand.reply()) is not None:
            self._wire.send(line)

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
