"""Somebody else's repository with a project in it, and the checkouts of build servers."""

from __future__ import annotations

from pathlib import Path

from history import History
from starter import edit_json

FOLDER = "packages/notes"
CONTRACT = f"{FOLDER}/contract/contract.json"


class Upstream(History):
    """A repository with a main branch, and pull requests as GitHub keeps them."""

    def withdraw(self) -> None:
        """Take a tool and its cases away, which breaks callers, and leave the rest as it is."""
        edit_json(self.root / CONTRACT, lambda each: each["servers"]["notes"]["tools"].pop())
        (self.root / FOLDER / "contract/cases/notes/search_notes.json").unlink()
        self.commit()

    def pull(self, base: str = "main") -> None:
        """Make a pull request of the branch that is checked out: its merge with its base."""
        branch = self.git("rev-parse", "--abbrev-ref", "HEAD")
        self.git("checkout", "-q", "--detach", base)
        self.git("merge", "-q", "--no-ff", "-m", "merge", branch)
        self.git("update-ref", "refs/pull/1/merge", "HEAD")
        self.git("checkout", "-q", base)

    def check_out(self, folder: Path, ref: str) -> Path:
        """Check a ref out with its last commit alone, as `actions/checkout` does."""
        folder.mkdir()
        self.git("init", "-q", cwd=folder)
        self.git("remote", "add", "origin", self.root.as_uri(), cwd=folder)
        self.git("fetch", "-q", "--no-tags", "--depth=1", "origin", ref, cwd=folder)
        self.git("checkout", "-q", "--detach", "FETCH_HEAD", cwd=folder)
        return folder
