"""A review as a page: both sides of each change, and the call that shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import chromium, copied, opened
from history import contract, require, tool
from lxml import html
from nodejs import find_package
from reviewed import review

from counterfoil.review import Acceptance, Accepted, Review
from counterfoil.review.formats import FORMATS

HOSTILE = "</code></pre></script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


def parsed(found: Review) -> Any:
    return html.document_fromstring(FORMATS["html"](found))


def hostile() -> Review:
    schema = {"type": "object", "properties": {HOSTILE: {"const": HOSTILE}}, "required": [HOSTILE]}
    after = {"description": f"{HOSTILE}\ud800", "inputSchema": schema}
    return review([tool("t", description="d")], [tool("t", **after)])


def test_a_breaking_change_shows_the_call_that_worked_and_both_sides() -> None:
    base = contract("search")
    found = review(base, require(base))
    page = parsed(found)
    for verdict in found.verdicts:
        prefix = f"{verdict.change.fingerprint}-"
        (article,) = page.xpath(f"//article[starts-with(@id, '{prefix}')]")
        witness = verdict.change.witness
        if witness is not None:
            shown = article.xpath("string(.//div[@class='witness']//pre)")
            assert json.loads(shown) == witness.value
            assert witness.reason in article.text_content()
    assert any(verdict.change.witness for verdict in found.verdicts)
    (sides, *_) = page.xpath("//section[@id='breaking']//div[@class='sides']")
    before, now = (json.loads(each) for each in sides.xpath("./div/pre/code/text()"))
    assert set(now) - set(before) == {"region"}
    assert [each.split(" ")[0] for each in sides.xpath("./div/h4/text()")] == ["Before", "Now"]


def test_what_is_gone_and_what_is_new_have_one_side() -> None:
    page = parsed(review(contract("search"), contract("export")))
    gone = page.xpath("//section[@id='breaking']//div[@class='sides']")
    assert any("Is not there." in each.text_content() for each in gone)
    (new,) = page.xpath("//section[@id='additive']//article")
    assert "Was not there." in new.text_content()
    assert '"name": "export"' in new.text_content()


def test_a_keyword_that_is_new_was_not_there() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    base = [tool("first"), tool("t", inputSchema=schema)]
    page = parsed(review(base, [tool("t", inputSchema={**schema, "required": ["a"]})]))
    (article,) = page.xpath("//article[contains(string(.), 'is required')]")
    before, now = article.xpath(".//div[@class='sides']/div")
    assert "Was not there." in before.text_content()
    assert json.loads(now.xpath("string(pre)")) == ["a"]


def test_accepted_changes_stand_apart_with_their_reason() -> None:
    base = contract("search")
    first = review(base, require(base)).verdicts[0]
    entry = Acceptance(first.at, first.change.code, first.change.fingerprint, "we agreed", "")
    accepted = Accepted("accepted.json", json.dumps({"accepted": [vars(entry)]}), (entry,))
    page = parsed(review(base, require(base), accepted=accepted))
    (article,) = page.xpath("//section[@id='accepted']//article")
    assert "we agreed" in article.text_content()


def test_no_change_is_said() -> None:
    base = contract("search")
    page = parsed(review(base, base))
    assert "can go on as before" in page.text_content()
    assert not page.xpath("//article")


def test_what_was_not_compared_is_said() -> None:
    page = parsed(review(contract("search"), {"tools": [tool("search")]}))
    assert page.xpath("//section[@id='notes']//li")


def test_hostile_text_of_a_server_stays_text() -> None:
    text = FORMATS["html"](hostile())
    assert text.encode()  # no lone surrogate is left
    assert "\u202e" not in text
    page = html.document_fromstring(text)
    assert len(page.xpath("//script")) == 1
    assert not page.xpath("//img")
    assert "alert(1)" in page.xpath("string(//main)")


@pytest.mark.parametrize("size", [(1280, 900), (320, 640)], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_the_page_behaves_in_a_browser(
    browser: Any, tmp_path: Path, name: str, scheme: str, size: tuple[int, int]
) -> None:
    base = contract("search")
    found = hostile() if name == "hostile" else review(base, require(base))
    path = tmp_path / "review.html"
    path.write_text(FORMATS["html"](found), "utf-8")
    judge = (find_package("axe-core") / "axe.min.js").read_text("utf-8")
    view = {"width": size[0], "height": size[1]}
    permissions = ["clipboard-read", "clipboard-write"]
    with opened(
        browser, path, viewport=view, color_scheme=scheme, permissions=permissions
    ) as shown:
        page = shown.page
        page.evaluate(judge)
        outcome = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        assert [each["id"] for each in outcome["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]
        if name == "plain":
            call = json.loads(copied(page, page.get_by_role("button", name="Copy call").first))
            assert call["params"]["name"] == "search"
        page.keyboard.press("/")
        page.keyboard.type(found.verdicts[0].change.klass)
        page.keyboard.press("Enter")
        assert page.evaluate("location.hash")
        assert shown.complaints == []
        assert shown.requests == []
