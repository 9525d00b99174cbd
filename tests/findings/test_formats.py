"""Each form of findings against its published form."""

from __future__ import annotations

import dataclasses
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest
from lxml import etree

from counterfoil.findings import NOTE, WARNING, Finding
from counterfoil.findings.formats import FORMATS

DATA = Path(__file__).parents[1] / "data"
NODE = Path(__file__).parents[1] / "node" / "node_modules"
SARIF = NODE / "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"

HOSTILE = "a%b:c,d\r\n::error::x <&\"'> \x01 \ud800 \ufffe é 🌍"
PLAIN = Finding(
    path="contract/contract.json",
    line=3,
    column=7,
    pointer="/servers/a~1b/tools/0",
    code="CF104",
    message="nested object has no title",
    hint='add "title"',
    detail="-a\n+b",
)
ODD = Finding(
    path="a b/é,x:y.json", line=0, column=0, pointer="", code="CF201", message=HOSTILE,
    severity=WARNING,
)  # fmt: skip
SOME = [PLAIN, ODD]
COUNTS = pytest.mark.parametrize("findings", [[], [PLAIN], SOME], ids=["none", "one", "two"])


def test_text_says_place_code_message_and_hint() -> None:
    assert FORMATS["text"]([PLAIN], "check") == (
        "contract/contract.json:3:7 #/servers/a~1b/tools/0: "
        "CF104 (error) nested object has no title\n"
        "    -a\n    +b\n"
        '  hint: add "title"\n'
        "1 error\n"
    )


def test_text_of_nothing_is_nothing() -> None:
    assert FORMATS["text"]([], "check") == ""


def test_text_counts_errors_and_warnings() -> None:
    assert FORMATS["text"](SOME, "check").endswith("1 error, 1 warning\n")


HOSTILE_LINES = ("\n::error::x", "\r::error::x", "\x1b[2J", "\x9b2J", "\u2028::error::x", "\u202e")


@pytest.mark.parametrize("hostile", HOSTILE_LINES)
@pytest.mark.parametrize("part", ["path", "pointer", "message", "hint"])
def test_text_shows_what_a_terminal_would_obey(hostile: str, part: str) -> None:
    plain = FORMATS["text"]([PLAIN], "check")
    changes: dict[str, Any] = {part: f"{getattr(PLAIN, part)}{hostile}"}
    spoiled = dataclasses.replace(PLAIN, **changes)
    shown = FORMATS["text"]([spoiled], "check")
    assert shown.count("\n") == plain.count("\n")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", shown)
    assert ("\\x" in shown) or ("\\u" in shown)


def test_text_keeps_the_lines_of_a_detail_and_none_is_a_command() -> None:
    finding = dataclasses.replace(PLAIN, detail="-\ta\n ::error::x\n+\x1b[2J\r::error::y")
    lines = FORMATS["text"]([finding], "check").split("\n")
    assert lines[1:4] == ["    -\ta", "     \\x3a:error::x", "    +\\x1b[2J\\x0d::error::y"]


def test_text_begins_no_line_with_a_path_that_is_a_command() -> None:
    finding = dataclasses.replace(PLAIN, path="::error::x")
    assert FORMATS["text"]([finding], "check").startswith("\\x3a:error::x")


@pytest.mark.parametrize(("name", "uri"), [("a\udcff.json", "a%FF.json"), ("\ud800", "%ED%A0%80")])
def test_sarif_names_a_file_whose_name_is_not_utf_8(name: str, uri: str) -> None:
    log = json.loads(FORMATS["sarif"]([dataclasses.replace(PLAIN, path=name)], "check"))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == uri


@COUNTS
def test_json_keeps_its_published_schema(findings: list[Finding]) -> None:
    folder = resources.files("counterfoil.findings.formats")
    schema = json.loads((folder / "findings.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(FORMATS["json"](findings, "check"))
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    assert len(document["findings"]) == len(findings)


@COUNTS
def test_sarif_keeps_its_published_schema(findings: list[Finding]) -> None:
    if not SARIF.is_file():
        pytest.skip("the SARIF schema comes with the npm packages of tests/node")
    schema = json.loads(SARIF.read_text("utf-8"))
    log = json.loads(FORMATS["sarif"](findings, "check"))
    jsonschema.Draft7Validator(schema).validate(log)


def test_a_note_is_no_warning_in_any_form() -> None:
    note = dataclasses.replace(PLAIN, severity=NOTE)
    assert ": CF104 (note) nested" in FORMATS["text"]([note], "check")
    assert FORMATS["text"]([note], "check").endswith("1 note\n")
    assert FORMATS["github"]([note], "check").startswith("::notice file=")
    assert json.loads(FORMATS["sarif"]([note], "check"))["runs"][0]["results"][0]["level"] == "note"
    assert json.loads(FORMATS["json"]([note], "check"))["summary"] == {
        "errors": 0, "warnings": 0, "notes": 1,
    }  # fmt: skip
    suite = ElementTree.fromstring(FORMATS["junit"]([note], "check"))
    assert suite.attrib["failures"] == "0"


def test_sarif_names_rule_place_and_level() -> None:
    log = json.loads(FORMATS["sarif"](SOME, "check"))
    run = log["runs"][0]
    first, second = run["results"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in (first, second)] == ["CF104", "CF201"]
    place = first["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 3, "startColumn": 7}
    odd = second["locations"][0]["physicalLocation"]
    assert unquote(odd["artifactLocation"]["uri"]) == ODD.path
    assert "region" not in odd
    assert second["level"] == "warning"


@COUNTS
def test_junit_keeps_its_published_schema(findings: list[Finding]) -> None:
    schema = etree.XMLSchema(etree.parse(str(DATA / "junit-10.xsd")))
    schema.assertValid(etree.fromstring(FORMATS["junit"](findings, "check").encode("utf-8")))


def test_junit_fails_for_an_error_and_not_for_a_warning() -> None:
    root = ElementTree.fromstring(FORMATS["junit"](SOME, "check"))
    assert root.attrib["tests"] == "2"
    assert root.attrib["failures"] == "1"
    assert [case.find("failure") is not None for case in root.iter("testcase")] == [True, False]


# GitHub Actions, toolkit's command.ts: ::name key=value,key=value::message on one line.
COMMAND = re.compile(r"::(error|warning) ((?:[a-z]+=[^,:]*,?)+)::(.*)")


def test_github_commands_are_one_line_each_and_read_back() -> None:
    lines = FORMATS["github"](SOME, "check").split("\n")
    assert lines.pop() == ""
    assert len(lines) == 2
    for line, finding in zip(lines, SOME, strict=True):
        match = COMMAND.fullmatch(line)
        assert match, line
        level, properties, message = match.groups()
        given = dict(each.split("=", 1) for each in properties.split(","))
        assert level == finding.severity
        assert unescape(given["file"]) == finding.path
        assert given["title"] == finding.code
        assert ("line" in given) == bool(finding.line)
        assert finding.message in unescape(message)


def unescape(text: str) -> str:
    for code, character in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, character)
    return text
