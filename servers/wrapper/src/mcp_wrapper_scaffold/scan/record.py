"""``RECORD``: the list that a wheel carries of its own files (binary distribution format)."""

from __future__ import annotations

import base64
import csv
import hashlib
import io

from mcp_wrapper_scaffold.scan.members import Contents

_HASHES = frozenset({"sha256", "sha384", "sha512"})
_UNLISTED = ("RECORD.jws", "RECORD.p7s")


def judge_record(contents: Contents, folder: str) -> None:
    """Report where the list and the archive disagree.

    Args:
        contents: the wheel.
        folder: its ``.dist-info`` folder.
    """
    own = f"{folder}/RECORD"
    raw = contents.files.get(own)
    if raw is None:
        contents.report("MW206", "there is no RECORD")
        return
    try:
        rows = list(csv.reader(io.StringIO(raw.decode("utf-8")), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        contents.report("MW206", f"RECORD cannot be read: {error}", own)
        return
    listed: set[str] = set()
    for row in filter(None, rows):
        if len(row) != 3:
            contents.report("MW206", f"RECORD has a line with {len(row)} fields", own)
            continue
        name, digest, size = row
        if name in listed:
            contents.report("MW206", "RECORD lists the member twice", name)
        listed.add(name)
        fault = "" if name == own else _fault(contents, name, digest, size)
        if fault:
            contents.report("MW206", fault, name)
    signatures = {f"{folder}/{each}" for each in _UNLISTED}
    for name in sorted(contents.files.keys() - listed - signatures - {own}):
        contents.report("MW206", "RECORD does not list the member", name)


def _fault(contents: Contents, name: str, digest: str, size: str) -> str:
    content = contents.files.get(name)
    if content is None:
        return "RECORD lists a member that there is not"
    kind, _, expected = digest.partition("=")
    if kind not in _HASHES:
        return f"RECORD gives no hash that holds, but {kind or 'none'!r}"
    found = base64.urlsafe_b64encode(hashlib.new(kind, content).digest()).rstrip(b"=").decode()
    if found != expected.rstrip("="):
        return "the member is not what RECORD gives the hash of"
    return "" if size == str(len(content)) else "the member has another size than RECORD says"
