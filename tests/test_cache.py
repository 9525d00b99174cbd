"""The store of slow results."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from kept_results import change
from platformdirs import user_cache_path

from counterfoil.cache import STORE, Cache, key_of, replace_file, user_folder


def test_an_entry_is_found_again(tmp_path: Path) -> None:
    Cache(tmp_path / "c").put(key_of("a"), b"value")
    assert Cache(tmp_path / "c").get(key_of("a")) == b"value"


def test_an_edited_entry_is_a_miss(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(key_of("a"), b"value")
    assert change(tmp_path, "UPDATE entries SET content = ?", b"value!") == 1
    assert cache.get(key_of("a")) is None


def test_an_entry_moved_to_another_key_is_a_miss(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(key_of("a"), b"value")
    assert change(tmp_path, "UPDATE entries SET key = ?", key_of("b")) == 1
    assert cache.get(key_of("b")) is None


def test_an_entry_of_another_kind_is_a_miss(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(key_of("a"), b"value")
    assert change(tmp_path, "UPDATE entries SET content = 7") == 1
    assert cache.get(key_of("a")) is None


@pytest.mark.parametrize("damage", [b"no store at all", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_store_is_thrown_away_and_begun_again(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / STORE).write_bytes(damage)
    cache = Cache(tmp_path)
    assert cache.get(key_of("a")) is None
    cache.put(key_of("a"), b"value")
    cache.close()
    assert Cache(tmp_path).get(key_of("a")) == b"value"


def test_a_store_that_was_only_begun_is_used(tmp_path: Path) -> None:
    (tmp_path / STORE).touch()
    cache = Cache(tmp_path)
    cache.put(key_of("a"), b"value")
    assert cache.get(key_of("a")) == b"value"


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    one, other = Cache(tmp_path), Cache(tmp_path)
    one.put(key_of("a"), b"from one")
    other.put(key_of("b"), b"from the other")
    assert one.get(key_of("b")) == b"from the other"
    assert other.get(key_of("a")) == b"from one"


def test_a_store_that_cannot_be_opened_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / STORE).mkdir()
    cache = Cache(tmp_path)
    cache.put(key_of("a"), b"value")
    assert cache.get(key_of("a")) is None


def test_parts_of_a_key_do_not_run_together() -> None:
    assert key_of("ab", "c") != key_of("a", "bc")


def test_no_folder_keeps_nothing() -> None:
    cache = Cache(None)
    cache.put(key_of("a"), b"value")
    assert cache.get(key_of("a")) is None


def test_a_store_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("a file where the folder should be")
    cache = Cache(tmp_path / "c")
    cache.put(key_of("a"), b"value")
    assert cache.get(key_of("a")) is None


def test_old_entries_are_dropped_once_a_day(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    cache = Cache(tmp_path)
    for name, days in (("old", 31), ("new", 1)):
        cache.put(key_of(name), name.encode())
        made = now - days * 86_400
        assert (
            change(tmp_path, "UPDATE entries SET made = ? WHERE key = ?", made, key_of(name)) == 1
        )
    os.utime(tmp_path / "CACHEDIR.TAG", (now,) * 2)
    cache.prune(now + 60)
    assert cache.get(key_of("old")) == b"old"
    cache.prune(now + 2 * 86_400)
    assert cache.get(key_of("old")) is None
    assert cache.get(key_of("new")) == b"new"


def test_the_cache_is_the_users_and_can_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COUNTERFOIL_CACHE_DIR", str(tmp_path))
    assert user_folder() == tmp_path
    monkeypatch.delenv("COUNTERFOIL_CACHE_DIR")
    assert user_folder() == user_cache_path("counterfoil", appauthor=False)


def test_text_is_made_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    assert cache.remember(key_of("a"), lambda: "ä") == "ä"
    assert cache.remember(key_of("a"), lambda: "another") == "ä"


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_failed_write_leaves_the_old_file_and_no_scrap(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_file(folder, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
