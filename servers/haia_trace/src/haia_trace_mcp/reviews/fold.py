"""The state of all reviews: the fold of the log's lines, checked link by link."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from haia_trace_mcp.index import moment_of
from haia_trace_mcp.money import AmountError, shortest
from haia_trace_mcp.reviews.errors import BrokenLogError, UnknownReviewError
from haia_trace_mcp.reviews.records import (
    Decided,
    Opened,
    Reason,
    Record,
    RecordError,
    decode,
)

TORN: Final = b"#torn"
"""Ends a line that a crash cut off, so that it is no JSON whatever it holds."""

LINE_LIMIT: Final = 4 << 20
_RESERVATIONS_LOOKED_THROUGH: Final = 10_000

Status: TypeAlias = Literal["approved", "pending", "rejected"]
Key: TypeAlias = "tuple[str, str, str]"


@dataclass(frozen=True, slots=True)
class Review:
    """A review as it stands; ``created`` counts milliseconds since 1970."""

    review_id: str
    status: Status
    created_at: str
    created: int
    counterparty: str
    amount: str
    asset: str
    template: str | None
    reasons: tuple[Reason, ...]
    decided_at: str | None = None
    note: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the review as ``get_review_status`` shows it."""
        found: dict[str, object] = {
            "review_id": self.review_id,
            "status": self.status,
            "created_at": self.created_at,
        }
        if self.decided_at is not None:
            found["decided_at"] = self.decided_at
        if self.note:
            found["note"] = self.note
        found |= {"counterparty": self.counterparty, "amount": self.amount, "asset": self.asset}
        if self.template is not None:
            found["template"] = self.template
        return found | {"reasons": [reason.to_json() for reason in self.reasons]}


@dataclass(frozen=True, slots=True)
class Reservation:
    """An amount in display units that was allowed or approved at a time, in milliseconds.

    ``seconds`` says how long it counts; None where that is up to whoever counts.
    """

    counterparty: str
    amount: str
    asset: str
    at: int
    seconds: int | None


@dataclass(frozen=True, slots=True)
class TornLine:
    """A line that a crash cut off, and how many of its bytes are there. It counts for nothing.

    ``is_record`` says that nothing but its end is missing. A crash can leave that, and so can
    somebody who marks a line to undo it.
    """

    line: int
    size: int
    is_record: bool


@dataclass(frozen=True, slots=True)
class Change:
    """One step of a review, as it stood then."""

    line: int
    review: Review


class Fold:
    """What the lines so far mean. The lines that do not belong make it fail, by their number."""

    def __init__(self) -> None:
        self.lines = 0
        self.unlinked = 0
        """How many lines from the start carry no hash."""
        self.reviews: dict[str, Review] = {}
        self.changes: list[Change] = []
        self.torn: list[TornLine] = []
        self.repeated: list[int] = []
        """Lines that decide what had been decided. They change nothing."""
        self.reservations: list[Reservation] = []
        self._latest: dict[Key, str] = {}
        self._since = sha256()
        """Over the bytes since the last line with a hash began."""
        self._is_linked = False

    def previous(self) -> str:
        """Return the hash that the next line has to carry."""
        return self._since.hexdigest()

    def take(self, line: bytes) -> None:
        """Take in the next line, which had a line feed.

        Raises:
            BrokenLogError: it does not belong there. The fold is of no use any more.
        """
        number = self.lines + 1
        if line.endswith(TORN):
            left = line.removesuffix(TORN)
            self.torn.append(TornLine(number, len(left), _is_record(left)))
            self._advance(line)
            return
        if len(line) > LINE_LIMIT:
            raise BrokenLogError(number, f"is longer than {LINE_LIMIT} bytes")
        try:
            record = decode(line)
        except RecordError as error:
            raise BrokenLogError(number, str(error)) from error
        self._check_link(record, number)
        self._enter(record, number)
        if self._is_linked:
            self._since = sha256()
        else:
            self.unlinked = number
        self._advance(line)

    def review(self, review_id: str) -> Review:
        """Return a review by its id.

        Raises:
            UnknownReviewError: there is none.
        """
        found = self.reviews.get(review_id)
        if found is None:
            raise UnknownReviewError(review_id)
        return found

    def pending(self, counterparty: str, amount: str, asset: str) -> Review | None:
        """Return the last review about a payment, if nobody has decided it yet."""
        review_id = self._latest.get(_key(counterparty, amount, asset))
        review = None if review_id is None else self.reviews[review_id]
        return review if review is not None and review.status == "pending" else None

    def _advance(self, line: bytes) -> None:
        self._since.update(line + b"\n")
        self.lines += 1

    def _check_link(self, record: Record, number: int) -> None:
        if record.previous is None:
            if self._is_linked:
                raise BrokenLogError(number, "carries no hash, and lines before it do")
            return
        if record.previous != self.previous():
            raise BrokenLogError(number, "does not carry the hash of what stands before it")
        self._is_linked = True

    def _enter(self, record: Record, number: int) -> None:
        if isinstance(record, Opened):
            self._open(record, number)
        elif isinstance(record, Decided):
            self._decide(record, number)
        else:
            at = _moment(record.reserved_at, number)
            self._reserve(
                Reservation(record.counterparty, record.amount, record.asset, at, record.seconds)
            )

    def _open(self, record: Opened, number: int) -> None:
        if record.review_id in self.reviews:
            raise BrokenLogError(number, "opens a review that was opened before")
        review = Review(
            review_id=record.review_id,
            status="pending",
            created_at=record.created_at,
            created=_moment(record.created_at, number),
            counterparty=record.counterparty,
            amount=record.amount,
            asset=record.asset,
            template=record.template,
            reasons=record.reasons,
        )
        self._latest[_key(review.counterparty, review.amount, review.asset)] = review.review_id
        self._change(review, number)

    def _decide(self, record: Decided, number: int) -> None:
        review = self.reviews.get(record.review_id)
        if review is None:
            raise BrokenLogError(number, "decides a review that was not opened")
        if review.status != "pending":
            self.repeated.append(number)
            return
        at = _moment(record.decided_at, number)
        decided = replace(
            review, status=record.status, decided_at=record.decided_at, note=record.note or None
        )
        self._change(decided, number)
        if decided.status == "approved":
            self._reserve(
                Reservation(decided.counterparty, decided.amount, decided.asset, at, None)
            )

    def _change(self, review: Review, number: int) -> None:
        self.reviews[review.review_id] = review
        self.changes.append(Change(number, review))

    def _reserve(self, reservation: Reservation) -> None:
        self.reservations.append(reservation)
        if len(self.reservations) % _RESERVATIONS_LOOKED_THROUGH == 0:
            # None of them lasts for more than an hour.
            since = reservation.at - 2 * 3_600_000
            self.reservations = [each for each in self.reservations if each.at >= since]


def _is_record(line: bytes) -> bool:
    try:
        decode(line)
    except RecordError:
        return False
    return True


def _moment(text: str, number: int) -> int:
    at = moment_of(text)
    if at is None:
        raise BrokenLogError(number, "has a time that does not exist")
    return at


def _key(counterparty: str, amount: str, asset: str) -> Key:
    try:
        amount = shortest(amount)
    except AmountError:
        return counterparty, amount, asset
    return counterparty, amount, asset
