"""Files of other programs, replaced whole and never half, and the file that holds a token."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from fairwins_mcp.errors import FairwinsMcpError

OTHERS = 0o077  # the bits that let somebody else in
_LARGEST = 16 << 20


class FileError(FairwinsMcpError):
    """Say why a file is left alone; the message does not name it."""


class Original:
    """A file as it was found: ``path`` without links, ``content`` None where there is none."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.content: bytes | None = None
        self.status: os.stat_result | None = None
        try:
            self.path = self.path.resolve()  # what a link leads to is replaced, never the link
            self.status = self.path.stat()
            if not stat.S_ISREG(self.status.st_mode):
                raise FileError("is no regular file")
            if self.status.st_size > _LARGEST:
                raise FileError("is larger than any configuration")
            self.content = _read(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror}") from error
        except RuntimeError as error:  # what Python says of it before 3.13
            raise FileError("is a link that leads back to itself") from error

    @property
    def is_open(self) -> bool:
        """Tell whether others may read it, as far as this system says so."""
        return os.name != "nt" and self.status is not None and bool(self.status.st_mode & OTHERS)

    def replace(self, content: bytes) -> None:
        """Put other content in its place, in one step; mode and owner stay.

        A file that was not there is for its owner alone. Extended attributes are not kept.

        Raises:
            FileError: it cannot be written, or has changed since it was read.
        """
        scratch: Path | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            number, name = tempfile.mkstemp(prefix=".fairwins-mcp-", dir=self.path.parent)
            scratch = Path(name)
            with os.fdopen(number, "wb") as file:
                file.write(content)
                file.flush()
                self._keep_status(number)
                os.fsync(number)
            self._look_again()
            scratch.replace(self.path)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror}") from error
        finally:
            if scratch is not None:
                scratch.unlink(missing_ok=True)

    def _keep_status(self, number: int) -> None:
        if self.status is None or os.name == "nt":
            return
        made = os.fstat(number)
        if (made.st_uid, made.st_gid) != (self.status.st_uid, self.status.st_gid):
            os.fchown(number, self.status.st_uid, self.status.st_gid)
        os.fchmod(number, stat.S_IMODE(self.status.st_mode))

    def _look_again(self) -> None:
        """Look whether the client has written the file in the meantime."""
        now = _read(self.path) if self.path.exists() else None
        if now != self.content:
            raise FileError("has just changed; try again")


def save_token(path: Path, token: str) -> bool:
    """Put a token into a file that its owner alone may read; return whether it was not there.

    Raises:
        FileError: others may read the file, it holds another token, or this system does not say
            who may read it.
    """
    if os.name == "nt":
        raise FileError(
            "is on a system whose permissions this program cannot judge: make it by hand"
        )
    content = f"{token}\n".encode("ascii")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        number = os.open(path, flags, 0o600)
    except FileExistsError:
        _look_at_token(path, content)
        return False
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror}") from error
    with os.fdopen(number, "wb") as file:
        if os.fstat(number).st_mode & OTHERS:  # some file systems have no such permissions
            path.unlink()
            raise FileError(
                "is on a file system that lets others read it: name one elsewhere with --token-file"
            )
        file.write(content)
    return True


def _look_at_token(path: Path, content: bytes) -> None:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise FileError("is no regular file: name another with --token-file")
    if status.st_mode & OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        raise FileError(f"may be read by others (mode {mode:04o}): chmod 600 it first")
    try:
        held = _read(path)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}") from error
    if held.strip() != content.strip():
        raise FileError("holds another token, which is not overwritten: remove it first")


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_LARGEST)
