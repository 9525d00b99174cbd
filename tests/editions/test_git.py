"""Editions of other revisions are read from git, and nothing of the repository changes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from history import CONTRACT, History, begin, contract, require

from counterfoil.config import Live
from counterfoil.editions import AbsentFile, Edition, Room, default_base, open_edition, open_target
from counterfoil.errors import CounterfoilError


@pytest.fixture
def history(tmp_path: Path) -> History:
    return begin(tmp_path / "project")


def room(history: History, folder: str = ".", live: tuple[Live, ...] = ()) -> Room:
    return Room(history.root / folder, history.root, CONTRACT, live)


def read(history: History, word: str, folder: str = ".") -> Edition:
    where = room(history, folder)
    return open_edition(word, where, where.file)


def tools(edition: Edition) -> list[str]:
    return [
        entry.name for each in edition.surface.servers.values() for entry in each.entries["tool"]
    ]


def refused(history: History, word: str) -> CounterfoilError:
    with pytest.raises(CounterfoilError) as caught:
        read(history, word)
    return caught.value


@pytest.mark.parametrize(
    "word",
    [
        "main",
        "v1.0.0",
        "annotated",
        "HEAD~1",
        "refs/heads/main",
        "git:main",
        f"main:{CONTRACT}",
        f"git:v1.0.0:{CONTRACT}",
        "main:./contract/contract.json",
        "HEAD^{/x}~1",
    ],
)
def test_a_revision_is_read_in_every_spelling(history: History, word: str) -> None:
    history.git("tag", "v1.0.0")
    history.git("tag", "--annotate", "annotated", "--message", "x")
    history.git("switch", "--quiet", "--create", "change")
    history.commit(contract("search"))
    history.write(contract("other"))
    before = history.state()
    edition = read(history, word)
    assert tools(edition) == ["export", "search"]
    assert edition.path.endswith(f":{CONTRACT}")
    assert history.git("rev-parse", "main").startswith(edition.about)
    assert tools(open_target(room(history))) == ["other"]
    assert history.state() == before


def test_a_path_is_from_the_top_or_from_here(history: History) -> None:
    history.commit(contract("deep"), "a/b/c.json")
    assert tools(read(history, "HEAD:a/b/c.json", "a")) == ["deep"]
    assert tools(read(history, "HEAD:./b/c.json", "a")) == ["deep"]
    assert tools(read(history, f"HEAD:../{CONTRACT}", "a")) == ["export", "search"]


def test_what_is_staged_is_read(history: History) -> None:
    history.write(contract("staged"))
    history.git("add", "--all")
    history.write(contract("working"))
    edition = read(history, f":{CONTRACT}")
    assert tools(edition) == ["staged"]
    assert edition.shown == f":{CONTRACT} (as staged)"


def test_a_project_may_lie_below_the_top_of_its_repository(history: History) -> None:
    history.write(contract("below"), f"deep/er/{CONTRACT}")
    commit = history.commit()
    root = history.root / "deep/er"
    edition = open_edition("HEAD", Room(root, root, CONTRACT), root / CONTRACT)
    assert tools(edition) == ["below"]
    assert edition.shown == f"HEAD:deep/er/{CONTRACT} ({commit[:10]})"


def test_the_file_that_is_judged_says_which_file_a_revision_means(history: History) -> None:
    history.commit(contract("other"), "other.json")
    history.write(contract("changed"), "other.json")
    where = room(history)
    assert tools(open_edition("HEAD", where, where.find_file("other.json"))) == ["other"]


@pytest.mark.parametrize("main", ["main", "master"])
def test_the_default_is_where_the_branch_left_the_main_one(history: History, main: str) -> None:
    history.git("branch", "--move", main)
    start = history.git("rev-parse", "HEAD")
    history.git("switch", "--quiet", "--create", "change")
    history.commit(contract("search"))
    history.git("switch", "--quiet", main)
    history.commit(contract("later"))
    history.git("switch", "--quiet", "change")
    edition = default_base(room(history), None)
    assert tools(edition) == ["export", "search"]
    assert edition.shown == f"{start[:10]}:{CONTRACT} (where {main} was left)"


def test_the_main_branch_of_the_remote_comes_first(history: History, tmp_path: Path) -> None:
    history.git("branch", "--move", "trunk")
    history.git("clone", "--quiet", str(history.root), str(tmp_path / "clone"))
    clone = History(tmp_path / "clone")
    clone.git("switch", "--quiet", "--create", "main")
    clone.commit(contract("mine"))
    edition = default_base(room(clone), None)
    assert tools(edition) == ["export", "search"]
    assert edition.about == "where origin/HEAD was left"


def shallow(history: History, tmp_path: Path) -> History:
    """Return a clone as build servers make it: one commit of a branch, and no main branch."""
    history.git("switch", "--quiet", "--create", "change")
    history.commit(contract("search"))
    url = history.root.as_uri()
    clone = tmp_path / "clone"
    history.git("clone", "--quiet", "--depth", "1", "--branch", "change", url, str(clone))
    made = History(clone)
    made.git("update-ref", "-d", "refs/remotes/origin/HEAD")
    return made


def test_a_shallow_clone_without_a_main_branch_is_an_error(
    history: History, tmp_path: Path
) -> None:
    clone = shallow(history, tmp_path)
    with pytest.raises(CounterfoilError, match="no main branch is here") as caught:
        default_base(room(clone), None)
    assert "this clone is shallow" in caught.value.what
    assert "git fetch --unshallow origin main" in caught.value.hint
    assert "fetch-depth: 0" in caught.value.hint


def test_a_shallow_clone_without_a_common_commit_is_an_error(
    history: History, tmp_path: Path
) -> None:
    history.commit()
    clone = shallow(history, tmp_path)
    clone.git("fetch", "--quiet", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    with pytest.raises(CounterfoilError, match="have no commit in common") as caught:
        default_base(room(clone), None)
    assert "--unshallow origin main" in caught.value.hint


def test_a_revision_that_a_shallow_clone_lacks_is_an_error(
    history: History, tmp_path: Path
) -> None:
    error = refused(shallow(history, tmp_path), "git:v1.0.0")
    assert "git knows no revision 'v1.0.0'; this clone is shallow" in str(error)
    assert "--unshallow" in error.hint


@pytest.mark.parametrize(
    ("word", "said", "hint"),
    [
        ("nonsense", "nonsense: is no file, and no revision", "git fetch origin"),
        ("old.jsn", "old.jsn: is no file, and no revision", "--against"),
        ("--help", "--help: is no file, and no revision", ""),
        ("-", "cannot be read as JSON", ""),
        ("git:--upload-pack=x", "git knows no revision", ""),
        ("git:a\nb", "git knows no revision", ""),
        ("git:", "git knows no revision ''", ""),
        ("HEAD:", "HEAD:: names no file", "HEAD:PATH"),
        ("HEAD:contract", "HEAD:contract: is no file in that revision", ""),
        ("HEAD:a\nb", "the path cannot be asked of git", ""),
        ("contract", "contract: is no file, and no revision", ""),
        ("file:nowhere.json", "nowhere.json: there is no such file", ""),
        ("file:contract", "contract: cannot be read", ""),
        ("server:nobody", "server:nobody: no [[tool.counterfoil.server]]", "known: none"),
        ("stdio:", "stdio:: has no command", ""),
        ("stdio:'a", "is no command line", "quote"),
        ("x" * 5000, "is no file, and no revision", ""),
        ("a\0b", "is no file, and no revision", ""),
    ],
)
def test_what_cannot_be_read_is_an_error(
    history: History, monkeypatch: pytest.MonkeyPatch, word: str, said: str, hint: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    error = refused(history, word)
    assert said in str(error)
    assert hint in error.hint


def test_a_commit_without_the_file_is_told_apart(history: History) -> None:
    with pytest.raises(AbsentFile, match=r"main:new\.json: the revision main does not hold"):
        read(history, "main:new.json")
    with pytest.raises(AbsentFile, match=r":new\.json: is not staged"):
        read(history, ":new.json")


def test_a_file_with_the_name_of_a_revision_is_not_guessed(history: History) -> None:
    history.write(contract("file"), "main")
    error = refused(history, "main")
    assert "main: is a file, and a revision as well" in str(error)
    assert error.hint == "write file:main or git:main"
    assert tools(read(history, "file:main")) == ["file"]
    assert tools(read(history, "git:main")) == ["export", "search"]


def test_outside_of_a_repository_a_file_is_a_file(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.write(contract("file"), "main")
    assert tools(read(history, "main")) == ["file"]
    error = refused(history, "other")
    assert "other: is no file, and no revision" in str(error)
    with pytest.raises(CounterfoilError, match="is no"):
        default_base(room(history), None)


def test_a_repository_without_a_commit_is_an_error(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.git("init", "--quiet")
    history.write(contract())
    with pytest.raises(CounterfoilError, match="there is no commit yet"):
        default_base(room(history), None)


def test_a_machine_without_git_is_an_error(
    history: History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not installed here" in str(refused(history, "git:main"))


def test_a_link_in_the_repository_is_followed(history: History) -> None:
    (history.root / "link.json").symlink_to(CONTRACT)
    history.commit()
    assert tools(read(history, "HEAD:link.json")) == ["export", "search"]


def test_a_breaking_base_is_the_file_as_committed_whatever_line_ends(history: History) -> None:
    path = history.root / CONTRACT
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    history.commit()
    history.write(require(contract()))
    assert tools(read(history, "HEAD")) == ["export", "search"]
