"""The header fields that a handler may send."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.gate.text import plain

FieldLines = tuple[tuple[str, str], ...]

# RFC 9110: a token, and visible characters with blanks between them. The HTTP library would refuse
# others only once it has connected.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"(?:[!-~](?:[ -~\t]*[!-~])?)?")

# What frames the message, names another place, or makes another request of this one.
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
        "via",
        "x-host",
        "x-override-url",
    }
)
# Families whose members tell a server behind a proxy of another host, path or method.
_OUR_FAMILIES: Final = (
    "proxy-",
    "x-envoy-",
    "x-forwarded-",
    "x-http-",
    "x-method",
    "x-original-",
    "x-rewrite-",
)


def read_headers(headers: Mapping[str, str] | None) -> FieldLines:
    """Return the fields of a call as they will be sent.

    Raises:
        GatedFetchDenied: ``header``, with the name of the field where it is a proper name.
    """
    if headers is None:
        return ()
    try:
        lines = tuple((plain(name), plain(value)) for name, value in headers.items())
    except (AttributeError, TypeError, ValueError) as error:
        raise GatedFetchDenied("header", detail="they are no mapping") from error
    checked: dict[str, tuple[str, str]] = {}
    for name, value in lines:
        if name is None or value is None:
            raise GatedFetchDenied("header", detail="a name or a value is no text")
        check_field(name, value)
        if checked.setdefault(name.lower(), (name, value)) != (name, value):
            raise GatedFetchDenied("header", detail=f"{name.lower()[:60]} is there twice")
    return tuple(checked.values())


def check_field(name: str, value: str) -> None:
    """Refuse a field that is malformed, or that is the gate's to write.

    Raises:
        GatedFetchDenied: ``header``; the detail never holds a value.
    """
    if _NAME.fullmatch(name) is None:
        raise GatedFetchDenied("header", detail="a name is no token")
    # Some servers read _ in a name as -.
    folded = name.lower().replace("_", "-")
    if folded in _OURS or folded.startswith(_OUR_FAMILIES):
        raise GatedFetchDenied("header", detail=f"{folded[:60]} is not a caller's to set")
    if _VALUE.fullmatch(value) is None:
        detail = f"the value of {folded[:60]} is not visible ASCII with blanks inside at most"
        raise GatedFetchDenied("header", detail=detail)


def with_defaults(lines: FieldLines, defaults: Iterable[tuple[str, str]]) -> FieldLines:
    """Return the fields of a call, and those of the defaults that it does not have."""
    present = {name.lower() for name, _ in lines}
    return (*lines, *(line for line in defaults if line[0].lower() not in present))


def check_sent(lines: Iterable[tuple[bytes, bytes]], host: bytes) -> None:
    """Refuse the fields of a finished request that neither a handler nor the gate has written.

    Raises:
        GatedFetchDenied: ``header``.
    """
    hosts = 0
    for raw_name, raw_value in lines:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        folded = name.lower()
        if folded == "host":
            hosts += 1
            if raw_value != host:
                raise GatedFetchDenied("header", detail="host is not that of the URL")
        elif folded != "content-length":
            check_field(name, value)
        elif not raw_value.isdigit():
            raise GatedFetchDenied("header", detail="content-length is no number")
    if hosts != 1:
        raise GatedFetchDenied("header", detail="host is not there once")
