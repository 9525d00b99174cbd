"""The one way to files: links, special files, and files that change while they are read."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from haia_trace_mcp.errors import AbsentError, RootError, TornReadError
from haia_trace_mcp.root import TraceRoot

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes of POSIX")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("secret")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> TraceRoot:
    (tmp_path / "top/.trace/events").mkdir(parents=True)
    (tmp_path / "top/.trace/events/run").write_text("data")
    return TraceRoot(tmp_path / "top/.trace", ".trace")


def test_a_file_is_read_by_its_name(root: TraceRoot) -> None:
    with root.folder("events") as folder:
        assert folder.names() == ["run"]
        assert folder.read("run", 4) == b"data"
        with folder.open("run") as file:
            assert file.read(1, 2) == b"at"
            assert file.entry("run") == folder.entry("run")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/etc/passwd", "../events/run", "a/b", "run\0", "gone"]
)
def test_what_is_no_name_in_the_folder_is_not_there(name: str, root: TraceRoot) -> None:
    with root.folder("events") as folder:
        for ask in (folder.entry, lambda each: folder.read(each, 9)):
            with pytest.raises(AbsentError):
                ask(name)
        if name != "gone":
            with pytest.raises(RootError):
                folder.replace(name, b"")
            with pytest.raises(RootError):
                folder.open_for_appending(name)


@pytest.mark.parametrize("names", [("..",), ("events", ".."), ("events/run",), ("",), ("/",)])
def test_folders_are_below_the_root(names: tuple[str, ...], root: TraceRoot) -> None:
    with pytest.raises(RootError, match=r"is not below the root"), root.folder(*names):
        pass


def test_a_folder_that_is_not_there_is_absent(root: TraceRoot) -> None:
    with pytest.raises(AbsentError), root.folder("templates"):
        pass


@posix
def test_a_link_in_the_path_that_was_given_is_followed_once(
    root: TraceRoot, tmp_path: Path
) -> None:
    (tmp_path / "short").symlink_to(root.path)
    again = TraceRoot(tmp_path / "short")
    assert again.path == root.path
    (tmp_path / "short").unlink()
    (tmp_path / "short").symlink_to(tmp_path)
    with again.folder("events") as folder:
        assert folder.names() == ["run"]


@posix
@pytest.mark.parametrize("level", ["top", "top/.trace", "top/.trace/events"])
def test_a_folder_on_the_way_that_became_a_link_is_refused(
    level: str, root: TraceRoot, tmp_path: Path
) -> None:
    (tmp_path / level).rename(tmp_path / "moved")
    (tmp_path / level).symlink_to(tmp_path / "moved")
    with pytest.raises(RootError, match=r"symbolic link"), root.folder("events"):
        pass


def make_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "secret")


def make_dangling(path: Path, outside: Path) -> None:
    path.symlink_to("nowhere")


def make_fifo(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path, outside: Path) -> None:
    path.mkdir()


def make_socket(path: Path, outside: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        # The limit on such paths is short; pytest's are long.
        here = Path.cwd()
        os.chdir(path.parent)
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def make_device(path: Path, outside: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make devices")


SPECIAL = [make_link, make_dangling, make_fifo, make_folder, make_socket, make_device]


@posix
@pytest.mark.parametrize("make", SPECIAL)
def test_what_is_no_regular_file_is_neither_read_nor_written(
    make: Callable[[Path, Path], None], root: TraceRoot, outside: Path
) -> None:
    make(root.path / "events/odd", outside)
    with root.folder("events") as folder:
        for ask in (folder.entry, lambda name: folder.read(name, 9), folder.open_for_appending):
            with pytest.raises(RootError) as refusal:
                ask("odd")
            assert not isinstance(refusal.value, AbsentError)
            assert str(refusal.value).startswith('".trace/events/odd": is ')
    assert (outside / "secret").read_text() == "secret"


@posix
@pytest.mark.parametrize("make", [make_link, make_fifo])
def test_a_file_that_is_swapped_after_the_look_is_still_refused(
    make: Callable[[Path, Path], None],
    root: TraceRoot,
    outside: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = root.path / "events/run"
    look = os.stat

    def swap_after(*arguments: object, **named: object) -> os.stat_result:
        found = look(*arguments, **named)  # type: ignore[call-overload]  # as it was called
        if arguments[0] == "run" and not path.is_symlink() and not path.is_fifo():
            path.unlink()
            make(path, outside)
        return found  # type: ignore[no-any-return]

    monkeypatch.setattr(os, "stat", swap_after)
    with root.folder("events") as folder, pytest.raises(RootError, match=r"symbolic|pipe"):
        folder.read("run", 99)


@posix
def test_a_folder_that_is_swapped_while_open_changes_nothing(
    root: TraceRoot, outside: Path
) -> None:
    (outside / "run").write_text("else")
    with root.folder("events") as folder:
        (root.path / "events").rename(root.path / "moved")
        (root.path / "events").symlink_to(outside)
        assert folder.names() == ["run"]
        assert folder.read("run", 9) == b"data"


def test_a_file_over_the_limit_is_refused_by_its_size(root: TraceRoot) -> None:
    refusal = pytest.raises(RootError, match=r"has 4 bytes, more than the limit of 3")
    with root.folder("events") as folder, refusal:
        folder.read("run", 3)


def test_a_file_that_became_shorter_is_told(root: TraceRoot) -> None:
    with root.folder("events") as folder, folder.open("run") as file:
        (root.path / "events/run").write_text("d")
        with pytest.raises(TornReadError):
            file.read(0, 4)


def test_a_file_is_replaced_in_one_step(root: TraceRoot) -> None:
    with root.folder("guard", create=True) as folder:
        folder.replace("index", b"one")
        with folder.open("index") as before:
            folder.replace("index", b"other")
            assert before.read(0, 3) == b"one"
        assert folder.read("index", 9) == b"other"
        assert folder.names() == ["index"]
    if sys.platform != "win32":
        assert stat.S_IMODE((root.path / "guard").stat().st_mode) == 0o700
        assert stat.S_IMODE((root.path / "guard/index").stat().st_mode) == 0o600


@posix
def test_a_link_is_replaced_and_not_followed(root: TraceRoot, outside: Path) -> None:
    (root.path / "events/index").symlink_to(outside / "secret")
    with root.folder("events") as folder:
        folder.replace("index", b"new")
        assert folder.read("index", 9) == b"new"
    assert (outside / "secret").read_text() == "secret"


@posix
def test_a_file_that_cannot_take_the_place_leaves_nothing_behind(root: TraceRoot) -> None:
    (root.path / "events/index").mkdir()
    with root.folder("events") as folder:
        with pytest.raises(RootError, match=r"cannot be written"):
            folder.replace("index", b"new")
        assert sorted(folder.names()) == ["index", "run"]


def test_a_file_is_opened_for_appending_alone(root: TraceRoot) -> None:
    with root.folder("events") as folder:
        for data in (b"1", b"2"):
            descriptor = folder.open_for_appending("log")
            os.write(descriptor, data)
            os.close(descriptor)
        assert folder.read("log", 9) == b"12"


@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="needs O_PATH")
def test_folders_on_the_way_need_not_be_readable(root: TraceRoot, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (tmp_path / "top").chmod(0o111)
    try:
        with root.folder("events") as folder:
            assert folder.names() == ["run"]
    finally:
        (tmp_path / "top").chmod(0o700)


@posix
def test_no_descriptor_is_left_open(root: TraceRoot, outside: Path) -> None:
    make_fifo(root.path / "events/odd", outside)
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("needs /proc")
    before = len(list(descriptors.iterdir()))
    for name in ("run", "odd", "gone"):
        with root.folder("events") as folder:
            try:
                folder.read(name, 9)
                folder.entry(name)
            except RootError:
                continue
    for names in (("events", "run"), ("gone",)):
        with pytest.raises(RootError), root.folder(*names):
            pass
    assert len(list(descriptors.iterdir())) == before
