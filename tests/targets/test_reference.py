"""Reference pages."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from counterfoil.contract.model import Contract
from counterfoil.render import read_stamp
from counterfoil.targets.reference import TARGET
from counterfoil.targets.reference.markdown import block, paragraphs, row, slug, span, text, untext
from counterfoil.targets.target import Entry

OUTPUT = ("reference", "docs/{server}.md")
PATH = "docs/harbour.md"
# With HTML, as GitHub and most sites read a page.
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
BREAKS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
PROSE = st.text(st.characters(blacklist_categories=("Cs", "Cc"), whitelist_characters="\n\t"))
MARKUP = st.text(st.sampled_from("`*_~[]()<>#|!&;$\\-+=:.1 \nab\"'{}"), max_size=40)


def inline(markdown: str) -> list[Token]:
    return [child for token in READER.parse(markdown) for child in token.children or ()]


def shown(tokens: list[Token]) -> str:
    """Return what a reader sees of inline tokens."""
    breaks = ("softbreak", "hardbreak")
    return "".join("\n" if token.type in breaks else token.content for token in tokens)


def tables(markdown: str) -> list[list[list[str]]]:
    """Return the tables of a page as rows of what a reader sees in their cells."""
    found: list[list[list[str]]] = []
    for token in READER.parse(markdown):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and found and token.level > 2:
            found[-1][-1].append(shown(token.children or []))
    return found


def headings(markdown: str) -> list[tuple[str, str]]:
    tokens = READER.parse(markdown)
    return [
        (token.tag, shown(tokens[index + 1].children or []))
        for index, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def section(page: str, heading: str) -> str:
    """Return the part of a page under a heading, to the next of the same rank or above."""
    rank = heading.split(" ")[0]
    start = page.index(f"\n{heading}\n") + len(heading) + 2
    ends = [page.find(f"\n{'#' * count} ", start) for count in range(1, len(rank) + 1)]
    return page[start : min((end for end in ends if end >= 0), default=len(page))]


@pytest.fixture
def page(harbour: Contract, make: Any) -> str:
    content: bytes = make(harbour, OUTPUT)[PATH]
    return content.decode()


def test_every_server_has_a_page_with_one_heading_for_each_tool(
    harbour: Contract, make: Any
) -> None:
    files = make(harbour, OUTPUT)
    assert set(files) == {f"docs/{server.id}.md" for server in harbour.servers}
    for server in harbour.servers:
        found = headings(files[f"docs/{server.id}.md"].decode())
        tools = [words for tag, words in found if words.startswith("Tool ")]
        assert tools == [f"Tool {tool.name}" for tool in server.tools]


def test_arguments_are_told_in_words(page: str) -> None:
    (rows,) = tables(section(page, "### Tool `list_berths`"))[:1]
    assert rows == [
        ["Name", "Type", "Required", "Limits", "Default", "Description"],
        ["filter", "object", "no", "no other members", "–", "Which ones."],
        ["filter.minLength", "number", "no", "at least 0", "–", "–"],
        ["filter.shelter", 'one of "full", "half"', "no", "–", "–", "–"],
        ["first", "whole number", "no", "from 1 to 50", "10", "How many at most."],
        ["pier", "text", "yes", "matches ^[A-Z]$", "–", "Letter of the pier."],
    ]


def test_results_link_to_the_types_that_they_are_made_of(page: str) -> None:
    tool = section(page, "### Tool `list_berths`")
    assert "| `berths` | list of [Berth](#type-berth) | yes |" in tool
    assert [words for _, words in headings(page) if words.startswith("Type ")] == [
        "Type Berth", "Type Pier", "Type Position", "Type Tide",
    ]  # fmt: skip
    (rows,) = tables(section(page, "### Type `Tide`"))
    assert [cells[0] for cells in rows[1:]] == [
        "metres (Read)", "state (Read)", "reason (Unreadable)", "state (Unreadable)",
    ]  # fmt: skip


def test_what_could_not_be_read_stands_with_the_tool(page: str) -> None:
    rows = tables(section(page, "### Tool `list_berths`"))[-1]
    assert rows[1] == [
        "/berths/*/tide/state",
        '"unreadable"',
        "/berths/*/tide/reason",
        "The gauge did not answer: the tide is unknown.",
    ]
    assert "What could not be read" not in section(page, "### Tool `measure`")


def test_needs_price_effects_and_surfaces_are_said(page: str) -> None:
    tool = section(page, "### Tool `list_berths`")
    assert "- Offered by: the assistant's tool table, the MCP server\n" in tool
    assert "- Needs: the caller's credential with the scope `read:berths`\n" in tool
    assert "- Price: a call may ask for a payment\n" in tool
    assert "- Effects: reads only, deals with a closed world\n" in tool
    assert "- Calls: the route `berths`, `GET /v1/piers/{pier}/berths`\n" in tool
    local = section(page, "### Tool `find_page`")
    assert "- Needs: nothing: the call never leaves the application" in local
    assert "- Price: none\n" in local
    gone = section(page, "### Tool `measure`")
    assert "may be removed from 2027-01-31 on, use `list_berths` instead. Nobody asks" in gone


def test_lists_of_the_server_are_tables(page: str, harbour: Contract, make: Any) -> None:
    routes = tables(section(page, "## Routes"))[0]
    assert routes[1] == [
        "berths", "GET /v1/piers/{pier}/berths", "bearer", "read:berths", "priced as a read",
        "Berths of a pier.",
    ]  # fmt: skip
    codes = tables(section(page, "## Error codes"))[0]
    assert ["429", "quota_exceeded", "berths"] in codes
    assert tables(section(page, "## Resources"))[0][1][0] == "harbour://chart"
    assert tables(section(page, "## Resource templates"))[0][1][0] == "harbour://pier/{pier}"
    assert ["price", "This is a price."] in tables(section(page, "## Wording"))[0]
    gull = make(harbour, OUTPUT)["docs/gull.md"].decode()
    outbound = tables(section(gull, "## Outbound requests"))[0]
    assert [cells[0] for cells in outbound[1:]] == [
        "GET https://weather.example/v1/*",
        "POST https://auth.example:8443/token",
        "HEAD https://weather.example/v1/*",
    ]


def test_a_prompt_shows_its_arguments_and_messages(page: str) -> None:
    prompt = section(page, "### Prompt `arrival`")
    assert tables(prompt)[0][1:] == [
        ["ship", "yes", "–", "Name of the ship."],
        ["day", "no", "today", "Which day."],
    ]
    assert "```text\nFind a berth for {ship} on {day}.\n\nName every tide" in prompt


def test_announced_ends_stand_with_what_ends(data: Any, make_contract: Any, make: Any) -> None:
    gone = {"date": "2027-01-31", "note": "Too slow."}
    for key in ("prompts", "resources"):
        data["servers"]["harbour"][key][0]["deprecated"] = gone
    page = make(make_contract(data), ("reference", "docs/{server}.md"))["docs/harbour.md"]
    told = "**Deprecated**: may be removed from 2027-01-31 on. Too slow."
    assert page.decode().count(told) == 2


def calls(count: int) -> list[dict[str, Any]]:
    return [
        {"name": f"call {number}", "arguments": {"pier": str(number)}, "because": f"why {number}"}
        for number in range(count)
    ]


def test_a_few_example_calls_are_shown_and_the_rest_counted(harbour: Contract, make: Any) -> None:
    cases = {("harbour", "list_berths"): {"accepted": calls(4), "refused": calls(7)}}
    made = make(harbour, OUTPUT, cases=cases)[PATH].decode()
    tool = section(made, "### Tool `list_berths`")
    assert tool.count("Accepted: ") == 3
    assert tool.count("Refused: ") == 5
    assert 'Refused: call 4, because why 4\n\n```json\n{\n  "pier": "4"\n}\n```' in tool
    assert "The tool's case file has 3 more." in tool
    few = {("harbour", "list_berths"): {"accepted": calls(1), "refused": calls(1)}}
    assert "more." not in section(
        make(harbour, OUTPUT, cases=few)[PATH].decode(), "### Tool `list_berths`"
    )


@pytest.mark.parametrize("name", ["harbour", "hostile", "real"])
def test_pages_hold_no_html_no_foreign_link_and_no_foreign_heading(
    name: str, request: pytest.FixtureRequest, make: Any
) -> None:
    contract: Contract = request.getfixturevalue(name)
    cases = {
        (server.id, tool.name): {"accepted": calls(1), "refused": calls(1)}
        for server in contract.servers
        for tool in server.tools
    }
    for path, content in make(contract, OUTPUT, cases=cases).items():
        page = content.decode()
        tokens = READER.parse(page)
        html = [token.content for token in tokens if token.type == "html_block"]
        assert len(html) == 1
        assert html[0].startswith("<!-- Generated by counterfoil")
        inner = [child for token in tokens for child in token.children or ()]
        kinds = {token.type for token in inner}
        assert kinds <= {
            "code_inline", "hardbreak", "link_close", "link_open", "softbreak", "strong_close",
            "strong_open", "text", "text_special",
        }  # fmt: skip
        anchors = {slug(words) for _, words in headings(page)}
        links = {str(token.attrGet("href")) for token in inner if token.type == "link_open"}
        assert {link.removeprefix("#") for link in links} <= anchors
        server = contract.server(Path(path).stem)
        expected = len(server.tools) + len(server.parts("prompts"))
        third = [words for tag, words in headings(page) if tag == "h3"]
        assert len([words for words in third if not words.startswith("Type ")]) == expected
        assert len([words for tag, words in headings(page) if tag == "h1"]) == 1


def test_hostile_text_reads_as_it_was_written(hostile: Contract, make: Any) -> None:
    page = make(hostile, OUTPUT)[PATH].decode()
    described = hostile.server("harbour").tools[0].description
    whole = shown(inline(section(page, "### Tool `find_page`")))
    for line in BREAKS.split(described):
        assert line.strip() in whole
    (rows,) = tables(section(page, "## Wording"))
    assert rows[1] == ["unknown", " ".join(each.strip() for each in BREAKS.split(described))]


@settings(deadline=None)
@given(PROSE | MARKUP)
def test_any_text_reads_as_it_was_written(value: str) -> None:
    line = " ".join(part.strip() for part in BREAKS.split(value)).strip()
    assert untext(text(value)) == line
    # A reader of Markdown drops or joins white space of its own choice.
    assert shown(inline(text(value))).split() == line.split()
    cell = tables(f"{row(['a', 'b'])}\n{row(['---', '---'])}\n{row([text(value), 'end'])}")
    assert [each.split() for each in cell[0][1]] == [line.split() or ["–"], ["end"]]


@settings(deadline=None)
@given(PROSE | MARKUP)
def test_any_code_reads_as_it_was_written(value: str) -> None:
    line = BREAKS.sub(r"\\n", value)
    rows = f"{row(['a', 'b'])}\n{row(['---', '---'])}\n{row([span(value), 'end'])}"
    assert [each.split() for each in tables(rows)[0][1]] == [line.split() or ["–"], ["end"]]
    assert untext(span(value)) == line


@settings(deadline=None)
@given(PROSE | MARKUP)
def test_any_paragraphs_read_as_they_were_written(value: str) -> None:
    tokens = READER.parse(paragraphs(value))
    assert {token.type for token in tokens} <= {"inline", "paragraph_close", "paragraph_open"}
    assert "\n".join(shown(token.children or []) for token in tokens).split() == value.split()


@settings(deadline=None)
@given(PROSE | MARKUP)
def test_nothing_ends_a_block_before_its_end(value: str) -> None:
    tokens = READER.parse(f"{block(value)}\n\nend\n")
    assert [token.type for token in tokens] == [
        "fence", "paragraph_open", "inline", "paragraph_close",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["harbour", "hostile"])
def test_the_page_holds_every_entry(
    name: str, request: pytest.FixtureRequest, make_steps: Any, make: Any
) -> None:
    contract = request.getfixturevalue(name)
    (step,) = make_steps(contract, OUTPUT)
    files = make(contract, OUTPUT)
    expected = TARGET.expected(step.request)
    assert {entry.kind for entry in expected} == {
        "outbound", "prompt", "resource", "route", "template", "tool",
    }  # fmt: skip
    assert TARGET.found(step.request, files) == expected
    crlf = {path: content.replace(b"\n", b"\r\n") for path, content in files.items()}
    assert TARGET.found(step.request, crlf) == expected


def test_an_entry_that_is_missing_or_foreign_is_noticed(
    harbour: Contract, make_steps: Any, make: Any
) -> None:
    (step,) = make_steps(harbour, OUTPUT)
    files = make(harbour, OUTPUT)
    changed = files[PATH].replace(b"### Tool `measure`", b"### Tool `ghost`")
    files[PATH] = changed.replace(b"| `moor` |", b"| `moon` |")
    expected, found = TARGET.expected(step.request), TARGET.found(step.request, files)
    assert expected - found == {
        Entry("harbour", "tool", "measure"), Entry("harbour", "route", "moor"),
    }  # fmt: skip
    assert found - expected == {
        Entry("harbour", "tool", "ghost"), Entry("harbour", "route", "moon"),
    }  # fmt: skip
    assert TARGET.found(step.request, {PATH: b"\xff\x00"}) == set()


def test_the_hash_covers_what_the_page_shows(data: Any, make_contract: Any, make: Any) -> None:
    def digest(changed: Any, cases: Any = None) -> str:
        stamp = read_stamp(make(make_contract(changed), OUTPUT, cases=cases)[PATH])
        assert stamp is not None
        assert stamp.intact
        return stamp.digest

    key = ("harbour", "list_berths")
    before = digest(data, {key: {"refused": calls(7)}})
    unshown = json.loads(json.dumps(calls(7)))
    unshown[6]["because"] = "Other words."
    assert digest(data, {key: {"refused": unshown}}) == before
    unshown[0]["because"] = "Other words."
    assert digest(data, {key: {"refused": unshown}}) != before
    other = copy.deepcopy(data)
    other["servers"]["buoy"]["title"] = "Other words."
    other["$defs"]["Unused"]["description"] = "Other words."
    other["servers"]["harbour"]["tools"][0]["_meta"] = {"a": 1}
    assert digest(other, {key: {"refused": calls(7)}}) == before
    other["$defs"]["Position"]["description"] = "Other words."
    assert digest(other, {key: {"refused": calls(7)}}) != before
