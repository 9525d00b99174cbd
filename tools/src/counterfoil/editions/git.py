"""Read files of other revisions from git, without touching the working tree.

Only plumbing commands that read are called: no checkout, no index, no filter, no pager.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.errors import CounterfoilError

if TYPE_CHECKING:
    import subprocess

# In this order: what the remote calls its own, then the names that are customary.
MAIN = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)
_SECONDS = 60
_SHORT = 10
_MISSING = 1  # how `rev-parse --verify --quiet` and `merge-base` say "there is none"


class RevisionError(CounterfoilError):
    """Report that there is no such revision, or no repository that could have one."""


@dataclass(frozen=True)
class Blob:
    """A file in a commit.

    Attributes:
        commit: full hash of the commit.
        path: from the top of the repository, with forward slashes.
        content: its bytes, as they were committed.
    """

    commit: str
    path: str
    content: bytes


@dataclass(frozen=True)
class Repository:
    """Ask the repository that a folder is in.

    Args:
        folder: any folder in its working tree.
    """

    folder: Path

    @functools.cached_property
    def _facts(self) -> tuple[str, bool]:
        """Return the folder from the top of the repository, and whether history is cut off.

        Raises:
            CounterfoilError: the folder is in no repository, or git does not run.
        """
        done = self._run("rev-parse", "--show-prefix", "--is-shallow-repository")
        if done.returncode:
            failed = self._failed("is no working tree of git", done)
            raise RevisionError(failed.what, place=failed.place, hint=failed.hint)
        prefix, _, shallow = done.stdout.decode("utf-8", "surrogateescape").partition("\n")
        return prefix, shallow.strip() == "true"

    @property
    def prefix(self) -> str:
        """Return the folder, from the top of the repository; ends with a slash or is empty."""
        return self._facts[0]

    @property
    def shallow(self) -> bool:
        """Say whether history is cut off, as in most clones of build servers."""
        return self._facts[1]

    @property
    def names(self) -> list[str]:
        """Return what branches and tags are called, those of remotes included."""
        shown = self._run("for-each-ref", "--format=%(refname:short)", "refs")
        return shown.stdout.decode("utf-8", "replace").split()

    @property
    def tracked(self) -> list[str]:
        """Return the files in the folder and below that git keeps, relative to the folder."""
        listed = self._run("ls-files", "-z")
        return listed.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]

    def find_commit(self, revision: str) -> str | None:
        """Return the hash of the commit that a revision means, ``None`` if it means none.

        Raises:
            CounterfoilError: the folder is in no repository, or git does not run.
        """
        if not revision or revision.startswith("-") or not revision.isprintable():
            return None
        assert self._facts is not None  # an error about the repository comes before any other
        done = self._run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return done.stdout.decode("ascii").strip() if done.returncode == 0 else None

    def commit(self, revision: str) -> str:
        """Return the hash of the commit that a revision means.

        Raises:
            CounterfoilError: there is none, with what to do about it.
        """
        found = self.find_commit(revision)
        if found is None:
            raise RevisionError(
                f"git knows no revision {revision!r}{self._here}",
                place=revision,
                hint=self._fetch(revision),
            )
        return found

    def merge_base(self) -> tuple[str, str]:
        """Return the commit where this branch left the main one, and the name of that one.

        Raises:
            CounterfoilError: there is no main branch, or no common history that is here.
        """
        head = self.find_commit("HEAD")
        if head is None:
            raise CounterfoilError(
                "there is no commit yet",
                hint="commit what callers have now, or name a file with --against",
            )
        listed = self._run("for-each-ref", "--format=%(refname)", *MAIN)
        names = listed.stdout.decode("utf-8", "replace").split()
        main = next((name for name in MAIN if name in names), None)
        if main is None:
            shown = ", ".join(_short_name(name) for name in MAIN)
            raise CounterfoilError(
                f"no main branch is here to compare with (tried {shown}){self._here}",
                hint=self._fetch("main"),
            )
        done = self._run("merge-base", "HEAD", main)
        if done.returncode == _MISSING and not done.stderr.strip():
            raise CounterfoilError(
                f"HEAD and {_short_name(main)} have no commit in common{self._here}",
                hint=self._fetch(_short_name(main).removeprefix("origin/")),
            )
        if done.returncode:
            raise self._failed("cannot tell where this branch began", done)
        return done.stdout.decode("ascii").strip(), _short_name(main)

    def blob(self, commit: str, path: str, shown: str) -> Blob | None:
        """Return a file of a commit, ``None`` where the commit has no such file.

        Args:
            commit: a full hash.
            path: from the top of the repository.
            shown: the revision as people know it.

        Raises:
            CounterfoilError: there is something else at the path, or it cannot be read.
        """
        if {"\n", "\0"} & set(path):
            raise CounterfoilError(
                "the path cannot be asked of git",
                place=ascii(path),
                hint="name a file without line ends in its name",
            )
        wanted = f"{commit}:{path}\n".encode("utf-8", "surrogateescape")
        done = self._run("cat-file", "--batch", "--follow-symlinks", given=wanted)
        if done.returncode:
            raise self._failed(f"cannot read {shown}:{path}", done)
        head, _, rest = done.stdout.partition(b"\n")
        words = head.decode("utf-8", "replace").rsplit(" ", 2)
        if len(words) == 3 and words[1] == "blob":
            return Blob(commit, path, rest[: int(words[2])])
        if head.endswith(b" missing"):
            return None
        raise CounterfoilError(
            "is no file in that revision", place=f"{shown}:{path}", hint="name a file after the :"
        )

    @property
    def _here(self) -> str:
        return "; this clone is shallow and holds only a part of the history" * self.shallow

    def _fetch(self, revision: str) -> str:
        """Say how to get what is missing."""
        if self.shallow:
            return (
                f"run `git fetch --unshallow origin {revision}` (in GitHub Actions, give "
                "actions/checkout `fetch-depth: 0`), or name a file or a revision with --against"
            )
        return (
            f"run `git fetch origin {revision}`, or name a file or a revision with --against "
            "(a file that is not there is taken for a revision)"
        )

    def _run(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        import subprocess  # two files are compared without it

        try:
            return subprocess.run(
                ["git", *words],
                cwd=self.folder,
                input=given,
                capture_output=True,
                env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
                timeout=_SECONDS,
                check=False,
            )
        except FileNotFoundError as error:
            if not self.folder.is_dir():
                raise RevisionError(
                    "is no folder", place=str(self.folder), hint="correct the path"
                ) from error
            raise CounterfoilError(
                "git is not installed here, so no revision can be read",
                hint="install git, or name a file with --against",
            ) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CounterfoilError(
                f"git does not run: {error}",
                place=str(self.folder),
                hint="see that `git status` works there",
            ) from error

    def _failed(self, what: str, done: subprocess.CompletedProcess[bytes]) -> CounterfoilError:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        return CounterfoilError(
            f"{what}: git says {said!r}" if said else what,
            place=str(self.folder),
            hint="run this inside a clone, or name files",
        )


def short(commit: str) -> str:
    """Return the beginning of a hash, as people quote it."""
    return commit[:_SHORT]


def _short_name(name: str) -> str:
    return name.removeprefix("refs/remotes/").removeprefix("refs/heads/")
