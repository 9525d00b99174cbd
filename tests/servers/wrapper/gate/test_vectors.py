"""The recorded vectors are tried where they are at hand, and skipped aloud where they are not."""

from __future__ import annotations

import re
from pathlib import Path

import hostile_vectors
import pytest

HERE = Path(__file__).parent


def test_every_table_of_the_vectors_is_tried() -> None:
    data = hostile_vectors.load()
    tables = {name for name, rows in data.items() if isinstance(rows, list)}
    texts = [path.read_text("utf-8") for path in HERE.glob("test_*.py")]
    tried = {name for text in texts for name in re.findall(r'vectors\.rows\("(\w+)"\)', text)}
    assert tried == tables - {"allowlist", "codes"}
    assert all(len(hostile_vectors.rows(name)) == len(data[name]) > 0 for name in tried)


def test_a_missing_file_skips_its_tests_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("COUNTERFOIL_SHARED", raising=False)
    monkeypatch.setattr(hostile_vectors, "PATH", tmp_path / "absent.json")
    (row,) = hostile_vectors.rows("cases")
    assert [mark.kwargs["reason"] for mark in row.marks] == [hostile_vectors.REASON]
    with pytest.raises(pytest.skip.Exception, match=hostile_vectors.REASON):
        hostile_vectors.load()


def test_a_missing_file_in_a_folder_that_was_named_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COUNTERFOIL_SHARED", str(tmp_path))
    monkeypatch.setattr(hostile_vectors, "PATH", tmp_path / "data/hostile_urls.json")
    for read in (hostile_vectors.load, lambda: hostile_vectors.rows("cases")):
        with pytest.raises(FileNotFoundError):
            read()
