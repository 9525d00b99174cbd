"""Wheels, read so that every installer reads the same."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO

from mcp_wrapper_scaffold.scan.members import (
    MAX_MEMBER_BYTES,
    MAX_MEMBERS,
    MAX_RATIO,
    MAX_TOTAL_BYTES,
    Contents,
    judge_names,
)

_LOCAL = struct.Struct("<4s5H3L2H")  # APPNOTE 4.3.7, the header in front of each member
_SIGNATURE = b"PK\x03\x04"
_DESCRIPTOR = 24  # APPNOTE 4.3.9, at the longest
_HAS_DESCRIPTOR, _ENCRYPTED = 1 << 3, 1 << 0
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


def read_wheel(path: Path) -> Contents:
    """Read a wheel's files into memory, within limits."""
    contents = Contents(path.as_posix())
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as raw:
            members = archive.infolist()
            judge_names(contents, [member.orig_filename for member in members])
            if not _fits(contents, members):
                return contents
            _judge_layout(contents, archive, members, raw)
            for member in members:
                _read(contents, archive, member)
    except (zipfile.BadZipFile, NotImplementedError, struct.error) as error:
        contents.report("MW201", f"the archive is no zip file that can be read: {error}")
    return contents


def _fits(contents: Contents, members: list[zipfile.ZipInfo]) -> bool:
    """Report an archive that is too large; it is not unpacked then."""
    packed = sum(member.compress_size for member in members)
    whole = sum(member.file_size for member in members)
    if len(members) > MAX_MEMBERS:
        contents.report("MW201", f"the archive has {len(members)} members")
    elif whole > MAX_TOTAL_BYTES:
        contents.report("MW201", f"the archive unpacks to {whole} bytes")
    elif whole > MAX_RATIO * max(packed, 4096):
        contents.report("MW201", f"the archive unpacks to {whole // max(packed, 1)} times its size")
    else:
        return True
    return False


def _judge_layout(
    contents: Contents,
    archive: zipfile.ZipFile,
    members: list[zipfile.ZipInfo],
    raw: IO[bytes],
) -> None:
    """Report what stands between members, in front of them, or under two names.

    Readers that go by the directory at the end, and those that go through from the front, find
    the same in a well-formed archive only.
    """
    if archive.comment:
        contents.report("MW201", "the archive has a comment, where another archive could be")
    expected = 0, 0
    for member in sorted(members, key=lambda each: each.header_offset):
        if not expected[0] <= member.header_offset <= expected[1]:
            contents.report(
                "MW201", "the member is not where the one before it ends", member.filename
            )
        raw.seek(member.header_offset)
        head = _LOCAL.unpack(raw.read(_LOCAL.size))
        name = raw.read(head[9])
        encoding = "utf-8" if head[2] & 0x800 else "cp437"
        if head[0] != _SIGNATURE or name.decode(encoding, "replace") != member.orig_filename:
            contents.report("MW201", "the member has another name in front of it", member.filename)
        end = member.header_offset + _LOCAL.size + head[9] + head[10] + member.compress_size
        expected = end, end + (_DESCRIPTOR if member.flag_bits & _HAS_DESCRIPTOR else 0)
    if members and not expected[0] <= archive.start_dir <= expected[1]:
        contents.report("MW201", "there is something between the members and their directory")


def _read(contents: Contents, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    name = member.filename
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        contents.report("MW203", "the member is a link or device", name)
    elif member.flag_bits & _ENCRYPTED:
        contents.report("MW201", "the member is encrypted", name)
    elif member.compress_type not in _METHODS:
        contents.report("MW201", "the member is packed in a way that not all can read", name)
    elif member.file_size > MAX_MEMBER_BYTES:
        contents.report("MW201", f"the member has {member.file_size} bytes", name)
    elif member.is_dir():
        if member.file_size:
            contents.report("MW201", "the folder has content", name)
    else:
        try:
            contents.files[name] = archive.read(member)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            contents.report("MW201", f"the member cannot be read: {error}", name)
