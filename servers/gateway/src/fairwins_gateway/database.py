"""The SQLite database: one connection, one user at a time, in a file or in memory."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from fairwins_gateway.errors import StartError

Row = sqlite3.Row
Fill = Callable[[sqlite3.Connection], None]

_APPLICATION_ID = 0x46574757
_VERSION = 1
_BUSY_MS = 5000


class Database:
    """Read and write one database.

    A lock lets one thread at it at a time. SQLite has one writer anyway, and the queries are
    short, so more connections would buy nothing here. Other processes, such as the command that
    revokes a token, have their own connection to the file (it is in WAL mode).
    """

    def __init__(self, path: Path | None, seed: str, fill: Fill) -> None:
        """Open a database, and make and ``fill`` a new one where there is none.

        Raises:
            StartError: the file cannot be opened, is of something else, or of another seed.
        """
        self._lock = threading.RLock()
        try:
            self._connection = sqlite3.connect(
                ":memory:" if path is None else path,
                isolation_level=None,
                check_same_thread=False,
            )
        except sqlite3.Error as error:
            raise StartError(f"cannot open the database {path}: {error}") from error
        try:
            self._prepare(seed, fill)
        except sqlite3.Error as error:
            self.close()
            raise StartError(f"cannot use the database {path}: {error}") from error
        except StartError:
            self.close()
            raise

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Give the connection inside one writing transaction; roll it back on any exception."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return all rows of a query."""
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def row(self, query: str, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row of a query, or None."""
        with self._lock:
            row: Row | None = self._connection.execute(query, values).fetchone()
            return row

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    def _prepare(self, seed: str, fill: Fill) -> None:
        self._connection.row_factory = sqlite3.Row
        self._connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        if self._setting("schema_version") and self._setting("application_id") != _APPLICATION_ID:
            raise StartError("the file is a database of something else")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        with self.transaction() as connection:
            if not self._setting("schema_version"):
                _make(connection, seed)
                fill(connection)
            if self._setting("user_version") != _VERSION:
                raise StartError("the database was made by another version; start a new one")
            self._compare_seed(seed)

    def _setting(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def _compare_seed(self, seed: str) -> None:
        kept = self._connection.execute("SELECT value FROM meta WHERE name = 'seed'").fetchone()
        if kept["value"] != seed:
            raise StartError(f"the database was made with --seed {kept['value']}, not {seed}")


def _make(connection: sqlite3.Connection, seed: str) -> None:
    script = files("fairwins_gateway").joinpath("schema.sql").read_text("utf-8")
    for statement in script.split(";"):  # executescript() would end the transaction
        if statement.strip():
            connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('seed', ?)", (seed,))
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")
