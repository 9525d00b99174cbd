"""The page of a whole contract, as bytes. How it behaves is tried in a browser."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from counterfoil.cache import Cache
from counterfoil.contract.model import Contract
from counterfoil.render import read_stamp
from counterfoil.targets.page import TARGET
from counterfoil.targets.page.clients import snippets
from counterfoil.targets.page.markup import anchor, code, json_text, paragraphs, seen, words
from counterfoil.targets.target import Entry, Launch, Request

PATH = "docs/contract.html"
OUTPUT = ("page", PATH)
TEXT = st.text(st.characters(blacklist_categories=("Cs",)) | st.sampled_from("<>&\"'`-/!\u202e\n"))
# Attributes that make a browser fetch something or run something.
ACTIVE = re.compile(r"src|srcset|action|formaction|data|poster|background|srcdoc|on\w+")


def calls(count: int) -> list[dict[str, Any]]:
    return [
        {"name": f"call {number}", "arguments": {"pier": str(number)}, "because": f"why {number}"}
        for number in range(count)
    ]


def parsed(content: bytes) -> Any:
    return html.document_fromstring(content.decode())


def tool_of(page: Any, server: str, name: str) -> Any:
    (found,) = page.xpath(f"//article[@id='{server}/tool/{name}']")
    return found


def table_of(part: Any, heading: str) -> list[list[str]]:
    """Return the cells of the table after a heading, without its head."""
    (table,) = part.xpath(f".//h5[text()='{heading}']/following::table[1]")
    return [
        [" ".join(cell.text_content().split()) for cell in row.xpath("./th|./td")]
        for row in table.xpath(".//tbody/tr")
    ]


@pytest.fixture
def page(harbour: Contract, make: Any) -> Any:
    return parsed(make(harbour, OUTPUT)[PATH])


def test_arguments_are_a_table_with_nested_objects_opened(page: Any) -> None:
    assert table_of(tool_of(page, "harbour", "list_berths"), "Arguments") == [
        ["filter", "objectno other members", "Which ones."],
        ["minLength", "numberat least 0", ""],
        ["shelter", 'one of "full", "half"', ""],
        ["first", "whole numberfrom 1 to 50default 10", "How many at most."],
        ["pier required", "textmatches ^[A-Z]$", "Letter of the pier."],
    ]


def test_a_result_opens_shared_shapes_where_they_stand_and_links_to_them(page: Any) -> None:
    tool = tool_of(page, "harbour", "list_berths")
    names = [cells[0].split(" ")[0] for cells in table_of(tool, "Result")]
    assert names[0] == "berths"
    assert "[].tide" in names
    links = tool.xpath(".//a[@class='type']/@href")
    assert "#type/Berth" in links
    assert page.xpath("//article[@id='type/Berth']//h3")


def test_shapes_are_opened_in_lists_maps_and_choices(
    data: Any, make_contract: Any, make: Any
) -> None:
    choice = {"oneOf": [{"$ref": "#/$defs/Position"}, {"$ref": "#/$defs/Pier"}]}
    data["servers"]["buoy"]["tools"][0]["outputSchema"] = {
        "type": "object",
        "properties": {"seen": {"type": "object", "additionalProperties": choice}},
    }
    tool = tool_of(parsed(make(make_contract(data), OUTPUT)[PATH]), "buoy", "ring")
    names = [cells[0] for cells in table_of(tool, "Result")]
    assert names[0] == "seen may be absent"
    assert "*[2] if Position" in names
    assert "*.name if Pier" in names


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "object", "additionalProperties": False}, "None."),
        ({"type": "object", "additionalProperties": False, "properties": {}}, "None."),
        ({"type": "object"}, "object"),
    ],
)
def test_no_arguments_are_told_from_any_arguments(
    data: Any, make_contract: Any, make: Any, schema: Any, said: str
) -> None:
    data["servers"]["buoy"]["tools"][0]["inputSchema"] = schema
    tool = tool_of(parsed(make(make_contract(data), OUTPUT)[PATH]), "buoy", "ring")
    assert tool.xpath("string(./h5[text()='Arguments']/following-sibling::*[1])") == said


def test_a_shape_that_holds_itself_is_opened_once(data: Any, make_contract: Any, make: Any) -> None:
    data["$defs"]["Berth"]["properties"]["beside"] = {"$ref": "#/$defs/Berth"}
    page = parsed(make(make_contract(data), OUTPUT)[PATH])
    names = [cells[0] for cells in table_of(tool_of(page, "harbour", "list_berths"), "Result")]
    assert sum("beside" in name for name in names) == 1


def test_what_could_not_be_read_stands_with_the_tool(page: Any) -> None:
    rows = table_of(tool_of(page, "harbour", "list_berths"), "What could not be read")
    assert rows[0] == [
        "/berths/*/tide/state",
        '"unreadable"the reason is at /berths/*/tide/reason',
        "The gauge did not answer: the tide is unknown.",
    ]


def test_needs_price_effects_and_route_are_said(page: Any) -> None:
    tool = tool_of(page, "harbour", "list_berths")
    facts = {
        each.xpath("string(dt)"): each.xpath("string(dd)")
        for each in tool.xpath("./dl[@class='facts']/div")
    }
    assert facts["Needs"] == "a credential with the scope read:berths"
    assert facts["Price"] == "a call may be answered with a price"
    assert facts["Offered by"] == "the MCP server and the assistant’s tool table"
    assert facts["Effects"] == "reads only; stays in a closed world"
    assert facts["In the path"] == "pier"
    assert tool.xpath(".//dd/a/@href") == ["#harbour/route/berths"]
    gone = tool_of(page, "harbour", "measure").xpath("string(./p[@class='gone'])")
    assert gone == (
        "May be removed from 2027-01-31 on. Use list_berths instead. Nobody asks for it."
    )


def test_whatever_is_deprecated_says_until_when(page: Any, harbour: Contract, make: Any) -> None:
    assert not page.xpath("//*[@class='gone' and starts-with(., 'Deprecated')]")
    data = copy.deepcopy(harbour.data)
    server = data["servers"]["harbour"]
    gone = {"date": "2030-01-31", "note": "Ask ashore."}
    for key in ("prompts", "resources", "resourceTemplates", "routes"):
        server[key][0]["deprecated"] = gone
    server["prompts"][0]["arguments"][0]["deprecated"] = gone
    query = next(route["queryParams"] for route in server["routes"] if "queryParams" in route)
    query[0]["deprecated"] = gone
    text = json.dumps(data)
    changed = parsed(make(Contract(harbour.path, text, data), OUTPUT)[PATH])
    said = changed.xpath("//*[@class='gone' and starts-with(., 'Deprecated')]")
    assert {each.text_content() for each in said} == {
        "Deprecated. May be removed from 2030-01-31 on. Ask ashore."
    }
    assert sorted(each.xpath("string(ancestor::*[@data-kind][1]/@data-kind)") for each in said) == [
        "prompt", "prompt", "resource", "route", "route", "template",
    ]  # fmt: skip


def test_a_tool_without_annotations_is_not_called_harmless(page: Any) -> None:
    flags = tool_of(page, "harbour", "measure").xpath(".//ul[@class='flags']/li/text()")
    assert flags == ["May change or destroy", "Deprecated"]


def test_examples_are_shown_and_the_rest_counted(harbour: Contract, make: Any) -> None:
    results = {"accepted": [{"name": "an empty pier", "value": {"berths": []}}]}
    cases = {
        ("harbour", "list_berths"): {
            "accepted": calls(8), "refused": calls(14), "results": results,
        }
    }  # fmt: skip
    tool = tool_of(parsed(make(harbour, OUTPUT, cases=cases)[PATH]), "harbour", "list_berths")
    assert len(tool.xpath("./details[contains(@class, 'ok')]")) == 6
    refused = tool.xpath(".//ul[@class='refused']/li")
    assert len(refused) == 12
    assert refused[3].xpath("string(p)") == "call 3: why 3"
    assert json.loads(refused[3].xpath("string(pre)")) == {"pier": "3"}
    shown = tool.xpath("string(./details[contains(@class, 'out')]//pre)")
    assert json.loads(shown) == {"berths": []}
    assert tool.xpath("string(./p[@class='more'])") == "The tool’s case file has 4 more."


def test_a_number_keeps_every_digit(harbour: Contract, make: Any) -> None:
    large = 123456789012345678901234567890
    cases = {("buoy", "ring"): {"accepted": [{"name": "many", "arguments": {"times": large}}]}}
    assert str(large) in make(harbour, OUTPUT, cases=cases)[PATH].decode()


@pytest.mark.parametrize("name", ["harbour", "hostile", "real"])
def test_the_policy_allows_the_style_and_script_of_the_page_and_nothing_else(
    name: str, request: pytest.FixtureRequest, make: Any
) -> None:
    content = make(request.getfixturevalue(name), OUTPUT)[PATH].decode()
    page = html.document_fromstring(content)
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", content, re.DOTALL)
        hashed = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{hashed}';" in policy


@pytest.mark.parametrize("name", ["harbour", "hostile", "real"])
def test_nothing_of_a_contract_becomes_an_element_or_an_address(
    name: str, request: pytest.FixtureRequest, make: Any
) -> None:
    contract = request.getfixturevalue(name)
    cases = {
        (server.id, tool.name): {"accepted": calls(1), "refused": calls(1)}
        for server in contract.servers
        for tool in server.tools
    }
    page = parsed(make(contract, OUTPUT, cases=cases)[PATH])
    body = page.find("body")
    tags = {each.tag for each in body.iter() if isinstance(each.tag, str)}
    assert not tags & {"img", "iframe", "object", "embed", "link", "meta", "base", "svg", "style"}
    assert len(page.xpath("//script")) == 1
    assert not [each for each in body.iter() if not isinstance(each.tag, str)]  # comments
    names = {name for each in body.iter() for name in each.attrib}
    assert not [each for each in names if ACTIVE.fullmatch(each)]
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    links = set(page.xpath("//body//a/@href"))
    assert {link[:1] for link in links} == {"#"}
    assert {link[1:] for link in links} <= set(ids)


def test_hostile_text_reads_as_it_was_written(hostile: Contract, make: Any) -> None:
    page = parsed(make(hostile, OUTPUT)[PATH])
    described = hostile.server("harbour").tools[0].description
    shown = tool_of(page, "harbour", "find_page").xpath("string(./div[@class='prose'])")
    for line in re.split(r"\n|\u2028|\u2029", described):
        assert line.strip() in shown


@settings(deadline=None)
@given(TEXT)
def test_any_text_reads_as_it_was_written_or_as_its_numbers(value: str) -> None:
    for made in (seen(value), code(value), words(value), paragraphs(value)):
        assert not re.search(r"<(?!/?(?:bdi|code|mark|p)\b)", made)
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\x00]", made)
    whole = html.fragment_fromstring(f"<div>{seen(value)}</div>").text_content()
    numbers = re.sub(r"[^\n\t\x20-\x7e]", lambda found: number(found[0], whole), value)
    assert whole.replace("\n", " ") == numbers.replace("\n", " ")


def number(character: str, whole: str) -> str:
    """Return what stands for a character: itself where it is to be seen."""
    written = f"U+{ord(character):04X}"
    return character if character in whole else written


@settings(deadline=None)
@given(st.recursive(TEXT | st.integers() | st.none(), lambda each: st.dictionaries(TEXT, each)))
def test_json_with_unseen_characters_is_the_same_value(value: Any) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u061c]", text)


def test_addresses_hold_no_character_that_ends_them() -> None:
    assert anchor("a", "outbound", 'GET https://x/"<*>') == (
        "a/outbound/GET%20https%3A%2F%2Fx%2F%22%3C%2A%3E"
    )


@pytest.mark.parametrize("path", [PATH, "docs/{server}.html"])
@pytest.mark.parametrize("name", ["harbour", "hostile"])
def test_the_page_holds_every_entry(
    name: str, path: str, request: pytest.FixtureRequest, make_steps: Any, make: Any
) -> None:
    contract = request.getfixturevalue(name)
    (step,) = make_steps(contract, ("page", path))
    files = make(contract, ("page", path))
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
    files[PATH] = files[PATH].replace(b'data-name="measure"', b'data-name="ghost"')
    expected, found = TARGET.expected(step.request), TARGET.found(step.request, files)
    assert expected - found == {Entry("harbour", "tool", "measure")}
    assert found - expected == {Entry("harbour", "tool", "ghost")}
    assert TARGET.found(step.request, {PATH: b"\xff\x00"}) == set()


def test_the_hash_covers_what_the_page_shows(data: Any, make_contract: Any, make: Any) -> None:
    def digest(changed: Any, cases: Any = None) -> str:
        stamp = read_stamp(make(make_contract(changed), OUTPUT, cases=cases)[PATH])
        assert stamp is not None
        assert stamp.intact
        return stamp.digest

    key = ("harbour", "list_berths")
    before = digest(data, {key: {"refused": calls(14)}})
    cases = copy.deepcopy(calls(14))
    cases[13]["because"] = "Other words."
    assert digest(data, {key: {"refused": cases}}) == before
    cases[0]["because"] = "Other words."
    assert digest(data, {key: {"refused": cases}}) != before
    unshown = copy.deepcopy(data)
    unshown["servers"]["harbour"]["tools"][0]["_meta"] = {"a": 1}
    assert digest(unshown, {key: {"refused": calls(14)}}) == before
    for place in (data["servers"]["buoy"], data["$defs"]["Position"]):
        place["description"] = "Other words."
        after = digest(data, {key: {"refused": calls(14)}})
        assert after != before
        before = after


def test_what_is_remembered_is_what_would_be_made(
    data: Any, make_contract: Any, tmp_path: Path
) -> None:
    def made(folder: Path | None) -> bytes:
        contract = make_contract(data)
        request = Request(contract, contract.servers, PATH, Cache(folder), {})
        (planned,) = TARGET.plan(request)
        return planned.content

    first = made(tmp_path)
    assert made(tmp_path) == first == made(None)
    data["servers"]["harbour"]["tools"][1]["description"] = "Other words."
    data["servers"]["harbour"]["routes"][0]["path"] = "/v2/{pier}"
    second = made(tmp_path)
    assert second == made(None)
    assert second != first


def test_a_page_a_server_holds_that_server(harbour: Contract, make: Any) -> None:
    files = make(harbour, ("page", "docs/{server}.html"))
    assert sorted(files) == ["docs/buoy.html", "docs/gull.html", "docs/harbour.html"]
    gull = parsed(files["docs/gull.html"])
    assert gull.xpath("//@data-server[. != 'gull']") == []
    assert gull.xpath("string(//title)") == harbour.server("gull").title


def test_clients_are_told_the_command_of_the_configuration() -> None:
    made = {each.clients: each.text for each in snippets("gull", Launch(("python", "-m", "x y")))}
    entry = {"command": "python", "args": ["-m", "x y"]}
    assert json.loads(made["Claude Desktop"]) == {"mcpServers": {"gull": entry}}
    assert json.loads(made["Cursor"]) == {"mcpServers": {"gull": entry}}
    assert json.loads(made["VS Code"]) == {"servers": {"gull": {"type": "stdio", **entry}}}
    assert made["Claude Code"] == "claude mcp add gull -- python -m 'x y'"


def test_clients_are_told_what_the_contract_says_of_how_a_server_is_had(
    real: Contract, make: Any
) -> None:
    files = make(real, ("page", "docs/{server}.html"), ("registry", "out/{server}"))
    told = json.loads(files["out/fairwins/clients.json"])["clients"]
    shown = parsed(files["docs/fairwins.html"]).xpath("//div[@class='code']/pre/code/text()")
    assert [json.dumps(each, ensure_ascii=False, indent=2) for each in told.values()] == shown[:4]


def test_credentials_of_an_address_are_not_shown() -> None:
    launch = Launch(url="https://u:secret@gull.example:8443/mcp?key=secret#secret")
    made = snippets("gull", launch)
    assert "secret" not in "".join(each.text for each in made)
    assert {each.clients for each in made} == {"Cursor", "VS Code", "Claude Code"}
    assert json.loads(made[0].text)["mcpServers"]["gull"] == {
        "url": "https://gull.example:8443/mcp"
    }


def test_a_command_that_nobody_knows_is_left_open(page: Any) -> None:
    (server,) = page.xpath("//section[@id='buoy']")
    assert "put its command in place of COMMAND" in server.text_content()
    assert '"command": "COMMAND"' in server.text_content()
