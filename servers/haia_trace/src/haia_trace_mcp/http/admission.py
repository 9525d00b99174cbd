"""Who may ask at all: pages by their Origin, and names by which this server is called.

Both are judged before tokens are: a page in a browser of this machine must not even get to try
some, whatever name its site makes the browser take for this machine's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from haia_trace_mcp.http.errors import HttpFault, HttpSetupError
from haia_trace_mcp.oauth.resource import is_loopback
from haia_trace_mcp.wording import quoted

_HOST: Final = (
    r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::(?P<port>[0-9]{1,5}))?"
)
_AUTHORITY = re.compile(_HOST, re.IGNORECASE | re.ASCII)
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_HOST}", re.IGNORECASE | re.ASCII)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_Origin = tuple[str, str, int]


class Admission:
    """Judge requests by Host and Origin; loopback is always allowed.

    Args:
        hosts: further host names, without ports.
        origins: further origins of pages, such as ``https://console.example.com``.

    Raises:
        HttpSetupError: one of them is no host or origin.
    """

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._hosts = frozenset(map(_read_host, hosts))
        self._origins = frozenset(map(_read_origin, origins))

    def check(self, headers: Headers) -> None:
        """Let a request pass.

        Raises:
            HttpFault: 403 for a page's origin, 421 for a host, 400 for a host that is none.
        """
        self._check_origin(headers.getlist("origin"))
        self.check_host(headers)

    def check_host(self, headers: Headers) -> None:
        """Let a request pass by its Host alone, for what every page may read.

        Raises:
            HttpFault: 421 for a host, 400 for a host that is none.
        """
        values = headers.getlist("host")
        match = _AUTHORITY.fullmatch(values[0]) if len(values) == 1 else None
        if match is None:
            raise HttpFault(400, "invalid_request", "the request names no valid host, or several")
        host = match["host"].lower()
        if not is_loopback(host.strip("[]")) and host not in self._hosts:
            raise HttpFault(
                421,
                "host_not_allowed",
                "this server is not called by this host name; "
                "its operator can allow it with --http-allowed-host",
            )

    def _check_origin(self, values: list[str]) -> None:
        if not values:
            return
        match = _ORIGIN.fullmatch(values[0]) if len(values) == 1 else None
        if match is not None:
            is_local = is_loopback(match["host"].strip("[]"))
            if is_local or _key(match) in self._origins:
                return
        raise HttpFault(
            403,
            "origin_not_allowed",
            "pages of this origin are not served; "
            "the operator can allow them with --http-allowed-origin",
        )


def origin_of(url: str) -> str:
    """Return the origin of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _key(match: re.Match[str]) -> _Origin:
    scheme = match["scheme"].lower()
    return scheme, match["host"].lower(), int(match["port"] or _DEFAULT_PORTS[scheme])


def _read_host(text: str) -> str:
    match = _AUTHORITY.fullmatch(text)
    if match is None or match["port"] is not None:
        raise HttpSetupError(f"{quoted(text)} is no host name; ports are left out")
    return match["host"].lower()


def _read_origin(text: str) -> _Origin:
    match = _ORIGIN.fullmatch(text)
    if match is None:
        raise HttpSetupError(f"{quoted(text)} is no origin such as https://console.example.com")
    return _key(match)
