"""What can go wrong with the review log."""

from __future__ import annotations

from haia_trace_mcp.errors import HaiaTraceError
from haia_trace_mcp.wording import quoted


class ReviewLogError(HaiaTraceError):
    """Say that the review log cannot be read or written."""


class BrokenLogError(ReviewLogError):
    """Say which line of the review log is not what was written there, counted from one."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"the review log is broken at line {line}: {reason}")
        self.line = line
        self.reason = reason


class LogBusyError(ReviewLogError):
    """Say that another process has kept the review log locked for too long."""


class UnknownReviewError(HaiaTraceError):
    """Say that the review log has no review of this id."""

    def __init__(self, review_id: str) -> None:
        super().__init__(f"no review is called {quoted(review_id)}")
        self.review_id = review_id


class DecidedError(HaiaTraceError):
    """Say that a review was decided before: ``status`` and ``decided_at`` say how and when."""

    def __init__(self, review_id: str, status: str, decided_at: str) -> None:
        super().__init__(
            f"review {review_id} was {status} at {decided_at}; a review is decided once"
        )
        self.review_id = review_id
        self.status = status
        self.decided_at = decided_at


class NoteError(HaiaTraceError):
    """Say that a note cannot be kept."""
