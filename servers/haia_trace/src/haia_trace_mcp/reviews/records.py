"""The lines of the review log.

A line is a JSON object in ASCII. Its ``previous`` is the SHA-256 of the bytes in the file from
where the last line with such a hash begins to where this line begins: ordinarily those of the line
before with its line feed. It covers torn lines in between so, and, for the first one, whatever the
file held before it. Lines without it are read as long as no line with it has come.
"""

from __future__ import annotations

import json
from typing import Annotated, Final, Literal, TypeAlias, get_args

import msgspec

from haia_trace_mcp.wording import quoted

Rule: TypeAlias = Literal[
    "allowlist",
    "asset_mismatch",
    "denylist",
    "duplicate",
    "history",
    "mixed_assets",
    "open_partial",
    "per_counterparty_limit",
    "reserved",
    "review_above",
    "unknown_asset",
    "unparseable_amount",
    "unparseable_history",
    "window_limit",
]
RULES: Final[tuple[Rule, ...]] = get_args(Rule)
Verdict: TypeAlias = Literal["approved", "rejected"]

_Text = Annotated[str, msgspec.Meta(min_length=1)]
_Id = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
]
_Time = Annotated[
    str,
    msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\Z"),
]
_Amount = Annotated[str, msgspec.Meta(pattern=r"^(0|[1-9][0-9]*)(\.[0-9]+)?\Z", max_length=160)]
_Hash = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
_Seconds = Annotated[int, msgspec.Meta(ge=1, le=3600)]


class Evidence(msgspec.Struct, frozen=True):
    """A receipt that supports a reason."""

    run_id: _Text
    operation_id: _Text


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one rule found: ``detail`` is a sentence for people."""

    rule: Rule
    detail: _Text
    evidence: tuple[Evidence, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the reason as tools show it, without evidence where there is none."""
        found: dict[str, object] = {"rule": self.rule, "detail": self.detail}
        if self.evidence:
            found["evidence"] = [
                {"run_id": each.run_id, "operation_id": each.operation_id} for each in self.evidence
            ]
        return found


class Opened(msgspec.Struct, frozen=True, tag_field="type", tag="opened", omit_defaults=True):
    """A review was opened. ``amount`` is in display units."""

    review_id: _Id
    created_at: _Time
    counterparty: _Text
    amount: _Amount
    asset: _Text
    reasons: Annotated[tuple[Reason, ...], msgspec.Meta(min_length=1)]
    template: _Text | None = None
    previous: _Hash | None = None


class Decided(msgspec.Struct, frozen=True, tag_field="type", tag="decided", omit_defaults=True):
    """A person decided a review."""

    review_id: _Id
    status: Verdict
    decided_at: _Time
    note: str | None = None
    previous: _Hash | None = None


class Reserved(msgspec.Struct, frozen=True, tag_field="type", tag="reserved", omit_defaults=True):
    """An amount was allowed, and counts as spent for some seconds. ``asset`` is a key."""

    reserved_at: _Time
    counterparty: _Text
    amount: _Amount
    asset: _Text
    seconds: _Seconds
    previous: _Hash | None = None


Record: TypeAlias = Opened | Decided | Reserved


class RecordError(ValueError):
    """Say why a line is no record."""


def encode(record: Record, previous: str) -> bytes:
    """Return the line of a record, without its line feed."""
    linked = msgspec.structs.replace(record, previous=previous)
    return json.dumps(msgspec.to_builtins(linked), separators=(",", ":")).encode("ascii")


def decode(line: bytes) -> Record:
    """Return the record of a line without its line feed; members that are not known are left out.

    Raises:
        RecordError: it is none.
    """
    try:
        value: object = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise RecordError("is no UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise RecordError("is no JSON") from error
    try:
        record: Record = msgspec.convert(value, Record)
    except msgspec.ValidationError as error:
        raise RecordError(f"is no record: {quoted(str(error), 200)}") from error
    return record
