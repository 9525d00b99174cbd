"""Every help page is complete, fits the terminal, and its examples can be typed."""

from __future__ import annotations

import argparse
import re

import pytest
from programs import Page, console_scripts, pages, programs, words_of
from pseudo_terminal import overlong

SECTIONS = ("exit status", "environment", "examples", "see also")
PAGES = pytest.mark.parametrize("page", pages().values(), ids=list(pages()))


def test_every_command_that_is_installed_is_looked_at() -> None:
    assert programs() == sorted(console_scripts())


@PAGES
def test_a_page_says_all_that_a_manual_page_says(page: Page) -> None:
    about = page.parser.description or ""
    assert re.match(r"[A-Z][^\n]*[\s\S]*?\.", about), "one sentence says what it does"
    assert page.parser.format_usage().startswith(f"usage: {page.name}")
    heads = [line[:-1] for line in page.parser.format_help().splitlines() if line.endswith(":")]
    assert [head for head in heads if head in SECTIONS] == list(SECTIONS)
    statuses = {line.split()[0] for line in page.section("exit status") if line[2] != " "}
    assert statuses >= {"0", "2", "130", "141"}


@PAGES
def test_every_option_says_what_it_takes_and_what_holds_without_it(page: Page) -> None:
    for option in page.options:
        name = "/".join(option.option_strings) or option.dest
        assert option.help, name
        if option.nargs == 0 or not option.option_strings:
            continue
        assert option.choices or option.metavar, f"{name} has a word for its value"
        has_default = option.default not in (None, [], argparse.SUPPRESS)
        assert not has_default or "default" in option.help, f"{name} tells its default"


@PAGES
@pytest.mark.parametrize("columns", [60, 200])
def test_a_page_fits_the_terminal(
    page: Page, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    examples = page.section("examples")
    lines = [line for line in page.parser.format_help().splitlines() if line not in examples]
    assert not overlong("\n".join(lines), min(columns, 100))
    # The texts beside options and terms are folded, too; a choice of words is one.
    wide = [line.strip() for line in lines if len(line) > min(columns, 100)]
    assert not [line for line in wide if not re.fullmatch(r"(--\S+ )?\S+|`[^`]*`\S?", line)]


@PAGES
def test_its_examples_are_commands_that_the_parser_takes(page: Page) -> None:
    examples = page.section("examples")
    assert examples
    for example in examples:
        words = words_of(example)
        program = words[0]
        below = [name for name in pages() if f"{' '.join(words)} ".startswith(f"{name} ")]
        assert below, example
        meant = pages()[program]
        if max(below, key=len) == "fairwins-mcp client-config":
            meant, words = pages()["fairwins-mcp client-config"], words[1:]
        if "--help" not in words:
            meant.parser.parse_args(words[1:])


@PAGES
def test_what_it_refers_to_is_there(page: Page) -> None:
    for line in page.section("see also"):
        words = line.replace(" --help", "").split()
        if "COMMAND" in words:
            continue
        assert [name for name in pages() if f"{' '.join(words)} ".startswith(f"{name} ")], line


@PAGES
def test_wrong_words_are_told_with_what_to_do_next(
    page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        page.parser.parse_args(["--no-such-option-\x1b[31m"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("usage: ")
    assert f"\n  hint: see `{page.name} --help`\n" in told
    assert "\x1b" not in told
