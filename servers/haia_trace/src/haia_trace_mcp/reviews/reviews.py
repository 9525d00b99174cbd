"""Open reviews, and let a person list, look at and decide them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from haia_trace_mcp.clock import Clock, system_clock, time_text
from haia_trace_mcp.reviews.errors import BrokenLogError, DecidedError, NoteError
from haia_trace_mcp.reviews.fold import Change, Fold, Review, Status, TornLine
from haia_trace_mcp.reviews.log import Appender, Followed, ReviewLog
from haia_trace_mcp.reviews.records import Decided, Opened, Reason, Reserved, Verdict
from haia_trace_mcp.root import TraceRoot

SAME_REVIEW_FOR: Final = 600_000
"""Milliseconds for which the same question gets the same pending review."""

NOTE_LIMIT: Final = 4000


@dataclass(frozen=True, slots=True)
class Verification:
    """What a look through the whole log found.

    ``unlinked`` is how many lines from the start carry no hash of their own (the first hash behind
    them covers them all). ``unfinished`` counts the bytes at the end that no line feed follows: a
    line that is being written right now, or one that a crash cut off. ``repeated`` are lines that
    decide what had been decided, which nothing of this distribution writes. ``head`` is the hash
    that the next line would carry; noted elsewhere, it shows later that no line was taken away.
    """

    lines: int
    reviews: int
    unlinked: int
    torn: tuple[TornLine, ...]
    unfinished: int
    repeated: tuple[int, ...]
    problem: BrokenLogError | None
    head: str

    @property
    def first_broken(self) -> int | None:
        """Return the number of the first line that is not as it was written, if there is one."""
        lines = [*self.repeated, *([self.problem.line] if self.problem else [])]
        return min(lines, default=None)


class Reviews:
    """The reviews of one Trace root."""

    def __init__(
        self,
        log: ReviewLog,
        *,
        clock: Clock = system_clock,
        new_id: Callable[[], str] = lambda: str(uuid4()),
    ) -> None:
        self._log = log
        self._clock = clock
        self._new_id = new_id

    @classmethod
    def below(cls, root: TraceRoot) -> Reviews:
        """Return the reviews of a Trace root."""
        return cls(ReviewLog(root))

    def list_reviews(self, status: Status | None = None) -> list[Review]:
        """Return the reviews of a status, or all, in the order in which they were opened.

        Raises:
            ReviewLogError: the log cannot be read.
        """
        with self._log.reading() as fold:
            return [each for each in fold.reviews.values() if status in (None, each.status)]

    def show(self, review_id: str) -> Review:
        """Return one review.

        Raises:
            UnknownReviewError: there is none of this id.
            ReviewLogError: the log cannot be read.
        """
        with self._log.reading() as fold:
            return fold.review(review_id)

    def approve(self, review_id: str, note: str = "") -> Review:
        """Approve a review for good; raises like ``reject``."""
        return self._decide(review_id, "approved", note)

    def reject(self, review_id: str, note: str = "") -> Review:
        """Reject a review for good.

        Raises:
            UnknownReviewError: there is none of this id.
            DecidedError: it was decided before, by whomever.
            NoteError: the note is too long.
            ReviewLogError: the log cannot be read or written.
        """
        return self._decide(review_id, "rejected", note)

    def verify(self) -> Verification:
        """Look through the whole log from its start, and tell what is wrong with it.

        Raises:
            ReviewLogError: it cannot be read at all.
        """
        followed, problem = Followed(), None
        try:
            followed.take(self._log.content())
        except BrokenLogError as error:
            problem = error
        fold = followed.fold
        return Verification(
            lines=fold.lines,
            reviews=len(fold.reviews),
            unlinked=fold.unlinked,
            torn=tuple(fold.torn),
            unfinished=len(followed.tail),
            repeated=tuple(fold.repeated),
            problem=problem,
            head=fold.previous(),
        )

    def watch(self, pause: Callable[[], bool]) -> Iterator[Change]:
        """Yield each step of a review that is logged from now on.

        ``pause`` is called between two looks at the log, and waits; when it returns false, the
        watch ends. A log that was replaced is followed from what it holds then.

        Raises:
            ReviewLogError: the log cannot be read.
        """
        with self._log.reading() as fold:
            known, seen = fold, len(fold.changes)
        while pause():
            with self._log.reading() as fold:
                if fold is not known:
                    seen = min(seen, len(fold.changes))
                known, changes = fold, fold.changes[seen:]
            seen += len(changes)
            yield from changes

    @contextmanager
    def session(self) -> Generator[Session]:
        """Keep the log locked from a look at it to what is appended.

        Raises:
            ReviewLogError: the log cannot be read or written.
        """
        with self._log.writing() as appender:
            yield Session(appender, self._clock, self._new_id)

    def _decide(self, review_id: str, status: Verdict, note: str) -> Review:
        note = note.encode("utf-8", "surrogatepass").decode("utf-8", "replace").strip()
        if len(note) > NOTE_LIMIT:
            raise NoteError(f"the note has {len(note)} characters, more than {NOTE_LIMIT}")
        self.show(review_id)  # before anything is made for an id that is not there
        with self._log.writing() as appender:
            review = appender.fold.review(review_id)
            if review.decided_at is not None:
                raise DecidedError(review_id, review.status, review.decided_at)
            at = time_text(self._clock())
            appender.append(Decided(review_id, status, at, note or None))
            return appender.fold.review(review_id)


class Session:
    """The log while it is locked."""

    def __init__(self, appender: Appender, clock: Clock, new_id: Callable[[], str]) -> None:
        self._appender = appender
        self._clock = clock
        self._new_id = new_id

    @property
    def fold(self) -> Fold:
        """Return what the log holds."""
        return self._appender.fold

    def open(
        self,
        counterparty: str,
        amount: str,
        asset: str,
        template: str,
        reasons: Sequence[Reason],
    ) -> Review:
        """Return the pending review about a payment, if it is fresh, or open one.

        One whose time is in the future counts as fresh: the clock went back since.
        """
        now = self._clock()
        found = self.fold.pending(counterparty, amount, asset)
        if found is not None and now - found.created <= SAME_REVIEW_FOR:
            return found
        review_id = self._new_id()
        self._appender.append(
            Opened(
                review_id=review_id,
                created_at=time_text(now),
                counterparty=counterparty,
                amount=amount,
                asset=asset,
                template=template,
                reasons=tuple(reasons),
            )
        )
        return self.fold.review(review_id)

    def reserve(self, counterparty: str, amount: str, asset: str, seconds: int) -> None:
        """Let an amount count as spent for some seconds."""
        at = time_text(self._clock())
        self._appender.append(Reserved(at, counterparty, amount, asset, seconds))
