"""What a URL means, read once, with the parser of the client that sends it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.gate.text import plain
from mcp_wrapper_scaffold.gate.transport import URL, InvalidURL, origin_of, path_of

LONGEST: Final = 8192

# Visible ASCII without the backslash.
_CHARACTERS = re.compile(r"[!-\[\]-~]*")
_ABSOLUTE = re.compile(r"[Hh][Tt][Tt][Pp][Ss]?://([^/?#]+)([^?#]*)")
_AUTHORITY = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
# RFC 3986: pchar and "/"; what follows a "%" is looked at below.
_PATH = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]*")

# A "%" that does not begin an encoded byte, or begins one that some server takes for something
# else: a control, an unreserved character, a separator, or a "%" before two digits, which a chain
# of servers may decode once more.
_AMBIGUOUS_BYTE = re.compile(
    r"%(?![0-9A-Fa-f]{2})"
    r"|%[01][0-9A-Fa-f]"
    r"|%2[DdEeFf]"
    r"|%3[0-9]"
    r"|%4[1-9A-Fa-f]"
    r"|%5[0-9AaCcFf]"
    r"|%6[1-9A-Fa-f]"
    r"|%7[0-9AaEeFf]"
    r"|%25[0-9A-Fa-f]{2}"
)


class Target(NamedTuple):
    """A sound URL: what is decided about, and the object that is sent."""

    url: URL
    origin: str
    path: str


def read_target(text: object, method: str = "") -> Target:
    """Return the target of a URL that can be read in one way only.

    Raises:
        GatedFetchDenied: from ``too_long`` to ``unparsable``, in the order of the table of codes.
    """
    text = plain(text)
    if text is None:
        raise GatedFetchDenied("not_absolute_http", method=method, detail="it is no text")
    if len(text) > LONGEST:
        raise GatedFetchDenied("too_long", method=method)
    if _CHARACTERS.fullmatch(text) is None:
        raise GatedFetchDenied("bad_characters", method=method)
    match = _ABSOLUTE.match(text)
    if match is None:
        raise GatedFetchDenied("not_absolute_http", method=method)
    authority, path = match.groups()
    fault = _authority_fault(authority) or path_fault(path)
    if fault:
        raise GatedFetchDenied(fault, method=method)
    try:
        url = URL(text)
    except InvalidURL as error:
        raise GatedFetchDenied("unparsable", method=method) from error
    if path_of(url) != (path or "/"):
        raise GatedFetchDenied("ambiguous_path", method=method)
    return Target(url, origin_of(url), path or "/")


def path_fault(path: str) -> str:
    """Return the code of what keeps a path from having one meaning; nothing for a sound path."""
    if _PATH.fullmatch(path) is None:
        return "bad_characters"
    if "//" in path:
        return "ambiguous_path"
    meant = path
    if "%" in path:
        if _AMBIGUOUS_BYTE.search(path) is not None:
            return "ambiguous_path"
        try:
            meant = unquote_to_bytes(path).decode("utf-8")
        except UnicodeDecodeError:
            return "ambiguous_path"
    # ".;x" and "..;x" are dot segments to servers that take off path parameters first.
    if "/." in meant and any(
        segment.partition(";")[0] in (".", "..") for segment in meant.split("/")
    ):
        return "ambiguous_path"
    return ""


def _authority_fault(authority: str) -> str:
    if "@" in authority:
        return "userinfo"
    if "%" in authority:
        return "bad_characters"
    return "" if _AUTHORITY.fullmatch(authority) else "bad_authority"
