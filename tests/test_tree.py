"""The plan against the working tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.errors import CounterfoilError
from counterfoil.render import with_comment
from counterfoil.targets.target import Planned
from counterfoil.territory import Spot, Territory
from counterfoil.tree import Change, compare, write


def planned(path: str, body: str, about: str = "tool a/b", digest: str = "0") -> Planned:
    return Planned(path, with_comment("c.json#/a", digest * 64, body), about)


def as_plan(*files: Planned) -> dict[str, Planned]:
    return {file.path: file for file in files}


ONE = planned("out/one.py", "x = 1\n", "tool a/one")
TWO = planned("out/inner/two.py", "y = 2\n", "tool a/two")
PLAN = as_plan(ONE, TWO)


def area(root: Path) -> Territory:
    return Territory(root, "c.json", (Spot("out", deep=True),))


def codes(root: Path, plan: dict[str, Planned] = PLAN) -> list[tuple[str, str]]:
    return [(finding.code, finding.path) for finding in compare(plan, area(root))]


def acts(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.act, change.path) for change in changes]


def generate(root: Path, plan: dict[str, Planned] = PLAN, *, force: bool = False) -> list[Change]:
    return list(write(plan, area(root), force=force))


def test_what_was_written_is_as_planned(tmp_path: Path) -> None:
    assert acts(generate(tmp_path)) == [("added", "out/one.py"), ("added", "out/inner/two.py")]
    assert codes(tmp_path) == []


def test_writing_again_touches_nothing(tmp_path: Path) -> None:
    generate(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.py")}
    assert generate(tmp_path) == []
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.py")} == before


def test_check_reports_a_missing_file(tmp_path: Path) -> None:
    generate(tmp_path)
    (tmp_path / "out/one.py").unlink()
    (finding,) = compare(PLAN, area(tmp_path))
    assert (finding.code, finding.path) == ("CF201", "out/one.py")
    assert "tool a/one" in finding.message


def test_check_reports_a_file_that_is_no_longer_planned(tmp_path: Path) -> None:
    generate(tmp_path)
    assert codes(tmp_path, as_plan(ONE)) == [("CF202", "out/inner/two.py")]


def test_check_reports_a_stale_file_with_its_tool_line_and_diff(tmp_path: Path) -> None:
    generate(tmp_path)
    newer = planned("out/one.py", "x = 1\nz = 3\n", "tool a/one", digest="1")
    (finding,) = compare(as_plan(newer, TWO), area(tmp_path))
    assert (finding.code, finding.severity) == ("CF203", "error")
    assert "tool a/one" in finding.message
    assert "counterfoil generate" in finding.hint
    assert "+z = 3" in finding.detail
    assert finding.line >= 1


def test_check_reports_a_hand_edited_file(tmp_path: Path) -> None:
    generate(tmp_path)
    path = tmp_path / "out/one.py"
    path.write_bytes(path.read_bytes().replace(b"x = 1", b"x = 2"))
    assert codes(tmp_path) == [("CF204", "out/one.py")]


def test_a_file_without_our_header_is_reported_and_kept(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/one.py").write_text("mine = True\n")
    assert ("CF205", "out/one.py") in codes(tmp_path)
    assert ("kept", "out/one.py") in acts(generate(tmp_path))
    assert (tmp_path / "out/one.py").read_text() == "mine = True\n"


def test_force_overwrites_a_file_without_our_header(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/one.py").write_text("mine = True\n")
    generate(tmp_path, force=True)
    assert codes(tmp_path) == []


def test_an_empty_file_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/one.py").touch()
    assert ("CF201", "out/one.py") in codes(tmp_path)
    generate(tmp_path)
    assert codes(tmp_path) == []


def test_a_crlf_checkout_is_clean_and_left_alone(tmp_path: Path) -> None:
    generate(tmp_path)
    path = tmp_path / "out/one.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert codes(tmp_path) == []
    assert generate(tmp_path) == []


def test_a_leftover_is_removed_with_its_empty_folder(tmp_path: Path) -> None:
    generate(tmp_path)
    assert acts(generate(tmp_path, as_plan(ONE))) == [("removed", "out/inner/two.py")]
    assert not (tmp_path / "out/inner").exists()


def test_an_edited_leftover_is_kept_until_forced(tmp_path: Path) -> None:
    generate(tmp_path)
    path = tmp_path / "out/inner/two.py"
    path.write_bytes(path.read_bytes() + b"mine = True\n")
    assert acts(generate(tmp_path, as_plan(ONE))) == [("kept", "out/inner/two.py")]
    assert path.exists()
    assert acts(generate(tmp_path, as_plan(ONE), force=True)) == [("removed", "out/inner/two.py")]


def test_a_neighbour_of_somebody_else_is_never_removed(tmp_path: Path) -> None:
    generate(tmp_path)
    (tmp_path / "out/mine.py").write_text("mine = True\n")
    assert generate(tmp_path) == []
    assert codes(tmp_path) == []


def test_overwriting_an_edit_is_said(tmp_path: Path) -> None:
    generate(tmp_path)
    path = tmp_path / "out/one.py"
    path.write_bytes(path.read_bytes() + b"mine = True\n")
    assert acts(generate(tmp_path)) == [("replaced", "out/one.py")]


def test_a_folder_in_the_way_is_reported(tmp_path: Path) -> None:
    (tmp_path / "out/one.py").mkdir(parents=True)
    assert ("CF205", "out/one.py") in codes(tmp_path)
    assert ("kept", "out/one.py") in acts(generate(tmp_path))


def test_nothing_is_written_through_a_link_out_of_the_project(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    (project / "out").symlink_to(elsewhere, target_is_directory=True)
    with pytest.raises(CounterfoilError, match="leads out of the project"):
        generate(project)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("path", ["out", "out/inner"])
def test_a_file_where_a_folder_is_needed_is_an_error(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("mine\n")
    with pytest.raises(CounterfoilError, match="cannot be written"):
        generate(tmp_path)
    assert (tmp_path / path).read_text() == "mine\n"


def test_a_difference_in_a_long_file_is_shown_with_its_lines(tmp_path: Path) -> None:
    lines = [f"x{number} = {number}" for number in range(5000)]
    generate(tmp_path, as_plan(planned("out/one.py", "\n".join(lines) + "\n")))
    lines.insert(4000, "new = True")
    newer = planned("out/one.py", "\n".join(lines) + "\n", digest="1")
    (finding,) = compare(as_plan(newer), area(tmp_path))
    assert finding.line == 4004  # three lines of header come first
    assert finding.detail.splitlines()[2:] == [
        "@@ -4003,2 +4003,3 @@",
        " x3999 = 3999",
        "+new = True",
        " x4000 = 4000",
    ]


@pytest.mark.parametrize(
    ("old", "new"), [("a = 1\n", "a = 1\nb = 2\n"), ("a = 1\nb = 2\n", "a = 1\n"), ("a = 1\n", "")]
)
def test_a_difference_at_the_end_is_shown(tmp_path: Path, old: str, new: str) -> None:
    generate(tmp_path, as_plan(planned("out/one.py", old)))
    (finding,) = compare(as_plan(planned("out/one.py", new, digest="1")), area(tmp_path))
    changed = [line for line in finding.detail.splitlines()[2:] if line[0] in "+-"]
    assert {line.strip("+-") for line in changed} >= set(old.split("\n")) ^ set(new.split("\n"))
