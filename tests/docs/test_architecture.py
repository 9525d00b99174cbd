"""The pictures of the architecture show the code as it is."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRAWING = ROOT / "tools" / "drawing"


def test_the_pictures_are_as_the_code_has_them() -> None:
    command = [sys.executable, str(DRAWING / "architecture.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DRAWING))


@pytest.mark.usefixtures("drawing")
def test_an_edge_that_follows_from_others_is_not_drawn() -> None:
    from sources import reduced

    edges = {
        "a": frozenset({"b", "c"}),
        "b": frozenset({"c"}),
        "c": frozenset[str](),
    }
    assert reduced(edges) == {**edges, "a": frozenset({"b"})}


@pytest.mark.usefixtures("drawing")
def test_no_box_lies_on_another_and_no_edge_passes_through_one() -> None:
    from layered import lay_out
    from sources import read_house

    house = read_house()
    gap = 20.0
    layout = lay_out(house.layers, house.rooms, lambda name: 10.0 * len(name), gap)
    boxes = [
        (row, x - 5.0 * len(name), x + 5.0 * len(name)) for name, (x, row) in layout.centres.items()
    ]
    assert len(boxes) == len(house.rooms)
    for row, left, right in boxes:
        assert left >= 0
        assert right <= layout.width
        beside = [each for each in boxes if each[0] == row and each != (row, left, right)]
        assert all(left >= other_right or right <= other for _, other, other_right in beside)
    passing = [place for way in layout.ways.values() for place in way[1:-1]]
    assert passing
    for x, row in passing:
        assert not [each for each in boxes if each[0] == row and each[1] < x < each[2]]


@pytest.mark.parametrize("name", ["architecture-flow.svg", "architecture-layers.svg"])
def test_a_picture_needs_nothing_else_and_says_what_it_shows(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    tree = ElementTree.fromstring(text)
    namespace = "{http://www.w3.org/2000/svg}"
    assert tree.findtext(f"{namespace}title") == tree.get("aria-label")
    assert text.count("http") == 1
    assert "prefers-color-scheme: dark" in text
