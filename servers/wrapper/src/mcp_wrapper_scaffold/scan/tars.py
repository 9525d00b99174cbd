"""Source archives."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from pathlib import Path
from typing import Any

from mcp_wrapper_scaffold.scan.members import (
    MAX_MEMBER_BYTES,
    MAX_MEMBERS,
    MAX_TOTAL_BYTES,
    Contents,
    judge_names,
)


class _TooLarge(Exception):
    """Say that more comes out of an archive than is read."""


class _Limited(io.RawIOBase):
    """Read at most so many bytes of an unpacked stream."""

    def __init__(self, stream: gzip.GzipFile, limit: int) -> None:
        super().__init__()
        self._stream = stream
        self._left = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # typed otherwise from Python 3.12 on
        data = self._stream.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise _TooLarge
        buffer[: len(data)] = data
        return len(data)


def read_sdist(path: Path) -> Contents:
    """Read a source archive's files into memory, within limits; links are not followed."""
    contents = Contents(path.as_posix())
    names: list[str] = []
    try:
        with gzip.open(path) as stream:
            limited = io.BufferedReader(_Limited(stream, MAX_TOTAL_BYTES))
            with tarfile.open(fileobj=limited, mode="r|") as archive:
                for member in archive:
                    names.append(member.name)
                    if len(names) > MAX_MEMBERS:
                        contents.report("MW201", f"the archive has more than {MAX_MEMBERS} members")
                        break
                    _read(contents, archive, member)
    except _TooLarge:
        contents.report("MW201", f"the archive unpacks to more than {MAX_TOTAL_BYTES} bytes")
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        contents.report("MW201", f"the archive is no .tar.gz that can be read: {error}")
    judge_names(contents, names)
    return contents


def _read(contents: Contents, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    if member.isdir():
        return
    if not member.isreg() or member.issparse():
        contents.report("MW203", "the member is a link or device", member.name)
    elif member.size > MAX_MEMBER_BYTES:
        contents.report("MW201", f"the member has {member.size} bytes", member.name)
    else:
        file = archive.extractfile(member)
        contents.files[member.name] = b"" if file is None else file.read()
