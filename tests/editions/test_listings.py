"""Recorded lists are read in every form in which people keep them; broken ones are errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from history import contract, tool

from counterfoil.editions import Edition, read_edition
from counterfoil.errors import CounterfoilError

A, B = tool("a"), tool("b")
URI = {"uri": "docs://x", "name": "x"}
ASKED = {"name": "p"}


def read(data: Any) -> Edition:
    return read_edition(json.dumps(data, indent=1).encode(), "list.json")


def places(edition: Edition) -> dict[str, str]:
    """Return the pointers of all entries by kind and name."""
    [server] = edition.surface.servers.values()
    return {
        f"{kind} {entry.name}": entry.pointer
        for kind, entries in server.entries.items()
        for entry in entries
    }


FORMS: dict[str, tuple[Any, list[str]]] = {
    "array": ([A, B], ["/0", "/1"]),
    "object": ({"tools": [A, B]}, ["/tools/0", "/tools/1"]),
    "result": ({"result": {"tools": [A, B]}}, ["/result/tools/0", "/result/tools/1"]),
    "answer": (
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [A, B], "ttlMs": 0}},
        ["/result/tools/0", "/result/tools/1"],
    ),
    "pages": (
        [{"tools": [A], "nextCursor": "n"}, {"tools": [B]}],
        ["/0/tools/0", "/1/tools/0"],
    ),
    "answers": (
        [{"result": {"tools": [A], "nextCursor": "n"}}, {"result": {"tools": [B]}}],
        ["/0/result/tools/0", "/1/result/tools/0"],
    ),
    "an end that is spelled out": (
        [{"tools": [A, B], "nextCursor": None}],
        ["/0/tools/0", "/0/tools/1"],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_tools_at_their_places(form: str) -> None:
    data, pointers = FORMS[form]
    edition = read(data)
    assert places(edition) == dict(zip(["tool a", "tool b"], pointers, strict=True))
    lines = edition.text.split("\n")
    for pointer, (line, _) in edition.places(pointers).items():
        name = "a" if pointer == pointers[0] else "b"
        assert f'"name": "{name}"' in "".join(lines[line - 1 : line + 2])


def test_other_lists_may_be_beside_the_tools() -> None:
    edition = read({"tools": [A], "resources": [URI], "resourceTemplates": [], "prompts": [ASKED]})
    assert places(edition) == {
        "tool a": "/tools/0", "resource docs://x": "/resources/0", "prompt p": "/prompts/0",
    }  # fmt: skip
    [server] = edition.surface.servers.values()
    assert server.entries["template"] == ()


def test_answers_of_several_lists_may_be_in_one_file() -> None:
    edition = read(
        [
            {"result": {"serverInfo": {"name": "n", "version": "2"}, "instructions": "i"}},
            {"result": {"tools": [A]}},
            {"result": {"prompts": [ASKED]}},
        ]
    )
    assert places(edition) == {"tool a": "/1/result/tools/0", "prompt p": "/2/result/prompts/0"}
    [server] = edition.surface.servers.values()
    assert server.data == {"name": "n", "version": "2", "instructions": "i"}
    assert edition.moved == {
        "/instructions": "/0/result/instructions",
        "/name": "/0/result/serverInfo/name",
        "/prompts": "/2/result/prompts",
        "/tools": "/1/result/tools",
        "/version": "/0/result/serverInfo/version",
    }


def test_a_modern_answer_names_its_server_in_meta() -> None:
    meta = {"io.modelcontextprotocol/serverInfo": {"name": "n", "version": "2"}}
    [server] = read({"tools": [A], "_meta": meta}).surface.servers.values()
    assert server.data == {"name": "n", "version": "2"}


def test_a_list_that_was_not_recorded_is_not_known() -> None:
    [server] = read([A]).surface.servers.values()
    assert set(server.entries) == {"tool"}


@pytest.mark.parametrize("data", [[], {"tools": []}, {"result": {"tools": []}}])
def test_a_server_without_tools_is_a_list(data: Any) -> None:
    [server] = read(data).surface.servers.values()
    assert server.entries["tool"] == ()


def test_a_contract_is_known_by_its_keys() -> None:
    edition = read(contract("a", "b"))
    assert edition.contract is not None
    assert set(edition.surface.servers) == {"notes"}


BROKEN: list[tuple[Any, str, str]] = [
    ({"tools": [A], "nextCursor": "n"}, "#: has a nextCursor", "every page"),
    ([{"tools": [A]}, {"tools": [B], "nextCursor": "n"}], "#/1: has a nextCursor", "every page"),
    ([A, A], "#/1: tools hold 'a' twice", ""),
    ({"prompts": [ASKED, ASKED]}, "#/prompts/1: prompts hold 'p' twice", "each name once"),
    (
        {"prompts": [{"name": "p", "arguments": [{"name": "a"}, {"name": "a"}]}]},
        "#/prompts/0/arguments/1: arguments of 'p' hold 'a' twice",
        "each name once",
    ),
    ({"tools": {"a": A}}, "#/tools: tools is no array", "forms that are read"),
    ({"tools": [A, 3]}, "#/tools: tools is no array of objects", ""),
    ({"tools": [{"name": "a"}]}, "#/tools/0: tool 'a' has no object inputSchema", ""),
    ({"tools": [{"inputSchema": {}}]}, "#/tools/0: has no name", ""),
    ({"resources": [{"name": "x"}]}, "#/resources/0: has no uri", ""),
    ([A, {"tools": [B]}], "#/0: is a tool among", "forms that are read"),
    ([A, 3], "#/0: is a tool among", ""),
    ([{"tools": [A]}, 3], "#/1: is neither a tool nor a page", ""),
    ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}, "#/error: is a refusal", "succeeded"),
    ({"openapi": "3.1.0"}, "#: is neither a contract nor a recorded list", "tools/list"),
    ({}, "#: is neither a contract nor", ""),
    (3, "#: is neither a tool nor a page", ""),
    ("text", "#: is neither a tool nor a page", ""),
    (None, "#: is neither a tool nor a page", ""),
]


@pytest.mark.parametrize(("data", "said", "hint"), BROKEN)
def test_what_cannot_stand_for_a_server_is_an_error(data: Any, said: str, hint: str) -> None:
    with pytest.raises(CounterfoilError) as caught:
        read(data)
    assert said in str(caught.value)
    assert str(caught.value).startswith("list.json:")
    assert hint in caught.value.hint


RAW: list[tuple[bytes, str, str]] = [
    (b"", "list.json:1:1: cannot be read as JSON", ""),
    (b"[1,\n 2", "list.json:2:", ""),
    ("[]".encode("utf-16"), "is not UTF-8", "UTF-16"),
    (b'{"tools": [], "tools": []}', "'tools' is given twice", "keep one"),
    (b"[NaN]", "NaN is no number", ""),
    (b"version https://git-lfs.github.com/spec/v1\noid", "is a pointer of Git LFS", "git lfs pull"),
    (b"[" * 100_000, "nested", ""),
]


@pytest.mark.parametrize(("raw", "said", "hint"), RAW)
def test_bytes_that_are_no_json_are_an_error(raw: bytes, said: str, hint: str) -> None:
    with pytest.raises(CounterfoilError) as caught:
        read_edition(raw, "list.json")
    assert said in str(caught.value)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("version", "hint"), [(0, "rewrite"), (2, "take the counterfoil"), (3, "take the counterfoil")]
)
def test_a_contract_in_another_grammar_is_told_from_a_broken_one(version: int, hint: str) -> None:
    with pytest.raises(
        CounterfoilError, match=f"is written in grammar {version} of contracts"
    ) as e:
        read({**contract(), "counterfoil": version})
    assert hint in e.value.hint


def test_a_contract_that_breaks_the_grammar_is_an_error_with_the_first_place() -> None:
    broken = contract()
    broken["servers"]["notes"]["tools"][0]["colour"] = "red"
    del broken["servers"]["notes"]["binding"]
    with pytest.raises(CounterfoilError, match="does not keep the grammar") as caught:
        read(broken)
    assert "list.json:" in caught.value.what
    assert "and 1 more" in caught.value.what
    assert "of its time" in caught.value.hint


@pytest.mark.parametrize("version", [True, "1", None, 1.5])
def test_a_grammar_that_is_no_version_is_an_error(version: Any) -> None:
    with pytest.raises(CounterfoilError, match="grammar"):
        read({**contract(), "counterfoil": version})


def test_a_contract_with_two_tools_of_one_name_is_an_error() -> None:
    with pytest.raises(CounterfoilError, match="tools hold 'a' twice") as caught:
        read(contract("a", "b", "a"))
    assert "list.json:" in caught.value.place
    assert caught.value.place.endswith("#/servers/notes/tools/2")
