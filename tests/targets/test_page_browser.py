"""The page of a contract in a browser: search, copying, addresses, reading for everyone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import chromium, copied, opened
from nodejs import find_package

from counterfoil.cache import Cache
from counterfoil.contract.model import Contract
from counterfoil.targets.page import TARGET
from counterfoil.targets.target import Launch, Request

CASES = {
    ("harbour", "list_berths"): {
        "accepted": [
            {"name": "a large pier", "arguments": {"pier": "A  b", "n": 123456789012345678901234}}
        ],
        "refused": [{"name": "no pier", "arguments": {}, "because": "pier is required"}],
        "results": {"accepted": [{"name": "nothing there", "value": {"berths": []}}]},
    }
}
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 320, "height": 640}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


def write(contract: Contract, folder: Path) -> Path:
    launches = {"harbour": Launch(("python", "-m", "harbour"))}
    request = Request(contract, contract.servers, "page.html", Cache(None), CASES, launches)
    (planned,) = TARGET.plan(request)
    path = folder / planned.path
    path.write_bytes(planned.content)
    return path


@pytest.fixture
def file(harbour: Contract, tmp_path: Path) -> Path:
    return write(harbour, tmp_path)


@pytest.fixture
def real_file(real: Contract, tmp_path: Path) -> Path:
    return write(real, tmp_path)


@pytest.fixture
def page(browser: Any, file: Path) -> Iterator[Any]:
    """Give the page in a wide window; it complains of nothing and asks for nothing."""
    permissions = ["clipboard-read", "clipboard-write"]
    with opened(browser, file, viewport=WIDE, permissions=permissions) as found:
        yield found.page
        assert found.complaints == []
        assert found.requests == []


def test_search_is_instant_and_needs_no_mouse(page: Any) -> None:
    page.keyboard.press("/")
    page.keyboard.type("berths")
    options = page.locator("#found [role=option]")
    assert options.first.locator("b").text_content() == "berths"  # the route of that very name
    assert page.locator("#hits").text_content().endswith("found")
    names = options.locator("b").all_text_contents()
    number = names.index("list_berths")
    for _ in range(number):
        page.keyboard.press("ArrowDown")
    field = page.locator("#find")
    assert field.get_attribute("aria-activedescendant") == f"hit-{number}"
    assert options.nth(number).get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#harbour/tool/list_berths"
    assert page.evaluate("document.activeElement.textContent") == "list_berths"
    assert not page.locator("#found").is_visible()


def test_arrows_go_around_and_escape_gives_up(page: Any) -> None:
    page.keyboard.press("/")
    page.keyboard.type("pier")
    count = page.locator("#found [role=option]").count()
    assert count > 1
    page.keyboard.press("ArrowUp")
    field = page.locator("#find")
    assert field.get_attribute("aria-activedescendant") == f"hit-{count - 1}"
    page.keyboard.press("Escape")
    assert field.input_value() == ""
    assert field.get_attribute("aria-expanded") == "false"
    assert page.locator(".contents").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")


def test_search_finds_by_argument_description_and_kind(page: Any) -> None:
    for words, name in (
        ("letter of the pier", "list_berths"),
        ("shelter", "list_berths"),
        ("outbound weather", "GET https://weather.example/v1/*"),
        ("prompt ship", "arrival"),
    ):
        page.fill("#find", words)
        assert name in page.locator("#found b").all_text_contents(), words
    page.fill("#find", "zzzz")
    assert page.locator("#hits").text_content() == "Nothing found"


def test_a_slash_in_a_field_is_a_slash(page: Any) -> None:
    page.keyboard.press("/")
    page.keyboard.type("a/b")
    assert page.locator("#find").input_value() == "a/b"


def test_a_result_is_chosen_with_the_mouse(page: Any) -> None:
    page.fill("#find", "moor")
    page.locator("#found [role=option]").first.click()
    assert page.evaluate("location.hash") == "#harbour/route/moor"
    assert page.locator("details[data-name=moor]").get_attribute("open") is not None


def test_a_call_is_copied_as_one_line_with_its_digits(page: Any) -> None:
    tool = page.locator("[id='harbour/tool/list_berths']")
    line = copied(page, tool.get_by_role("button", name="Copy call"))
    assert "\n" not in line
    assert '"n":123456789012345678901234' in line
    assert json.loads(line) == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "list_berths",
            "arguments": {"pier": "A  b", "n": 123456789012345678901234},
        },
    }


def test_arguments_and_configurations_are_copied_as_they_are_shown(page: Any) -> None:
    tool = page.locator("[id='harbour/tool/list_berths']")
    text = copied(page, tool.get_by_role("button", name="Copy arguments"))
    assert text == tool.locator(".ok pre").first.text_content()
    server = page.locator("section#harbour")
    server.get_by_text("Connect a client").click()
    button = server.get_by_role("button", name="Copy for Claude Desktop")
    assert json.loads(copied(page, button)) == {
        "mcpServers": {"harbour": {"command": "python", "args": ["-m", "harbour"]}}
    }


def test_a_server_of_the_newest_revision_gets_calls_that_stand_alone(
    browser: Any, data: Any, make_contract: Any, tmp_path: Path
) -> None:
    data["servers"]["harbour"]["protocolVersions"] = ["2025-11-25", "2026-07-28"]
    path = write(make_contract(data), tmp_path)
    with opened(browser, path, permissions=["clipboard-read", "clipboard-write"]) as found:
        tool = found.page.locator("[id='harbour/tool/list_berths']")
        line = copied(found.page, tool.get_by_role("button", name="Copy call"))
        meta = json.loads(line)["params"]["_meta"]
    assert meta == {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }


def test_what_is_on_no_server_has_no_call_to_copy(page: Any) -> None:
    local = page.locator("[id='harbour/tool/find_page']")
    assert local.get_by_role("button", name="Copy call").count() == 0


def test_an_address_opens_what_is_folded(browser: Any, file: Path) -> None:
    with opened(browser, file, "#harbour/route/berths", viewport=WIDE) as found:
        route = found.page.locator("details[data-name=berths]")
        assert route.get_attribute("open") is not None
        assert 0 <= route.bounding_box()["y"] < 900


@pytest.mark.parametrize(
    ("scheme", "size"),
    [("light", WIDE), ("dark", WIDE), ("light", NARROW)],
    ids=["light", "dark", "narrow"],
)
def test_nobody_is_kept_out(browser: Any, real_file: Path, scheme: str, size: Any) -> None:
    judge = (find_package("axe-core") / "axe.min.js").read_text("utf-8")
    with opened(browser, real_file, color_scheme=scheme, viewport=size) as found:
        page = found.page
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.fill("#find", "list")
        page.evaluate(judge)
        rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        outcome = page.evaluate(
            "rules => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", rules
        )
        assert [
            (each["id"], [node["target"] for node in each["nodes"]][:3])
            for each in outcome["violations"]
        ] == []
        assert len(outcome["passes"]) > 20
        assert found.complaints == []
        assert found.requests == []


def test_the_judge_sees_pale_text(browser: Any, file: Path) -> None:
    judge = (find_package("axe-core") / "axe.min.js").read_text("utf-8")
    with opened(browser, file) as found:
        found.page.evaluate("document.querySelector('h1').style.color = '#ddd'")
        found.page.evaluate(judge)
        outcome = found.page.evaluate("axe.run({ runOnly: ['wcag2aa'] })")
        assert [each["id"] for each in outcome["violations"]] == ["color-contrast"]


@pytest.mark.parametrize("name", ["harbour", "hostile", "real"])
def test_the_smallest_screen_scrolls_one_way_only(
    browser: Any, name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path = write(request.getfixturevalue(name), tmp_path)
    with opened(browser, path, viewport=NARROW) as found:
        page = found.page
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") == 320
        wide = page.evaluate(
            "[...document.querySelectorAll('main *')].filter(e => e.offsetParent"
            " && e.getBoundingClientRect().right > 320.5).map(e => e.outerHTML.slice(0, 80))"
        )
        assert wide == []
        heads = page.evaluate(
            "[...document.querySelectorAll('tbody th')].filter(e => e.offsetParent)"
            ".map(e => e.parentElement.clientWidth - e.clientWidth)"
        )
        assert heads
        assert max(heads) <= 1  # as wide as the row, whose cells stand one under the other


def test_hostile_text_does_nothing(browser: Any, hostile: Contract, tmp_path: Path) -> None:
    with opened(browser, write(hostile, tmp_path)) as found:
        page = found.page
        page.on("dialog", lambda dialog: found.complaints.append(dialog.message))
        assert page.evaluate("document.scripts.length") == 1
        assert page.evaluate("document.querySelectorAll('img, iframe, object, form').length") == 1
        assert page.evaluate("'__proto__' in {} && ({}).odd === undefined")
        page.fill("#find", "alert")
        page.keyboard.press("Enter")
        for button in page.locator("button:visible").all()[:3]:
            button.click()
        assert found.complaints == []
        assert found.requests == []


def test_the_policy_stops_what_would_have_got_in(browser: Any, file: Path) -> None:
    text = file.read_text("utf-8")
    added = '<img src="https://x.invalid/a.png"><script>document.title = "in"</script>'
    file.write_text(text.replace("<main ", f"{added}<main "), "utf-8")
    with opened(browser, file) as found:
        assert found.page.title() != "in"
        assert found.page.evaluate("document.images[0].naturalWidth") == 0
        assert len(found.complaints) == 2
        executing, loading = sorted(found.complaints)
        assert "violates the following Content Security Policy directive 'script-src" in executing
        assert "violates the following Content Security Policy directive" in loading
        assert "img-src" in loading
        with pytest.raises(Exception, match="TrustedHTML"):
            found.page.evaluate("document.body.innerHTML = '<b>x</b>'")


def test_without_scripts_everything_is_there_to_read(browser: Any, file: Path) -> None:
    with opened(browser, file, java_script_enabled=False) as found:
        page = found.page
        assert page.get_by_text("Lists berths with their tide.").is_visible()
        assert page.locator(".contents").get_by_text("list_berths").is_visible()
        assert not page.locator("#find").is_visible()
        assert not page.get_by_role("button", name="Copy call").first.is_visible()
        page.get_by_text("Connect a client").first.click()
        assert page.get_by_text('"command"').first.is_visible()


def test_on_paper_everything_is_unfolded(browser: Any, file: Path) -> None:
    with opened(browser, file, viewport=WIDE) as found:
        page = found.page
        assert page.pdf().startswith(b"%PDF-")
        assert page.locator("details[data-name=moor]").get_attribute("open") is None
        page.emulate_media(media="print")
        assert not page.locator(".side").is_visible()
        assert not page.get_by_role("button", name="Copy call").first.is_visible()
        inner = page.locator("details[data-name=moor] .prose")
        assert inner.bounding_box()["height"] > 0
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )


def test_motion_is_left_out_for_those_who_ask(browser: Any, file: Path) -> None:
    for wish, behaviour in (("reduce", "auto"), ("no-preference", "smooth")):
        with opened(browser, file, reduced_motion=wish) as found:
            style = "getComputedStyle(document.documentElement).scrollBehavior"
            assert found.page.evaluate(style) == behaviour


def test_focus_is_to_be_seen_and_goes_first_to_the_content(page: Any) -> None:
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert skip.bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    style = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(style) == "solid"
