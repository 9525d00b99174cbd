"""The index in a SQLite file: a restart is warm, and nothing in the file is believed."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from haia_trace_events import SELLER, Trace, event, paid, settled

from haia_trace_mcp.errors import RootError, RunsError
from haia_trace_mcp.index import IndexStore, TraceIndex
from haia_trace_mcp.index import store as store_module

BUYER = "x402-buyer"
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes of POSIX")


@pytest.fixture
def saved(trace: Trace) -> Trace:
    """Return a root with two runs, and an index that was saved."""
    trace.append(settled("1") + paid("2", 10) + [event("responded", "\ud800é", 20)])
    trace.append(paid("3"), run="2000")
    trace.index(store=IndexStore(trace.root)).save()
    return trace


def path_of(trace: Trace) -> Path:
    return trace.path / "guard/index.sqlite"


def warm(trace: Trace) -> tuple[TraceIndex, IndexStore]:
    store = IndexStore(trace.root)
    return trace.index(store=store), store


def agree(trace: Trace) -> IndexStore:
    """Compare a warm index with a cold one; return the store."""
    index, store = warm(trace)
    cold = trace.index()
    assert index.runs() == cold.runs()
    assert index.operations(BUYER) == cold.operations(BUYER)
    accounts = [each.of_counterparty(BUYER, SELLER.lower()) for each in (index, cold)]
    assert accounts[0].open_operations(9) == accounts[1].open_operations(9)
    assert accounts[0].spent_since(0) == accounts[1].spent_since(0)
    return store


def test_nothing_is_written_unless_asked(trace: Trace) -> None:
    trace.append(paid())
    trace.index().save()
    assert not (trace.path / "guard").exists()
    warm(trace)
    assert not (trace.path / "guard").exists()


def test_a_restart_gives_the_same_answers(saved: Trace) -> None:
    store = agree(saved)
    assert store.problem is None
    assert store.restored == ["1000", "2000"]
    saved.append(settled("4", 99))
    assert agree(saved).restored == ["1000", "2000"]


def test_a_run_that_is_not_as_it_was_is_read_anew(saved: Trace) -> None:
    data = saved.file().read_bytes()
    place = len(data) // 2
    place = data.index(b'"client"', place)
    saved.file().write_bytes(data[:place] + b'"server"' + data[place + 8 :])
    store = agree(saved)
    assert (store.problem, store.restored) == (None, ["2000"])
    saved.file("2000").write_bytes(saved.file("2000").read_bytes()[:-1])
    assert agree(saved).restored == []
    saved.file().unlink()
    assert agree(saved).restored == []


def test_a_run_under_another_name_is_read_anew(saved: Trace) -> None:
    saved.file("2000").rename(saved.file("3000"))
    assert agree(saved).restored == ["1000"]


def test_a_run_with_a_problem_is_not_kept(trace: Trace) -> None:
    trace.append([*paid("1"), 5])
    index, _ = warm(trace)
    index.save()
    again, store = warm(trace)
    assert store.restored == []
    with pytest.raises(RunsError, match=r"line 4"):
        again.operations(BUYER)


@pytest.mark.parametrize("place", range(0, 100, 7))
def test_a_damaged_file_is_never_believed(place: int, saved: Trace) -> None:
    data = bytearray(path_of(saved).read_bytes())
    data[place * len(data) // 100] ^= 0x55
    path_of(saved).write_bytes(data)
    agree(saved)


@pytest.mark.parametrize(
    "data", [b"", b"SQLite format 3\0", b"x" * 5000, b"SQLite format 3\0" + b"\xff" * 8192]
)
def test_another_file_is_told_and_not_used(data: bytes, saved: Trace) -> None:
    path_of(saved).write_bytes(data)
    store = agree(saved)
    assert store.restored == []
    assert str(store.problem).startswith("the index is not used: ")


@pytest.mark.parametrize("size", [1, 100, 4096, 5000, -4096])
def test_a_file_that_was_cut_off_is_not_used(size: int, saved: Trace) -> None:
    path_of(saved).write_bytes(path_of(saved).read_bytes()[:size])
    store = agree(saved)
    assert store.problem is not None


EDITS = [
    "UPDATE runs SET about = replace(about, '\"lines\":', '\"lines\": ')",
    "UPDATE runs SET texts = replace(texts, 'payment.responded', 'payment.requested')",
    "UPDATE runs SET numbers = zeroblob(length(numbers))",
    "UPDATE runs SET numbers = CAST(substr(numbers, 2) AS BLOB)",
    "UPDATE runs SET name = name || 'x'",
    "UPDATE runs SET about = replace(about, '\"consumed\":', '\"consumed\":1')",
    "UPDATE runs SET seal = zeroblob(32)",
    "DELETE FROM runs",
    "INSERT INTO runs SELECT '9.ndjson', about, texts, numbers, seal FROM runs LIMIT 1",
    "CREATE TABLE more (x)",
    "CREATE TRIGGER t AFTER DELETE ON runs BEGIN SELECT 1; END",
    "CREATE VIEW v AS SELECT load_extension('x')",
    "DROP TABLE runs",
]


@pytest.mark.parametrize("edit", EDITS)
def test_edited_rows_change_no_answer(edit: str, saved: Trace) -> None:
    with closing(sqlite3.connect(path_of(saved))) as database:
        database.execute(edit)
        database.commit()
    store = agree(saved)
    assert len(store.restored) < 2


def test_another_version_is_not_used(saved: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_VERSION", 0)
    store = agree(saved)
    assert store.restored == []
    assert "version" in str(store.problem)


def forge(trace: Trace, *changes: tuple[str, str, Callable[[bytes], bytes]]) -> None:
    """Change columns of every row, and make the seals right again."""
    with closing(sqlite3.connect(path_of(trace))) as database:
        rows = database.execute("SELECT name, about, texts, numbers FROM runs").fetchall()
        for row in rows:
            fields = dict(zip(("name", "about", "texts", "numbers"), row, strict=True))
            for field, _, change in changes:
                value = fields[field]
                changed = change(value if isinstance(value, bytes) else value.encode())
                fields[field] = changed if isinstance(value, bytes) else changed.decode()
            seal = store_module._seal(*fields.values())
            database.execute(
                "UPDATE runs SET about = ?, texts = ?, numbers = ?, seal = ? WHERE name = ?",
                (fields["about"], fields["texts"], fields["numbers"], seal, fields["name"]),
            )
        database.commit()


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(old, new)


def column(place: int, count: int) -> Callable[[bytes], bytes]:
    """Fill one byte in each number with ones."""
    return lambda data: data[:place] + b"\xfe" * count + data[place + count :]


FORGERIES = [
    ("texts", "twice", replaced(b'"1", "2"', b'"1", "1"')),
    ("texts", "no id", replaced(b'"1", "2"', b'"", "2"')),
    ("texts", "fewer", replaced(b'"1", "2", ', b'"1", ')),
    ("texts", "more", replaced(b'"operations": [', b'"operations": ["more", ')),
    ("texts", "no latest", replaced(b'"latest": [', b'"latest": ["x", ')),
    ("texts", "offers", replaced(b'"offers": [[', b'"offers": [[99, ')),
    ("texts", "types", replaced(b'"hosts": [', b'"hosts": [5, ')),
    ("texts", "no json", replaced(b"{", b"")),
    ("texts", "other members", replaced(b'"hosts"', b'"guests"')),
    ("about", "rows", replaced(b'"rows":', b'"rows":1')),
    ("about", "negative", replaced(b'"rows":', b'"rows":-')),
    ("about", "lines", replaced(b'"lines":', b'"lines":-')),
    ("about", "no hex", replaced(b'"sample":"', b'"sample":"xx')),
    ("about", "no json", replaced(b"{", b"[")),
    ("numbers", "offsets", column(0, 8)),
    ("numbers", "all", column(0, 4000)),
    ("numbers", "empty", lambda _: b""),
    *(("numbers", f"from {place}", column(place, 4)) for place in range(24, 120, 4)),
]


@pytest.mark.parametrize(
    "forgery", FORGERIES, ids=[f"{field} {name}" for field, name, _ in FORGERIES]
)
def test_numbers_that_do_not_fit_together_are_refused_even_under_a_right_seal(
    forgery: tuple[str, str, Callable[[bytes], bytes]], saved: Trace
) -> None:
    forge(saved, forgery)
    index, store = warm(saved)
    try:
        index.operations(BUYER)
        for operation in index.operations(BUYER):
            index.receipt(operation.run_id, operation.operation_id, BUYER)
        index.of_counterparty(BUYER, SELLER.lower()).spent_since(0)
    except RunsError:  # a forged place in the file that holds no such event
        return
    assert store.problem is not None or len(store.restored) == 2


@posix
@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_what_is_no_regular_file_is_not_read(kind: str, saved: Trace, tmp_path: Path) -> None:
    path = path_of(saved)
    path.rename(tmp_path / "index")
    if kind == "link":
        path.symlink_to(tmp_path / "index")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    index, store = warm(saved)
    assert (store.restored, len(index.operations(BUYER))) == ([], 4)
    assert str(store.problem).startswith("the index is not used: ")
    before = (tmp_path / "index").read_bytes()
    if kind == "folder":
        with pytest.raises(RootError, match=r"cannot be written"):
            index.save()
    else:
        index.save()
        assert agree(saved).restored == ["1000", "2000"]
    assert (tmp_path / "index").read_bytes() == before


@posix
def test_a_guard_folder_that_is_a_link_is_neither_read_nor_written(
    saved: Trace, tmp_path: Path
) -> None:
    (saved.path / "guard").rename(tmp_path / "moved")
    (saved.path / "guard").symlink_to(tmp_path / "moved")
    index, store = warm(saved)
    assert (store.restored, len(index.operations(BUYER))) == ([], 4)
    with pytest.raises(RootError, match=r"symbolic link"):
        index.save()


def test_the_file_is_one_that_sqlite_opens(saved: Trace) -> None:
    with closing(sqlite3.connect(path_of(saved))) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        names = database.execute("SELECT name FROM runs ORDER BY name").fetchall()
    assert names == [("1000.ndjson",), ("2000.ndjson",)]
