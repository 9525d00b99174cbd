"""Calls that still run: what can be cancelled, and who has yet to be answered."""

from __future__ import annotations

from _thread import allocate_lock

from fairwins_mcp.batches import join_replies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from fairwins_mcp.protocol import Work
    from fairwins_mcp.shapes import RequestId

    Progress: TypeAlias = tuple[int, int]


class Errand:
    """One line of the client that has to wait: a request, or a batch of them."""

    def __init__(self, works: list[Work], is_batch: bool) -> None:
        self.works = works
        self._is_batch = is_batch

    def reply(self) -> bytes | None:
        """Return what the finished works answer, as one line; None for nothing."""
        replies = [work.reply for work in self.works if work.reply is not None]
        if self._is_batch:
            return join_replies(replies) if replies else None
        return replies[0] if replies else None


class InFlight:
    """Keep what runs. Errands end in any thread, and each is answered by one of them only."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._works: dict[Work, None] = {}  # in the order in which they came
        self._errands: dict[Errand, None] = {}
        self._is_cut = False

    def begin(self, work: Work) -> None:
        """Let a work be cancelled from now on."""
        with self._lock:
            self._works[work] = None

    def end(self, work: Work, reply: bytes | None) -> None:
        """Take note of how a work ended; after a cut, that stays its reply."""
        with self._lock:
            if work in self._works:
                del self._works[work]
                work.reply = reply

    def cancel(self, request_id: RequestId) -> None:
        """Stop what runs under an id; an unknown one is ignored."""
        with self._lock:
            found = [work for work in self._works if work.id == request_id]
        for work in found:
            work.cancellation.request()

    def open(self, errand: Errand) -> None:
        """Owe an answer. After a cut nothing is begun any more."""
        with self._lock:
            self._errands[errand] = None
            is_cut = self._is_cut
        if is_cut:
            for work in errand.works:
                work.cancellation.request()

    def close(self, errand: Errand) -> bool:
        """Settle an errand; tell whether it is the caller who has to answer it."""
        with self._lock:
            is_owed = errand in self._errands
            self._errands.pop(errand, None)
            return is_owed

    def progress(self) -> Progress:
        """Return what changes whenever a call begins to wait for the API, or ends."""
        with self._lock:
            return len(self._works), sum(work.cancellation.is_armed for work in self._works)

    def cut(self) -> list[bytes]:
        """Stop everything; return what its clients have to be told."""
        with self._lock:
            self._is_cut = True
            errands, self._errands = list(self._errands), {}
            works, self._works = list(self._works), {}
            # Who cancelled a call waits for no answer; and none is made up for what has its own.
            for work in works:
                if not work.cancellation.requested:
                    work.reply = work.cut()
        for work in works:
            work.cancellation.request()
        return [reply for errand in errands if (reply := errand.reply()) is not None]
