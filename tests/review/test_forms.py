"""Each form of a review against its published form."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from history import contract, require, tool
from lxml import etree
from markdown_it import MarkdownIt
from reviewed import review

from counterfoil.config import CLASSES
from counterfoil.review import Acceptance, Accepted, Review
from counterfoil.review.formats import FORMATS

TESTS = Path(__file__).parents[1]
SARIF = TESTS / "node/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
HOSTILE = (
    "a|b`c`<img src=x>\n::error::x @admin #1 [l](http://x.y) www.x.y *b* \x1b[2J\u202e\ud800 é"
)


def hostile(name: str) -> list[dict[str, Any]]:
    """Return a list whose every text would do something where it is shown."""
    schema = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    return [tool(f"t {name}", inputSchema=schema, description=name)]


@pytest.fixture(params=["none", "plain", "accepted", "hostile", "partial"])
def some(request: pytest.FixtureRequest) -> Review:
    base = contract("search")
    target = require(contract("search", "export"))
    if request.param == "none":
        return review(base, base)
    if request.param == "plain":
        return review(base, target)
    if request.param == "partial":
        return review(base, {"tools": [tool("export")]})
    if request.param == "hostile":
        old = [tool(f"t {HOSTILE}", description="d")]
        return review(old, hostile(HOSTILE))
    return accepting(base, target)


def accepting(base: Any, target: Any) -> Review:
    """Return a review in which one change is accepted, one entry is over and one is stale."""
    first, second = review(base, target).verdicts[:2]
    entries = (
        Acceptance(first.at, first.change.code, first.change.fingerprint, HOSTILE, "2026-12-31"),
        Acceptance(second.at, second.change.code, second.change.fingerprint, "x", "2026-01-31"),
        Acceptance("gone", "CF401", "0" * 12, "x"),
    )
    text = json.dumps({"accepted": [vars(entry) for entry in entries]}, indent=1)
    return review(base, target, accepted=Accepted("accepted.json", text, entries))


def test_text_says_place_class_call_and_what_to_do() -> None:
    base = contract("search")
    text = FORMATS["text"](review(base, require(base), level="wire"))
    lines = text.splitlines()
    assert re.match(
        r"new\.json:\d+:\d+ #/servers/notes/tools/0/inputSchema/required: CF410 \(breaking; "
        r"for wire, generated\) notes tool search: ",
        lines[0],
    )
    assert lines[1].startswith("    call that worked: search {")
    assert lines[2].startswith('    refused now: lacks "region"')
    assert lines[3].startswith("  hint: ")
    assert re.fullmatch(r"  fingerprint: [0-9a-f]{12}  at: notes/tool/search .*", lines[4])
    assert lines[-1] == "1 breaking"


def test_text_of_nothing_is_nothing() -> None:
    assert FORMATS["text"](review(contract(), contract())) == ""


def test_a_removal_is_reported_at_the_list_that_held_it() -> None:
    document = json.loads(FORMATS["json"](review(contract(), contract("search"))))
    gone = next(each for each in document["changes"] if each["code"] == "CF401")
    assert gone["base"]["pointer"] == "/servers/notes/tools/0"
    assert gone["target"]["pointer"] == "/servers/notes/tools"
    assert gone["target"]["line"] > 1


def test_text_shows_what_a_terminal_would_obey(some: Review) -> None:
    shown = FORMATS["text"](some)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", shown)
    assert not re.search(r"^\s*::", shown, re.MULTILINE)


def test_json_keeps_its_published_schema(some: Review) -> None:
    folder = resources.files("counterfoil.review.formats")
    schema = json.loads((folder / "breaking.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    text = FORMATS["json"](some)
    document = json.loads(text)
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    assert len(document["changes"]) == len(some.verdicts)
    by_class = [document["summary"][each] for each in CLASSES]
    assert sum(by_class) + document["summary"]["accepted"] == len(some.verdicts)


def test_sarif_keeps_its_published_schema(some: Review) -> None:
    if not SARIF.is_file():
        pytest.skip("the SARIF schema comes with the npm packages of tests/node")
    schema = json.loads(SARIF.read_text("utf-8"))
    jsonschema.Draft7Validator(schema).validate(json.loads(FORMATS["sarif"](some)))


def test_sarif_suppresses_what_is_accepted_and_knows_changes_again() -> None:
    base = contract("search")
    found = accepting(base, require(contract("search", "export")))
    results = json.loads(FORMATS["sarif"](found))["runs"][0]["results"]
    assert results[0]["suppressions"][0]["status"] == "accepted"
    assert results[0]["level"] == "note"
    assert "suppressions" not in results[1]
    prints = [each["partialFingerprints"] for each in results[:2]]
    assert prints == [{"change/v1": each.change.fingerprint} for each in found.verdicts]
    assert results[0]["properties"]["witness"]["tool"] == "search"
    assert {each["ruleId"] for each in results[2:]} == {"CF495", "CF496"}


def test_junit_keeps_its_published_schema(some: Review) -> None:
    schema = etree.XMLSchema(etree.parse(str(TESTS / "data" / "junit-10.xsd")))
    text = FORMATS["junit"](some).encode("utf-8")
    schema.assertValid(etree.fromstring(text))
    failures = int(ElementTree.fromstring(text).attrib["failures"])
    errors = json.loads(FORMATS["json"](some))["summary"]["errors"]
    assert failures == errors


COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-z]+=[^,:]*,?)+)::(.*)")


def test_github_commands_are_one_line_each(some: Review) -> None:
    lines = FORMATS["github"](some).split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(some.verdicts) + len(some.findings)
    for line in lines:
        assert COMMAND.fullmatch(line), line


def test_github_shows_the_call_that_worked() -> None:
    base = contract("search")
    first = FORMATS["github"](review(base, require(base))).split("\n")[0]
    assert first.startswith("::error file=new.json,title=CF410,line=")
    assert "%0Acall that worked: search {" in first


def test_github_shows_marks_of_direction_as_escapes() -> None:
    base = contract("search")
    target = contract("search")
    target["servers"]["notes"]["tools"][0]["description"] = "Find \u202enothing."
    told = FORMATS["github"](review(base, target))
    assert "\u202e" not in told
    assert "\\u202e" in told


def rendered(text: str) -> ElementTree.Element:
    """Return Markdown as a browser gets it."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    html = html.replace("<br>", "<br/>").replace("&nbsp;", " ")
    return ElementTree.fromstring(f"<body>{html}</body>")


