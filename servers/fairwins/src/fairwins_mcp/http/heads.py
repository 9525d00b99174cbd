"""Heads of HTTP/1.1 requests, read strictly: what two readers could take for two things is refused.

The rules are those of RFC 9112. Nothing here is lenient except an empty line before a request.
"""

from __future__ import annotations

import re

from fairwins_mcp.http.faults import HttpFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.http.limits import Limits

_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET = re.compile(rb"[!-~]+")
_VERSION = re.compile(rb"HTTP/[0-9]\.[0-9]")
_ABSOLUTE = re.compile(r"https?://([^/?#@]+)(/[^#]*|\?[^#]*)?", re.IGNORECASE)
# A tab may stand in a value; every other control character is refused, CR and LF among them.
_CONTROLS = bytes(code for code in range(32) if code != 9) + b"\x7f"
# Two of these would leave open which one counts. The routing fields of MCP and those of x402 are
# judged where their own errors are made.
_SINGLE = frozenset(("content-length", "content-type", "host", "transfer-encoding"))


class Head:
    """The head of a request.

    ``target`` is the path without the query, and ``authority`` the host and port that it is for.
    ``fields`` has lower-case names, and values as Latin-1 text, so that their bytes survive;
    ``repeated`` names those that came more than once, their values joined by commas.
    """

    __slots__ = ("authority", "fields", "is_modern", "method", "repeated", "target")

    def __init__(self, method: str, target: str, authority: str, is_modern: bool) -> None:
        self.method = method
        self.target = target
        self.authority = authority
        self.is_modern = is_modern
        self.fields: dict[str, str] = {}
        self.repeated: set[str] = set()

    @property
    def keeps_alive(self) -> bool:
        """Tell whether the connection goes on after the response; HTTP/1.0 ends with it."""
        if not self.is_modern:
            return False
        connection = self.fields.get("connection")
        return connection is None or "close" not in split_list(connection)


def split_list(value: str) -> list[str]:
    """Return the members of a comma-separated field, in lower case and without spaces around."""
    return [item.strip(" \t").lower() for item in value.split(",")]


def parse_head(data: bytes, limits: Limits) -> Head:
    """Read a head, given without the empty line that ends it.

    Raises:
        HttpFault: 400 for what is no head, 414 and 431 for too long ones, 505 for other versions.
    """
    lines = data.split(b"\r\n")
    if len(lines) - 1 > limits.fields:
        raise HttpFault(431, "too_many_fields", f"a request has at most {limits.fields} fields")
    text_bytes = len(data) - 2 * (len(lines) - 1)
    if len(data.replace(b"\r\n", b"").translate(None, _CONTROLS)) != text_bytes:
        raise _malformed("a control character, or a line that does not end in CR LF")
    head = _parse_request_line(lines[0], limits)
    for line in lines[1:]:
        _add_field(head, line)
    _settle_authority(head)
    return head


def _malformed(what: str) -> HttpFault:
    return HttpFault(400, "malformed_request", f"the request is no valid HTTP: {what}")


def _parse_request_line(line: bytes, limits: Limits) -> Head:
    parts = line.split(b" ")
    if len(parts) != 3 or not _NAME.fullmatch(parts[0]) or not _TARGET.fullmatch(parts[1]):
        raise _malformed("its first line is not METHOD TARGET VERSION")
    method, target, version = parts
    if version not in (b"HTTP/1.1", b"HTTP/1.0"):
        if _VERSION.fullmatch(version):
            raise HttpFault(505, "version_not_supported", "this server speaks HTTP/1.1")
        raise _malformed("its first line names no version")
    if len(target) > limits.target_bytes:
        raise HttpFault(414, "target_too_long", f"a target has at most {limits.target_bytes} bytes")
    path, authority = _split_target(target.decode("ascii"))
    return Head(method.decode("ascii"), path, authority, version == b"HTTP/1.1")


def _split_target(target: str) -> tuple[str, str]:
    """Return path and authority of a target; the authority is empty where only Host has it."""
    if target == "*":
        return target, ""
    authority = ""
    if not target.startswith("/"):
        match = _ABSOLUTE.fullmatch(target)
        if match is None:
            raise _malformed("its target is neither a path nor a URL")
        authority, target = match[1], match[2] or "/"
    elif "#" in target:
        raise _malformed("its target has a fragment")
    return target.partition("?")[0] or "/", authority


def _add_field(head: Head, line: bytes) -> None:
    raw_name, colon, value = line.partition(b":")
    if not colon or not _NAME.fullmatch(raw_name):
        # Folded lines and names with a space before the colon end up here too.
        raise _malformed("a field that is not NAME: VALUE on one line")
    name = raw_name.decode("ascii").lower()
    text = value.strip(b" \t").decode("latin-1")
    if name not in head.fields:
        head.fields[name] = text
        return
    if name in _SINGLE:
        raise _malformed(f"two fields {name}")
    head.repeated.add(name)
    head.fields[name] += f", {text}"


def _settle_authority(head: Head) -> None:
    """Take the authority from Host, unless the target names one: then Host does not count."""
    host = head.fields.get("host")
    if host is None and head.is_modern:
        raise _malformed("the field host is missing")
    if not head.authority:
        head.authority = host or ""
