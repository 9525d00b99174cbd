"""The page of all commands is what the commands say of themselves."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from manual_page import page, settle
from programs import pages

ROOT = Path(__file__).parents[2]


def test_the_page_of_all_commands_is_what_their_parsers_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settled = dict(os.environ)
    settle(settled)
    for name in os.environ.keys() - settled.keys():
        monkeypatch.delenv(name)
    for name, value in settled.items():
        monkeypatch.setenv(name, value)
    assert (ROOT / "docs/cli.md").read_text("utf-8") == page(), (
        "run `python tests/support/manual_page.py`"
    )


def test_what_the_page_says_of_scripts_names_commands_and_options_that_are_there() -> None:
    text = (ROOT / "docs/cli.md").read_text("utf-8")
    table = text[text.index("| Command | Option |") : text.index("## Contents")]
    for commands, option in re.findall(r"^\| (`.*?) \| (.*?) \|", table, re.MULTILINE):
        first, *others = re.findall(r"`([^`]*)`", commands)
        words = first.replace("WRAPPER", "ga4-mcp").replace(" …", "").split(" --")[0].split()
        names = [" ".join(words), *(" ".join([words[0], *each.split()[-1:]]) for each in others)]
        wanted = re.findall(r"`(--[a-z-]+)", option)
        for name in names:
            takes = {each for line in pages()[name].options for each in line.option_strings}
            below = [each for each in pages() if each.startswith(f"{name} ")]
            for each in below:
                takes |= {word for line in pages()[each].options for word in line.option_strings}
            assert set(wanted) <= takes, name