ALLOWED = {
    "body", "h3", "h4", "p", "table", "thead", "tbody", "tr", "th", "td", "br", "sub", "code",
    "details", "summary", "ul", "li",
}  # fmt: skip


def test_markdown_is_a_table_for_each_class_and_nothing_foreign_acts(some: Review) -> None:
    text = FORMATS["markdown"](some)
    body = rendered(text.encode("utf-8", "replace").decode())
    assert {each.tag for each in body.iter() if isinstance(each.tag, str)} <= ALLOWED
    rows = body.findall(".//tbody/tr")
    assert len(rows) == len(some.verdicts)
    assert all(len(row) == 4 for row in rows)
    for parent in body.iter():
        for told in ([parent.text] if parent.tag != "code" else []) + [e.tail for e in parent]:
            assert not re.search(r"[@#]\w|https?://|www\.", told or ""), told


def test_markdown_shows_what_breaks_and_folds_the_rest() -> None:
    base = contract("search")
    found = review(base, require(contract("search", "export")))
    text = FORMATS["markdown"](found)
    assert text.startswith("<!-- counterfoil breaking -->\n### What this changes for callers: ")
    body = rendered(text)
    assert [each.text for each in body.iter("h4")] == ["1 breaking"]
    assert [each.text for each in body.iter("summary")] == ["1 additive"]
    codes = ["".join(each.itertext()) for each in body.findall(".//td/code")]
    assert any(code.startswith('search {"query"') for code in codes)


def test_markdown_of_many_changes_fits_into_a_comment() -> None:
    base = [tool(f"tool_{number}") for number in range(1000)]
    text = FORMATS["markdown"](review(base, []))
    assert len(text) < 65_536
    assert re.search(r"\nAnd \d+ more, which `counterfoil breaking` prints\.\n", text)


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_review_gives_the_same_bytes(form: str) -> None:
    base, target = contract("a", "b", "c"), require(contract("a", "d"), name="a")
    assert FORMATS[form](review(base, target)) == FORMATS[form](review(base, target))
