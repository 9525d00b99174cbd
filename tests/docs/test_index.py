"""The documentation is found from its index, and its links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "servers/*/README.md",
        "tools/README.md",
        "generated/*.md",
    )
    for path in ROOT.glob(pattern)
)


def links(path: Path) -> Iterator[str]:
    waiting: list[Token] = MarkdownIt("commonmark").parse(path.read_text("utf-8"))
    while waiting:
        token = waiting.pop()
        waiting += token.children or []
        target = token.attrGet({"link_open": "href", "image": "src"}.get(token.type, ""))
        if isinstance(target, str) and not re.match("[a-z]+:", target):
            yield target.partition("#")[0]


@pytest.mark.parametrize("name", PAGES)
def test_every_link_within_the_repository_leads_to_something(name: str) -> None:
    page = ROOT / name
    lost = [target for target in links(page) if target and not (page.parent / target).exists()]
    assert lost == []


def test_the_index_has_every_page_and_no_other() -> None:
    folders = ("docs", "docs/guides", "docs/reference")
    there = {path for folder in folders for path in (ROOT / folder).glob("*.md")} - {INDEX}
    there |= set((ROOT / "docs").glob("*.html"))
    linked = {(INDEX.parent / target).resolve() for target in links(INDEX)}
    assert {
        path for path in linked if path.is_file() and "docs" in path.relative_to(ROOT).parts
    } == there


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs" / "guides").glob("*.md")), ids=lambda p: p.name
)
def test_a_guide_begins_with_what_comes_of_it_and_how_long_it_takes(path: Path) -> None:
    text = re.sub("<!--.*?-->", "", path.read_text("utf-8"), flags=re.DOTALL)
    beginning = " ".join(text.split("\n## ")[0].split())
    assert "At the end" in beginning
    assert re.search("[Mm]inutes", beginning)
