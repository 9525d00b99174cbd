"""The header fields that a handler may send."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from mcp_wrapper_scaffold.errors import GatedFetchDenied

FieldLines = tuple[tuple[str, str], ...]

# RFC 9110: a token, and visible characters with blanks between them. The HTTP library would refuse
# others only once it has connected.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"(?:[!-~](?:[ -~\t]*[!-~])?)?")

# What frames the message, names another place, or makes another request of this one. Some servers
# read _ in a name as -, so names are compared with - alone.
_OURS: Final = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "forwarded",
        "host",
        "http2-settings",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "x-forwarded-host",
        "x-forwarded-port",
        "x-forwarded-prefix",
        "x-forwarded-proto",
        "x-forwarded-scheme",
        "x-forwarded-server",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "x-original-host",
        "x-original-method",
        "x-original-uri",
        "x-original-url",
        "x-rewrite-url",
    }
)


def read_headers(headers: Mapping[str, str] | None) -> FieldLines:
    """Return the fields of a call as they will be sent.

    Raises:
        GatedFetchDenied: ``header``, with the name of the field where it is a proper name.
    """
    if headers is None:
        return ()
    try:
        lines = tuple(headers.items())
    except AttributeError as error:
        raise GatedFetchDenied("header", detail="they are no mapping") from error
    seen: set[str] = set()
    for name, value in lines:
        check_field(name, value)
        folded = name.lower()
        if folded in seen:
            raise GatedFetchDenied("header", detail=f"{folded} is there twice")
        seen.add(folded)
    return lines


def check_field(name: object, value: object) -> None:
    """Refuse a field that is malformed, or that is the gate's to write.

    Raises:
        GatedFetchDenied: ``header``; the detail never holds a value.
    """
    if type(name) is not str or _NAME.fullmatch(name) is None:
        raise GatedFetchDenied("header", detail="a name is no token")
    folded = name.lower().replace("_", "-")
    if folded in _OURS or folded.startswith("proxy-"):
        raise GatedFetchDenied("header", detail=f"{folded[:60]} is not a caller's to set")
    if type(value) is not str or _VALUE.fullmatch(value) is None:
        detail = f"{folded[:60]} has a value with other than visible ASCII and inner blanks"
        raise GatedFetchDenied("header", detail=detail)


def has_field(lines: Iterable[tuple[str, str]], name: str) -> bool:
    """Tell whether a field is there; ``name`` is in small letters."""
    return any(each.lower() == name for each, _ in lines)
