"""Which generated files are a project's own."""

from __future__ import annotations

from pathlib import Path

from counterfoil.config import Config, Output
from counterfoil.render import with_comment
from counterfoil.territory import Spot, Territory, territory

OURS = with_comment("c.json#/a", "0" * 64, "x = 1\n")
THEIRS = with_comment("other.json#/a", "0" * 64, "x = 1\n")


def put(root: Path, path: str, content: bytes = OURS) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)


def own(root: Path, *spots: Spot, remembered: frozenset[str] = frozenset()) -> list[str]:
    return Territory(root, "c.json", spots, remembered).own()


def test_files_of_this_contract_are_own_and_others_are_not(tmp_path: Path) -> None:
    put(tmp_path, "out/ours.py")
    put(tmp_path, "out/theirs.py", THEIRS)
    put(tmp_path, "out/mine.py", b"x = 1\n")
    assert own(tmp_path, Spot("out", deep=True)) == ["out/ours.py"]


def test_another_project_inside_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path, "out/ours.py")
    put(tmp_path, "out/inner/theirs.py")
    put(tmp_path, "out/inner/pyproject.toml", b"[tool.counterfoil]\n")
    assert own(tmp_path, Spot("out", deep=True)) == ["out/ours.py"]


def test_a_shallow_spot_has_no_inner_folders(tmp_path: Path) -> None:
    put(tmp_path, "out/ours.py")
    put(tmp_path, "out/inner/ours.py")
    assert own(tmp_path, Spot("out", deep=False)) == ["out/ours.py"]
    assert own(tmp_path, Spot("", deep=False)) == []


def test_a_link_leads_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "project"
    put(tmp_path, "elsewhere/ours.py")
    root.mkdir()
    (root / "out").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    put(root, "real/ours.py")
    (root / "real/link.py").symlink_to(tmp_path / "elsewhere/ours.py")
    spots = (Spot("out", deep=True), Spot("real", deep=True))
    assert own(root, *spots) == ["real/ours.py"]


def test_what_was_written_before_is_own_wherever_it_lies(tmp_path: Path) -> None:
    put(tmp_path, "old/ours.py")
    remembered = frozenset({"old/ours.py", "old/gone.py"})
    assert own(tmp_path, Spot("new", deep=True), remembered=remembered) == ["old/ours.py"]


def test_the_spots_of_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "src/bindings").mkdir(parents=True)
    paths = ("src/bindings", "docs/fidelity.md", "docs/reference/{server}.md", "{server}.json")
    config = Config(tmp_path, outputs=tuple(Output("models", path) for path in paths))
    assert territory(config).spots == (
        Spot("", deep=False),
        Spot("docs", deep=False),
        Spot("docs/reference", deep=True),
        Spot("src/bindings", deep=True),
    )
