"""Where an edition is: what people write for it, and what that means."""

from __future__ import annotations

import posixpath
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.config import Live
from counterfoil.console import read_input
from counterfoil.contract.reading import read_bytes
from counterfoil.editions.edition import Edition
from counterfoil.editions.reading import read_edition
from counterfoil.errors import CounterfoilError

if TYPE_CHECKING:
    from counterfoil.editions.git import Repository

FORMS = """\
BASE and TARGET are read in this order:
  -                standard input
  file:PATH        a file
  git:REV          the same file at a revision of git; git:REV:PATH for another one
  stdio:COMMAND    what a server lists that is started; no shell reads the command
  server:ID        what a server of [[tool.counterfoil.server]] lists
  http://…         what a server lists over HTTP; https://… as well
  PATH             a file that is there; if git knows a revision of that name, too, and the name
                   does not end in .json, neither is guessed
  REV              a revision of git: the same file at a branch, tag or commit
  REV:PATH, :PATH  another file at a revision, from the top of the repository (./ for from here),
                   or as it is staged

A file holds a contract, or what tools/list answers: an array of tools, {"tools": […]}, the whole
answer, or an array of pages; resources, resourceTemplates and prompts may be beside the tools."""

# HEAD^{/fix: typo} is a revision with a colon in it.
_REVISION_AND_PATH = re.compile(r"((?:[^:{]|\{[^}]*\})*)(:?)(.*)", re.DOTALL)
_SCHEMES = ("file", "git", "server", "stdio")


class AbsentFile(CounterfoilError):
    """Report a commit that is there, and does not hold the file."""


@dataclass(frozen=True)
class Room:
    """Where names are looked up.

    Attributes:
        folder: what relative paths and revisions on the command line start from.
        root: the project's folder; without a project the same.
        contract: the project's contract, relative to the root; empty without a project.
        live: the servers that the project names.
    """

    folder: Path
    root: Path
    contract: str = ""
    live: tuple[Live, ...] = ()

    @property
    def file(self) -> Path | None:
        """Return the project's contract."""
        return self.root / self.contract if self.contract else None

    def find_file(self, word: str) -> Path | None:
        """Return the file that a word names, or ``None`` when it names something else."""
        scheme, _, rest = word.partition(":")
        if scheme == "file":
            return self.folder / rest
        if word == "-" or scheme in ("http", "https", *_SCHEMES):
            return None
        try:
            path = self.folder / word
            return path if path.exists() and not path.is_dir() else None
        except (OSError, ValueError):  # too long for a path, or with a NUL in it
            return None


def open_target(room: Room) -> Edition:
    """Read the project's contract as it is in the working tree.

    Raises:
        CounterfoilError: there is no project, or the contract cannot be read.
    """
    if room.file is None:
        raise CounterfoilError(
            "no pyproject.toml with [tool.counterfoil] is here, so there is no contract to judge",
            hint="name a file: counterfoil breaking --against OLD NEW",
        )
    return read_edition(read_bytes(room.file, room.contract), room.contract)


def open_edition(word: str, room: Room, file: Path | None) -> Edition:
    """Read what a word names; :data:`FORMS` says how.

    Args:
        word: as people wrote it.
        room: where to look it up.
        file: which file a revision without a path means.

    Raises:
        CounterfoilError: it names nothing, or two things, or cannot be read.
    """
    if word == "-":
        return read_edition(read_input("counterfoil"), "<stdin>")
    scheme, _, rest = word.partition(":")
    if scheme in ("http", "https", "server", "stdio"):
        from counterfoil.editions.servers import read_server

        return read_server(_live(word, scheme, rest, room), room.root)
    if scheme == "git":
        return _open_revision(rest, room, file)
    path = room.find_file(word)
    if path is None:
        return _open_bare(word, room, file)
    shown = rest if scheme == "file" else word
    if scheme != "file" and not word.endswith(".json"):
        _refuse_ambiguity(word, room)
    return read_edition(read_bytes(path, shown), Path(shown).as_posix())


def default_base(room: Room, file: Path | None) -> Edition:
    """Read a file as it was where this branch left the main one.

    Args:
        room: where to look.
        file: which file; default: the project's contract.

    Raises:
        CounterfoilError: there is no such place in the history, or the file was not there.
    """
    file = file or room.file
    if file is None:
        raise CounterfoilError(
            "there is nothing to compare with",
            hint="name it with --against, or run this in a project",
        )
    from counterfoil.editions.git import Repository, short

    repository = Repository(file.parent)
    commit, main = repository.merge_base()
    return _edition(
        repository, commit, repository.prefix + file.name, short(commit), f"where {main} was left"
    )


def _open_bare(word: str, room: Room, file: Path | None) -> Edition:
    from counterfoil.editions.git import RevisionError

    try:
        return _open_revision(word, room, file)
    except RevisionError as error:
        raise CounterfoilError(
            f"is no file, and no revision: {error.what}", place=word, hint=error.hint
        ) from error


def _open_revision(word: str, room: Room, file: Path | None) -> Edition:
    from counterfoil.editions.git import Repository, short

    match = _REVISION_AND_PATH.fullmatch(word)
    revision, colon, path = match.groups() if match else (word, "", "")
    if colon:
        repository = Repository(room.folder)
        if path.startswith(("./", "../")):
            path = posixpath.normpath(repository.prefix + path)
    elif file is not None:
        repository = Repository(file.parent)
        path = repository.prefix + file.name
    else:
        raise CounterfoilError(
            "is no file; as a revision it does not say which file is meant",
            place=word,
            hint=f"write {word}:PATH, or run this in a project",
        )
    if not path:
        raise CounterfoilError("names no file", place=word, hint=f"write {word}PATH")
    if colon and not revision:
        return _edition(repository, "", path, "", "as staged")
    commit = repository.commit(revision)
    return _edition(repository, commit, path, revision, short(commit))


def _edition(repository: Repository, commit: str, path: str, shown: str, about: str) -> Edition:
    blob = repository.blob(commit, path, shown)
    if blob is None:
        raise AbsentFile(
            f"the revision {shown} does not hold the file" if shown else "is not staged",
            place=f"{shown}:{path}",
            hint="if it had another name then, write REV:PATH; if it is new, give --allow-new",
        )
    return read_edition(blob.content, f"{shown}:{path}", about)


def _refuse_ambiguity(word: str, room: Room) -> None:
    """Refuse a file's name that git takes for a revision.

    Raises:
        CounterfoilError: it does.
    """
    from counterfoil.editions.git import Repository

    try:
        commit = Repository(room.folder).find_commit(word)
    except CounterfoilError:  # no repository, or no git: then it is a file and nothing else
        return
    if commit is not None:
        raise CounterfoilError(
            "is a file, and a revision as well",
            place=word,
            hint=f"write file:{word} or git:{word}",
        )


def _live(word: str, scheme: str, rest: str, room: Room) -> Live:
    if scheme in ("http", "https"):
        return Live("", url=word)
    if scheme == "stdio":
        try:
            command = tuple(shlex.split(rest))
        except ValueError as error:
            raise CounterfoilError(
                f"is no command line: {error}", place=word, hint="close every quote"
            ) from error
        if not command:
            raise CounterfoilError("has no command", place=word, hint="write stdio:COMMAND")
        return Live("", command=command, cwd=str(room.folder))
    for entry in room.live:
        if entry.id == rest:
            return entry
    known = ", ".join(entry.id for entry in room.live) or "none"
    raise CounterfoilError(
        f"no [[tool.counterfoil.server]] has the id {rest!r}",
        place=word,
        hint=f"add one, or give stdio:COMMAND or a URL; known: {known}",
    )
