"""Headers, literals and docstrings of generated files."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.render import (
    docstring,
    literal,
    read_stamp,
    with_comment,
    with_html_comment,
    with_json_key,
)

DIGEST = "0" * 64
HOSTILE = "\"\"\" ''' \\ \\N{BULLET} {{ x }} */ </script> \n\u2028\u202e \x00 ${x} `"

FORMS = {
    "comment": with_comment("c.json#/a", DIGEST, "x = 1\n"),
    "html": with_html_comment("c.json#/a", DIGEST, "# x = 1\n"),
    "json": with_json_key("c.json#/a", DIGEST, {"x": 1}),
    "empty json": with_json_key("c.json#/a", DIGEST, {}),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_header_names_its_source_and_is_intact_as_written(form: str) -> None:
    stamp = read_stamp(FORMS[form])
    assert stamp is not None
    assert (stamp.source, stamp.digest, stamp.intact) == ("c.json#/a", DIGEST, True)


@pytest.mark.parametrize("form", FORMS)
def test_a_crlf_checkout_is_no_edit(form: str) -> None:
    stamp = read_stamp(FORMS[form].replace(b"\n", b"\r\n"))
    assert stamp is not None
    assert stamp.intact


@pytest.mark.parametrize("form", ["comment", "html", "json"])
def test_an_edit_below_the_header_is_seen(form: str) -> None:
    stamp = read_stamp(FORMS[form].replace(b"1\n", b"2\n"))
    assert stamp is not None
    assert not stamp.intact


def test_an_appended_line_is_seen() -> None:
    stamp = read_stamp(FORMS["comment"] + b"y = 2\n")
    assert stamp is not None
    assert not stamp.intact


def test_a_file_of_somebody_else_has_no_stamp() -> None:
    assert read_stamp(b"x = 1\n") is None
    assert read_stamp(b"") is None


def test_a_header_deep_in_a_file_is_no_header() -> None:
    assert read_stamp(b"#" * 5000 + b"\n" + FORMS["comment"]) is None


def test_json_with_a_header_is_json() -> None:
    assert json.loads(FORMS["json"])["x"] == 1
    assert list(json.loads(FORMS["empty json"])) == ["$comment"]


@given(st.one_of(st.text(), st.integers(), st.none(), st.booleans(), st.lists(st.text())))
def test_a_literal_reads_back_as_the_value(value: object) -> None:
    assert ast.literal_eval(literal(value)) == value


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_docstring_reads_back_as_the_text(text: str) -> None:
    if "\r" in text or "\0" in text:
        return  # refused in a contract, see CF106
    source = f'def f():\n    """{docstring(text)}"""\n'
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    found = ast.get_docstring(function, clean=False)
    assert found is not None
    lines = [line.removeprefix("    ") for line in found.split("\n")[1:]]
    assert "\n".join([found.split("\n")[0], *lines]) == text


def test_hostile_text_does_not_leave_its_docstring() -> None:
    tree = ast.parse(f'def f():\n    """{docstring(HOSTILE.replace(chr(0), ""))}"""\n')
    assert len(tree.body) == 1
