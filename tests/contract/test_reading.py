"""Reading a contract file: strictly, and with every fault in one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.contract.canonical import canonical_text
from counterfoil.contract.reading import (
    Reading,
    canonical_file,
    read_contract,
    read_contract_bytes,
)
from counterfoil.errors import CounterfoilError

SHOWN = "contract/contract.json"


def codes(reading: Reading) -> list[str]:
    return [finding.code for finding in reading.findings]


def test_a_canonical_contract_is_read_without_a_finding(smallest: dict[str, Any]) -> None:
    text = canonical_text(smallest)
    reading = read_contract_bytes(text.encode(), SHOWN)
    assert reading.findings == ()
    assert reading.contract is not None
    assert (reading.contract.path, reading.contract.text) == (SHOWN, text)
    assert reading.contract.data == smallest
    assert [server.id for server in reading.contract.servers] == ["a"]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_mark_and_line_ends_change_nothing(
    mark: bytes, line_end: bytes, smallest: dict[str, Any]
) -> None:
    plain = read_contract_bytes(canonical_text(smallest).encode(), SHOWN)
    other = read_contract_bytes(
        mark + canonical_text(smallest).encode().replace(b"\n", line_end), SHOWN
    )
    assert other == plain
    assert other.contract is not None
    assert plain.contract is not None
    assert other.contract.sha256 == plain.contract.sha256


def test_no_contract_comes_of_what_is_no_json() -> None:
    reading = read_contract_bytes(b'{"counterfoil": 1 1}', SHOWN)
    assert reading.contract is None
    (finding,) = reading.findings
    assert (finding.code, finding.place) == ("CF101", f"{SHOWN}:1:19")


def test_no_contract_comes_of_a_key_given_twice(smallest: dict[str, Any]) -> None:
    text = canonical_text(smallest).replace('"name": "a"', '"name": "b",\n      "name": "a"')
    reading = read_contract_bytes(text.encode(), SHOWN)
    assert reading.contract is None
    assert codes(reading) == ["CF102"]
    assert reading.findings[0].pointer == "/servers/a/name"


def test_faults_of_several_kinds_are_found_in_one_run(smallest: dict[str, Any]) -> None:
    smallest["servers"]["a"]["title"] = "A\u202e"
    smallest["servers"]["a"]["binding"] = "sdk"
    text = canonical_text(smallest).replace('"version"', '"version": "2.0.0",\n"version"')
    reading = read_contract_bytes(text.encode(), SHOWN)
    assert sorted(codes(reading)) == ["CF102", "CF103", "CF106"]
    assert all(finding.line > 1 for finding in reading.findings)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("\n", "", 1),
        ('"counterfoil": 1,', '"counterfoil":1,', 2),
        ("\n}\n", "\n}", 0),
        ("\n}\n", "\n}\n\n", 0),
        ("  ", "    ", 2),
    ],
)
def test_another_form_is_reported_at_its_first_line(
    old: str, new: str, line: int, smallest: dict[str, Any]
) -> None:
    text = canonical_text(smallest).replace(old, new)
    reading = read_contract_bytes(text.encode(), SHOWN)
    assert reading.contract is not None
    assert codes(reading) == ["CF105"]
    assert (f"line {line} " in reading.findings[0].message) is (line > 0)


def test_a_contract_that_breaks_its_grammar_is_not_asked_for_its_form() -> None:
    assert set(codes(read_contract_bytes(b'{"servers":{}}', SHOWN))) == {"CF103"}


@pytest.mark.parametrize(
    "hostile",
    [
        "\u2028",
        "\U0001f600",
        "*/",
        "'''",
        '"""',
        "{{ x }}",
        "{% raw %}",
        "</script>",
        "\\",
        "\\u0000",
        "%s",
        "${HOME}",
        "`id`",
        "\n---\n",
        "\t",
    ],
)
def test_hostile_text_is_read_and_written_back_as_it_is(
    hostile: str, smallest: dict[str, Any]
) -> None:
    smallest["servers"]["a"]["title"] = f"A {hostile} B"
    text = canonical_text(smallest)
    reading = read_contract_bytes(text.encode(), SHOWN)
    assert reading.findings == ()
    assert reading.contract is not None
    assert reading.contract.data["servers"]["a"]["title"] == f"A {hostile} B"


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 990 + b"]" * 990,
        b'{"counterfoil": 1e999}',
        b'{"counterfoil": ' + b"9" * 5000 + b"}",
        b'{"a": ' * 600 + b"1" + b"}" * 600,
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
    ],
)
def test_hostile_bytes_are_one_finding_and_no_crash(raw: bytes) -> None:
    reading = read_contract_bytes(raw, SHOWN)
    assert reading.contract is None
    assert codes(reading) == ["CF101"]


def test_a_lone_surrogate_is_a_finding_and_its_hash_is_defined(smallest: dict[str, Any]) -> None:
    smallest["servers"]["a"]["title"] = "\ud800"
    reading = read_contract_bytes(json.dumps(smallest).encode(), SHOWN)
    assert codes(reading) == ["CF106"]
    assert reading.contract is not None
    assert len(reading.contract.sha256) == 64


def test_a_file_is_read_and_named_as_shown(tmp_path: Path, smallest: dict[str, Any]) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(canonical_text(smallest).encode())
    contract = read_contract(path, SHOWN).contract
    assert contract is not None
    assert contract.path == SHOWN


def test_a_file_that_is_not_there_or_not_a_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CounterfoilError, match="there is no such file") as caught:
        read_contract(tmp_path / "no.json", SHOWN)
    assert caught.value.place == SHOWN
    assert "counterfoil init" in caught.value.hint
    with pytest.raises(CounterfoilError, match="cannot be read"):
        read_contract(tmp_path, SHOWN)


def test_a_file_is_written_anew_in_canonical_form(tmp_path: Path, smallest: dict[str, Any]) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(smallest, indent=4).encode())
    assert canonical_file(path, SHOWN) == canonical_text(smallest).encode()


@pytest.mark.parametrize(
    "raw", [b"{", b"[]", b"1", b'{"a": 1, "a": 2}', rb'{"a": "\ud800"}', b"\xff"]
)
def test_what_has_no_canonical_form_is_left_alone(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(raw)
    assert canonical_file(path, SHOWN) is None
