"""Cases of tools, held against their schemas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterfoil.contract.cases import Cases, grammar_text, read_cases
from counterfoil.contract.model import Contract
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding
from counterfoil.lint import lint_cases

Lint = Callable[..., tuple[Finding, ...]]
FIND = "shop/find_on_page.json"
GET = "shop/get_item.json"


def codes(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return sorted((finding.code, finding.pointer) for finding in findings)


def contract() -> Contract:
    data = {"counterfoil": 1, "servers": {"s": {"tools": [{"name": "t"}]}}}
    return Contract("contract.json", "", data)


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (b"", 1, 1),
        (b'{"accepted": []\n 1}', 2, 2),
        (b'{"accepted": [NaN]}', 1, 15),
        (b'{"accepted": [1e999]}', 1, 15),
        (b'{"accepted": "\xff"}', 1, 15),
        (b"[" * 300 + b"]" * 300, 1, 1),
    ],
)
def test_a_file_that_is_no_json_is_placed_and_hides_nothing_else(
    content: bytes, line: int, column: int, lint_files: Lint
) -> None:
    findings = lint_files((FIND, content), (f"{GET}#/refused/0/name", "one"))
    assert [finding.code for finding in findings] == ["CF180", "CF185"]
    assert (findings[0].path, findings[0].line, findings[0].column) == (
        f"cases/{FIND}",
        line,
        column,
    )


def test_half_a_character_is_refused_where_it_stands(lint_files: Lint) -> None:
    content = rb'{"accepted": [{"name": "\ud800", "arguments": {"\udc00": 1}}], "refused": []}'
    findings = lint_files((FIND, content))
    assert codes(findings) == [("CF180", "/accepted/0/arguments"), ("CF180", "/accepted/0/name")]


def test_control_characters_are_allowed_in_arguments(lint_files: Lint) -> None:
    assert lint_files((f"{FIND}#/accepted/0/arguments/word", "a\x00\u202e")) == ()


@pytest.mark.parametrize(
    ("data", "pointers"),
    [
        ([], [""]),
        ({}, ["", ""]),
        ({"accepted": [], "refused": [], "extra": 1, "results": {}}, ["/extra", "/results"]),
        (
            {"accepted": [{"name": "", "arguments": []}], "refused": [{"name": "a"}]},
            ["/accepted/0/arguments", "/accepted/0/name", "/refused/0", "/refused/0"],
        ),
        (
            {"accepted": [], "refused": [], "results": {"accepted": [{"name": "a"}]}},
            ["/results/accepted/0"],
        ),
    ],
)
def test_every_breach_of_the_grammar_has_its_pointer(
    data: Any, pointers: list[str], lint_files: Lint
) -> None:
    findings = lint_files((FIND, data))
    assert codes(findings) == [("CF181", pointer) for pointer in pointers]


def test_an_accepted_case_that_is_refused_says_where_and_why(lint_files: Lint) -> None:
    findings = lint_files((f"{GET}#/accepted/1/arguments", {"itemId": "A!", "limit": 0}))
    assert [(each.code, each.pointer, each.message) for each in findings] == [
        (
            "CF186",
            "/accepted/1",
            '"one with a limit" is refused at /itemId: "A!" is not matched by "^[a-z0-9]{1,8}$"',
        ),
        ("CF186", "/accepted/1", '"one with a limit" is refused at /limit: 0 is less than 1'),
    ]


def test_results_are_judged_by_the_output_schema(lint_files: Lint) -> None:
    findings = lint_files(
        (f"{GET}#/results/accepted/0/value/state", "gone"),
        (f"{GET}#/results/refused/0/value/state", "read"),
        (f"{GET}#/results/refused/0/name", "read"),
    )
    assert codes(findings) == [
        ("CF185", "/results/refused/0/name"),
        ("CF186", "/results/accepted/0"),
        ("CF187", "/results/refused/0"),
    ]


def test_a_call_and_a_result_may_have_one_name(lint_files: Lint) -> None:
    assert lint_files((f"{GET}#/results/accepted/0/name", "one")) == ()


def test_cases_of_a_schema_that_cannot_judge_are_passed_over(lint_files: Lint) -> None:
    schema = "/servers/shop/tools/0/inputSchema/properties/word"
    for broken in ({"type": "x"}, {"pattern": "("}, {"$ref": "#/$defs/No"}, {"pattern": "(?i)a"}):
        assert lint_files(contract=((schema, broken),)) == ()


def test_a_value_that_is_too_deep_for_python_is_still_judged(lint_files: Lint) -> None:
    tree = {"anyOf": [{"type": "null"}, {"items": {"$ref": "#/$defs/Tree"}, "type": "array"}]}
    schema = "/servers/shop/tools/0/inputSchema/properties/word"
    deep: list[Any] = []
    wrong: list[Any] = ["leaf"]
    for _ in range(180):
        deep, wrong = [deep], [wrong]
    findings = lint_files(
        (f"{FIND}#/accepted/0/arguments/word", deep),
        (f"{FIND}#/accepted/1/arguments/word", wrong),
        contract=((schema, {"$ref": "#/$defs/Tree"}), ("/$defs/Tree", tree)),
    )
    assert codes(findings) == [("CF186", "/accepted/1")]


@pytest.mark.parametrize(
    "path",
    [
        "shop/find.json",
        "shops/find_on_page.json",
        "find_on_page.json",
        "shop/deep/find_on_page.json",
        "shop/Find_On_Page.json",
    ],
)
def test_a_file_of_no_tool_is_reported_without_being_read(path: str, lint_files: Lint) -> None:
    findings = lint_files((path, b"no json"))
    assert [(each.code, each.path) for each in findings] == [("CF189", f"cases/{path}")]


def test_a_renamed_tool_has_no_cases_and_leaves_a_stale_file(lint_files: Lint) -> None:
    findings = lint_files(contract=(("/servers/wrap/tools/0/name", "get_pages"),))
    assert [(each.code, each.path) for each in findings] == [
        ("CF189", "cases/wrap/get_page.json"),
        ("CF182", "contract.json"),
    ]
    assert findings[1].hint == "write cases/wrap/get_pages.json"


def test_other_files_are_left_alone(lint_files: Lint, tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/README.md").write_text("Cases.")
    assert lint_files() == ()


def test_byte_order_mark_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "cases/s").mkdir(parents=True)
    text = '{"accepted": [],\r\n"refused": []}\r\n'
    (tmp_path / "cases/s/t.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    cases, findings = read_cases(tmp_path, "cases", contract())
    assert findings == ()
    assert dict(cases) == {("s", "t"): {"accepted": [], "refused": []}}


def test_cases_are_a_mapping_in_sorted_order(tmp_path: Path) -> None:
    cases, _ = read_cases(Path(__file__).parents[2], "contract/cases", contract())
    assert len(cases) == 0
    assert list(Cases({})) == []
    with pytest.raises(KeyError):
        cases["s", "t"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CounterfoilError, match="cases: there is no such folder"):
        read_cases(tmp_path, "cases", contract())


def test_a_case_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cases/s/t.json").mkdir(parents=True)
    with pytest.raises(CounterfoilError, match=r"cases/s/t\.json: cannot be read"):
        read_cases(tmp_path, "cases", contract())


def test_the_grammar_of_cases_is_a_schema_that_describes_itself() -> None:
    text = grammar_text()
    assert text.startswith("{\n")
    assert text.endswith("}\n")
    assert '"description"' in text


def test_without_cases_every_tool_is_reported(lint_files: Lint) -> None:
    findings = lint_files(*((path, ...) for path in (FIND, GET)))
    assert codes(findings) == [
        ("CF182", "/servers/shop/tools/0/name"),
        ("CF182", "/servers/shop/tools/1/name"),
    ]


def test_an_empty_contract_has_nothing_to_report() -> None:
    empty = Contract("contract.json", "{}", {"servers": {}})
    assert lint_cases(empty, Cases({})) == ()
