"""Keep the index in a SQLite file, so that a restart need not decode every event again.

Nothing in the file is taken on its word. A run is taken over only where the file's seal over it is
right, its numbers fit together, and the run file still holds the very bytes that were read, all of
which are hashed again. Whatever fails is read from the run file as if there were no index. The seal
has no secret: it finds damage and edits, not a forger who may write here, who might as well write
to the log or to the run files themselves.

SQLite never opens a path: the file is read and written whole, through the root.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, TypeAlias

import msgspec

from haia_trace_mcp.errors import AbsentError, RootError
from haia_trace_mcp.index.columns import NONE, Columns, Numbered, NumberedTerms
from haia_trace_mcp.index.decoding import Terms
from haia_trace_mcp.index.run_data import RunData
from haia_trace_mcp.root import TraceRoot

FILE: Final = "index.sqlite"
_SIZE_LIMIT: Final = 2 << 30
_VERSION: Final = 2  # another one whenever the same bytes of a run are read otherwise
_SCHEMA: Final = (
    "CREATE TABLE runs (name TEXT PRIMARY KEY, about TEXT NOT NULL, texts TEXT NOT NULL, "
    "numbers BLOB NOT NULL, seal BLOB NOT NULL) STRICT, WITHOUT ROWID"
)
_MACHINE: Final = f"{sys.byteorder} {array('I').itemsize}"
_COLUMNS: Final = (
    "offset", "length", "checksum", "operation", "kind", "terms", "offered", "host", "at",
)  # fmt: skip


DigestOf: TypeAlias = "Callable[[int, bytes], blake2b | None]"
"""Hashes so many bytes from the start of a run file; None where they are others by their sample."""


class About(msgspec.Struct, forbid_unknown_fields=True):
    """How much of a run file was read, and its hashes in hexadecimal."""

    version: int
    machine: str
    rows: int
    consumed: int
    lines: int
    events: int
    sample: str
    digest: str


class Texts(msgspec.Struct, forbid_unknown_fields=True):
    """What the numbers of the columns stand for. Texts are JSON once more, for lone surrogates."""

    operations: list[str]
    latest: list[str]
    kinds: list[tuple[str, str | None]]
    terms: list[tuple[str | None, str | None, str | None, str | None, str | None]]
    offers: list[tuple[int, ...]]
    hosts: list[str]


@dataclass(frozen=True, slots=True)
class Stored:
    """A run as it lies in the file, with a seal that is right."""

    about: About
    texts: str
    numbers: bytes


class IndexStore:
    """The SQLite file ``guard/index.sqlite`` of a Trace root.

    ``problem`` says why the file as a whole, or some run in it, was of no use; ``restored`` names
    the runs that were taken from it.
    """

    def __init__(self, root: TraceRoot) -> None:
        self._root = root
        self._runs: dict[str, Stored] = {}
        self.problem: str | None = None
        self.restored: list[str] = []

    def load(self) -> None:
        """Read the file, if it is there; never fail because of it."""
        self._runs = {}
        try:
            with self._root.folder("guard") as folder:
                data = folder.read(FILE, _SIZE_LIMIT)
            self._runs = dict(_read(data))
        except AbsentError:
            self.problem = None
        except (RootError, sqlite3.Error, ValueError) as error:
            self.problem = f"the index is not used: {error}"

    def restore(self, name: str, run_id: str, digest_of: DigestOf) -> RunData | None:
        """Return a run as it was saved, if the run file still begins with the same bytes."""
        stored = self._runs.pop(name, None)
        if stored is None:
            return None
        about = stored.about
        try:
            digest = digest_of(about.consumed, bytes.fromhex(about.sample))
            if digest is None or digest.hexdigest() != about.digest:
                return None  # stale, which is nothing to complain about
            run = _run(name, run_id, stored)
        except ValueError as error:
            self.problem = f"the index is not used for {name}: {error}"
            return None
        run.digest = digest
        self.restored.append(run_id)
        return run

    def save(self, runs: Iterable[RunData]) -> None:
        """Write the file anew, in one step.

        Raises:
            RootError: the folder or the file cannot be written.
        """
        data = _database((run.name, *_parts(run)) for run in runs if not run.problem)
        with self._root.folder("guard", create=True) as folder:
            folder.replace(FILE, data)


def _read(data: bytes) -> Iterator[tuple[str, Stored]]:
    if not data.startswith(b"SQLite format 3\0"):
        raise ValueError("it is no SQLite file")
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data)
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
        schema = database.execute("SELECT sql FROM sqlite_schema").fetchall()
        if schema != [(_SCHEMA,)]:
            raise ValueError("its tables are others than this version's")
        query = "SELECT name, about, texts, numbers, seal FROM runs"
        for row in database.execute(query):
            name, about, texts, numbers, seal = row
            if tuple(map(type, row)) != (str, str, str, bytes, bytes):
                raise ValueError("it holds other types than it should")
            if seal != _seal(name, about, texts, numbers):
                raise ValueError(f"its seal over {name!r} is broken")
            yield name, Stored(_about(about), texts, numbers)


def _database(rows: Iterable[tuple[str, str, str, bytes]]) -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(_SCHEMA)
        database.executemany(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?)", ((*row, _seal(*row)) for row in rows)
        )
        database.commit()
        return database.serialize()


def _seal(name: str, about: str, texts: str, numbers: bytes) -> bytes:
    found = blake2b(digest_size=32, person=b"haia-trace-index")
    for part in (name.encode(), about.encode(), texts.encode(), numbers):
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.digest()


def _parts(run: RunData) -> tuple[str, str, bytes]:
    columns = run.columns
    about = About(
        version=_VERSION,
        machine=_MACHINE,
        rows=len(columns),
        consumed=run.consumed,
        lines=run.lines,
        events=run.events,
        sample=run.sample.hex(),
        digest=run.digest.hexdigest(),
    )
    texts = {
        "operations": columns.operations.values_in_order,
        "latest": columns.latest,
        "kinds": [
            (event, None if role is msgspec.UNSET else role)
            for event, role in columns.kinds.values_in_order
        ],
        "terms": columns.all_terms.values_in_order,
        "offers": columns.offers.values_in_order,
        "hosts": columns.hosts.values_in_order,
    }
    numbers = b"".join(getattr(columns, name).tobytes() for name in _COLUMNS)
    return msgspec.json.encode(about).decode(), json.dumps(texts), numbers


def _about(text: str) -> About:
    about = msgspec.json.decode(text, type=About)  # its errors are ValueErrors
    if about.version != _VERSION or about.machine != _MACHINE:
        raise ValueError("it is of another version or kind of machine")
    return about


def _run(name: str, run_id: str, stored: Stored) -> RunData:
    about = stored.about
    run = RunData(name, run_id)
    texts = msgspec.convert(json.loads(stored.texts), Texts)
    _fill(run.columns, about, texts, memoryview(stored.numbers))
    _check(run.columns, about)
    run.columns.link(0)
    run.parties.extend(run.columns, 0)
    run.consumed, run.lines, run.events = about.consumed, about.lines, about.events
    return run


def _fill(columns: Columns, about: About, texts: Texts, numbers: memoryview) -> None:
    place = 0
    for name in _COLUMNS:
        column: array[int] = getattr(columns, name)
        size = about.rows * column.itemsize
        column.frombytes(numbers[place : place + size])
        place += size
    if place != len(numbers) or about.rows < 0:
        raise ValueError("its columns are not as long as they should be")
    columns.latest = texts.latest
    columns.operations = Numbered(texts.operations)
    columns.kinds = Numbered(
        (event, msgspec.UNSET if role is None else role) for event, role in texts.kinds
    )
    columns.all_terms = NumberedTerms(map(Terms._make, texts.terms))
    columns.offers = Numbered(texts.offers)
    columns.hosts = Numbered(texts.hosts)


def _check(columns: Columns, about: About) -> None:
    """Refuse numbers that do not fit together; they would lead to a wrong row, or to none."""
    numbered = (columns.operations, columns.kinds, columns.all_terms, columns.offers, columns.hosts)
    if any(len(each) != len(each.values_in_order) for each in numbered):
        raise ValueError("something stands twice in it")
    if len(columns.latest) != len(columns.operations) or "" in columns.operations:
        raise ValueError("its operations do not fit together")
    following = 0
    for operation in columns.operation:
        if operation > following:
            raise ValueError("its operations are not in order")
        following += operation == following
    if following != len(columns.operations):
        raise ValueError("it has operations without events")
    terms = len(columns.all_terms)
    fits = (
        all(number < terms for offer in columns.offers for number in offer)
        and all(number < len(columns.kinds) for number in columns.kind)
        and all(number < terms or number == NONE for number in columns.terms)
        and all(number < len(columns.offers) or number == NONE for number in columns.offered)
        and all(number < len(columns.hosts) or number == NONE for number in columns.host)
    )
    if not fits:
        raise ValueError("its columns name what is not there")
    end = 0
    for offset, length in zip(columns.offset, columns.length, strict=True):
        if offset < end:
            raise ValueError("its lines overlap")
        end = offset + length + 1
    if not end <= about.consumed or not about.rows <= about.events <= about.lines:
        raise ValueError("it has more lines than the file")
