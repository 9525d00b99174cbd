"""Reviews: opened by the guard, decided once by a person, kept in an append-only log."""

from __future__ import annotations

from haia_trace_mcp.reviews.errors import (
    BrokenLogError,
    DecidedError,
    LogBusyError,
    NoteError,
    ReviewLogError,
    UnknownReviewError,
)
from haia_trace_mcp.reviews.fold import Change, Fold, Reservation, Review, Status, TornLine
from haia_trace_mcp.reviews.log import PLACE, ReviewLog
from haia_trace_mcp.reviews.records import RULES, Evidence, Reason, Rule
from haia_trace_mcp.reviews.reviews import SAME_REVIEW_FOR, Reviews, Session, Verification

__all__ = [
    "PLACE",
    "RULES",
    "SAME_REVIEW_FOR",
    "BrokenLogError",
    "Change",
    "DecidedError",
    "Evidence",
    "Fold",
    "LogBusyError",
    "NoteError",
    "Reason",
    "Reservation",
    "Review",
    "ReviewLog",
    "ReviewLogError",
    "Reviews",
    "Rule",
    "Session",
    "Status",
    "TornLine",
    "UnknownReviewError",
    "Verification",
]
