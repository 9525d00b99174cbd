"""The file of changes that people have accepted, each with a reason.

It is reviewed as the contract is: sorted, canonical JSON, an entry for each change.
"""

from __future__ import annotations

import datetime
import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from counterfoil.contract.canonical import dump
from counterfoil.contract.source import SourceError, decode, parse
from counterfoil.errors import CounterfoilError

SCHEMA_FILE = "accepted.schema.json"
VERSION = 1


@dataclass(frozen=True, order=True)
class Acceptance:
    """One accepted change.

    Attributes:
        at: name of its place, for people who review the file.
        code: its finding code, for the same reason.
        fingerprint: what it is recognised by.
        reason: why it is accepted.
        until: last day of it, ``YYYY-MM-DD``; empty for no end.
    """

    at: str
    code: str
    fingerprint: str
    reason: str
    until: str = ""

    def is_over(self, today: datetime.date) -> bool:
        """Say whether its last day has passed."""
        return bool(self.until) and datetime.date.fromisoformat(self.until) < today


@dataclass(frozen=True)
class Accepted:
    """All that is accepted.

    Attributes:
        path: the file as findings show it.
        text: its text; empty when there is no such file.
        entries: in the order of the file.
    """

    path: str
    text: str = ""
    entries: tuple[Acceptance, ...] = ()

    @functools.cached_property
    def by_fingerprint(self) -> Mapping[str, Acceptance]:
        """Return the entries by fingerprint."""
        return {entry.fingerprint: entry for entry in self.entries}


def read_accepted(root: Path, shown: str) -> Accepted:
    """Read the file; that there is none is no fault.

    Raises:
        CounterfoilError: it cannot be read, or is not what its schema says.
    """
    try:
        raw = (root / shown).read_bytes()
    except FileNotFoundError:
        return Accepted(shown)
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}", place=shown, hint="check its permissions"
        ) from error
    try:
        text = decode(raw)
        data, duplicates = parse(text)
    except SourceError as error:
        place = f"{shown}:{error.line}:{error.column}"
        raise CounterfoilError(f"is not JSON: {error.what}", place=place, hint=_EDIT) from error
    if duplicates:
        raise CounterfoilError(
            f"{duplicates[0].key!r} is given twice in one object", place=shown, hint=_EDIT
        )
    _check(data, shown)
    entries = tuple(Acceptance(**entry) for entry in data["accepted"])
    accepted = Accepted(shown, text, entries)
    if len(accepted.by_fingerprint) != len(entries):
        raise CounterfoilError("a fingerprint is accepted twice", place=shown, hint=_EDIT)
    return accepted


def write_accepted(root: Path, shown: str, entries: Iterable[Acceptance]) -> None:
    """Write the file in its canonical form."""
    from counterfoil.cache import replace_file  # a comparison writes nothing, and has no cache

    listed = [
        {key: value for key, value in vars(entry).items() if value} for entry in sorted(entries)
    ]
    path = root / shown
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path.resolve(), dump({"accepted": listed, "version": VERSION}).encode())


def read_date(text: str, place: str) -> str:
    """Return a date in its one form.

    Raises:
        CounterfoilError: the text is no date.
    """
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise CounterfoilError(
            f"{text!r} is no date", place=place, hint="write it as YYYY-MM-DD"
        ) from error


@functools.cache
def schema() -> dict[str, Any]:
    """Return the published schema of the file. Callers do not change it."""
    file = resources.files("counterfoil.review") / SCHEMA_FILE
    data: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return data


_EDIT = "mend the entry by hand, or remove it and run `counterfoil accept` again"


def _check(data: Any, shown: str) -> None:
    import jsonschema_rs

    error = next(iter(jsonschema_rs.validator_for(schema()).iter_errors(data)), None)
    if error is not None:
        pointer = "".join(f"/{token}" for token in error.instance_path)
        raise CounterfoilError(error.message, place=f"{shown} #{pointer}", hint=_EDIT)
    for index, entry in enumerate(data["accepted"]):
        if "until" in entry:
            read_date(entry["until"], f"{shown} #/accepted/{index}/until")
