"""The file of accepted changes: canonical, strict, and as its schema says."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from counterfoil.errors import CounterfoilError
from counterfoil.review import Acceptance, read_accepted, write_accepted
from counterfoil.review.acceptances import schema
from counterfoil.review.weighing import today

LATER = Acceptance("b/tool/y", "CF410", "b" * 12, 'said "yes" é\u2028', "2027-01-31")
FIRST = Acceptance("a/tool/x", "CF401", "a" * 12, "agreed")


def test_what_is_written_is_sorted_and_reads_back(tmp_path: Path) -> None:
    write_accepted(tmp_path, "deep/accepted.json", [LATER, FIRST])
    read = read_accepted(tmp_path, "deep/accepted.json")
    assert read.entries == (FIRST, LATER)
    assert read.text.startswith('{\n  "accepted": [\n    {\n      "at": "a/tool/x",\n')
    before = (tmp_path / "deep/accepted.json").read_bytes()
    write_accepted(tmp_path, "deep/accepted.json", read.entries)
    assert (tmp_path / "deep/accepted.json").read_bytes() == before
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(json.loads(before), schema(), cls=jsonschema.Draft202012Validator)


def test_no_file_accepts_nothing(tmp_path: Path) -> None:
    assert read_accepted(tmp_path, "accepted.json").entries == ()


ENTRY = {"at": "tool/x", "code": "CF401", "fingerprint": "a" * 12, "reason": "agreed"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "accepted.json #"),
        ({"version": 2, "accepted": []}, "#/version"),
        ({"version": 1, "accepted": [{**ENTRY, "reason": " "}]}, "#/accepted/0/reason"),
        ({"version": 1, "accepted": [{**ENTRY, "code": "CF101"}]}, "#/accepted/0/code"),
        ({"version": 1, "accepted": [{**ENTRY, "who": "me"}]}, "#/accepted/0"),
        ({"version": 1, "accepted": [{**ENTRY, "until": "2026-02-30"}]}, "/until: '2026-02-30' is"),
        ({"version": 1, "accepted": [ENTRY, ENTRY]}, "is accepted twice"),
    ],
)
def test_a_file_that_is_not_understood_is_an_error(tmp_path: Path, data: Any, said: str) -> None:
    (tmp_path / "accepted.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(CounterfoilError) as caught:
        read_accepted(tmp_path, "accepted.json")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"{", "accepted.json:1:2: is not JSON"),
        (b'{"version": 1, "version": 1, "accepted": []}', "'version' is given twice"),
        (b"\xff", "is not JSON: the file is not UTF-8"),
    ],
)
def test_bytes_that_are_no_json_are_an_error(tmp_path: Path, raw: bytes, said: str) -> None:
    (tmp_path / "accepted.json").write_bytes(raw)
    with pytest.raises(CounterfoilError) as caught:
        read_accepted(tmp_path, "accepted.json")
    assert said in str(caught.value)


def test_a_folder_in_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "accepted.json").mkdir()
    with pytest.raises(CounterfoilError, match="cannot be read"):
        read_accepted(tmp_path, "accepted.json")


def test_the_day_may_be_given_so_that_runs_repeat() -> None:
    assert today("86400") == datetime.date(1970, 1, 2)
    assert today("") == today(None)
    for text in ("soon", "9" * 30):
        with pytest.raises(CounterfoilError, match="SOURCE_DATE_EPOCH"):
            today(text)
