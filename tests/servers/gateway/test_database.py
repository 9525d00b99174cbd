"""The database: the same seed gives the same data, and a file stays what it is."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from gateway_bench import DAY, KEY_ID, START, Bench

from fairwins_gateway.database import Database
from fairwins_gateway.errors import StartError
from fairwins_gateway.revocations import revoke
from fairwins_gateway.seeding import fill
from fairwins_gateway.seeding.members import ALICE

SEEDED = ("members", "sanctions", "balances", "wagers", "fees", "markets", "pairs", "news")


def contents(seed: str, now: int = START) -> dict[str, list[tuple[Any, ...]]]:
    database = Database(None, seed, lambda connection: fill(connection, seed, now))
    try:
        return {
            table: [tuple(row) for row in database.rows(f"SELECT * FROM {table} ORDER BY 1, 2")]
            if table != "sanctions"
            else [tuple(row) for row in database.rows("SELECT * FROM sanctions")]
            for table in SEEDED
        }
    finally:
        database.close()


def test_a_seed_and_a_day_settle_all_data() -> None:
    assert contents("fairwins") == contents("fairwins", START - START % DAY)


def test_another_seed_gives_other_data_about_the_same_people() -> None:
    one, other = contents("fairwins"), contents("other")
    assert one["members"] == other["members"]
    assert all(one[table] != other[table] for table in ("wagers", "markets", "pairs", "news"))


def test_another_day_moves_times_and_leaves_the_rest() -> None:
    one, other = contents("fairwins"), contents("fairwins", START + DAY)
    assert one["pairs"] == other["pairs"]
    assert [row[7:9] for row in one["wagers"]] == [row[7:9] for row in other["wagers"]]
    assert one["wagers"] != other["wagers"]


def test_a_file_is_kept_with_what_happened(make_bench: Any, tmp_path: Path) -> None:
    path = tmp_path / "gateway.sqlite"
    first: Bench = make_bench(database=path)
    payment = first.payment()
    assert first.pay("fees", payment).status == 200
    revoke(first.gateway.database, ALICE, KEY_ID, START)
    before = first.ask("wagers", token=first.token(key_id=f"0x{'77' * 32}")).document
    first.close()
    second: Bench = make_bench(database=path)
    assert second.pay("fees", payment).code == "payment_replayed"
    assert second.ask("me").code == "token_revoked"
    assert second.ask("wagers", token=second.token(key_id=f"0x{'77' * 32}")).document == before


def test_what_another_process_revokes_counts_at_once(make_bench: Any, tmp_path: Path) -> None:
    path = tmp_path / "gateway.sqlite"
    running: Bench = make_bench(database=path)
    assert running.ask("me").status == 200
    other: Bench = make_bench(database=path)
    revoke(other.gateway.database, ALICE, KEY_ID, START)
    assert running.ask("me").code == "token_revoked"


def test_a_file_of_another_seed_is_refused(make_bench: Any, tmp_path: Path) -> None:
    path = tmp_path / "gateway.sqlite"
    make_bench(database=path, seed="one")
    with pytest.raises(StartError, match="--seed one, not two"):
        make_bench(database=path, seed="two")


def test_a_database_of_something_else_is_refused_and_left_alone(
    make_bench: Any, tmp_path: Path
) -> None:
    path = tmp_path / "else.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE mine (x)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StartError, match="something else"):
        make_bench(database=path)
    assert path.read_bytes() == before


def test_a_database_of_another_version_is_refused(make_bench: Any, tmp_path: Path) -> None:
    path = tmp_path / "gateway.sqlite"
    bench: Bench = make_bench(database=path)
    with bench.gateway.database.transaction() as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StartError, match="another version"):
        make_bench(database=path)


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be read" * 20])
def test_a_file_that_is_no_database_is_refused(
    make_bench: Any, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StartError, match=r"notes\.txt"):
        make_bench(database=path)
    assert path.read_bytes() == content


def test_a_folder_that_is_not_there_is_named(make_bench: Any, tmp_path: Path) -> None:
    with pytest.raises(StartError, match="nowhere"):
        make_bench(database=tmp_path / "nowhere" / "gateway.sqlite")


def test_a_failed_transaction_leaves_nothing(bench: Bench) -> None:
    def fail() -> None:
        with bench.gateway.database.transaction() as connection:
            connection.execute("DELETE FROM members")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert bench.ask("me").status == 200


def test_the_file_is_in_wal_mode(make_bench: Any, tmp_path: Path) -> None:
    bench: Bench = make_bench(database=tmp_path / "gateway.sqlite")
    row = bench.gateway.database.row("PRAGMA journal_mode")
    assert row is not None
    assert row[0] == "wal"
