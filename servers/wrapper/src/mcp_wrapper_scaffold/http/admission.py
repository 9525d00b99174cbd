"""Who may ask at all: pages by their Origin, and names by which this server is called.

The bearer token is what protects a wrapper. These two checks come before it, so that a page in a
browser of this machine cannot even try tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers

from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.http.fields import only
from mcp_wrapper_scaffold.http.replies import HttpFault

ANY_HOST: Final = "*"
_HOST = r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(?P<port>[0-9]{1,5}))?"
_AUTHORITY = re.compile(_HOST, re.IGNORECASE | re.ASCII)
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_HOST}", re.IGNORECASE | re.ASCII)
_LOOPBACK = re.compile(r"localhost\.?|127(?:\.[0-9]{1,3}){3}|\[::1\]", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}


class AdmissionError(WrapperError):
    """Say which allowed host or origin is none."""


class Admission:
    """Judge requests by Host and Origin; loopback is always allowed.

    Args:
        hosts: further host names, without ports; ``*`` allows every name.
        origins: further origins of pages, such as ``https://console.example.com``.

    Raises:
        AdmissionError: one of them is no host or origin.
    """

    def __init__(self, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        listed = list(hosts)
        self._any_host = ANY_HOST in listed
        self._hosts = frozenset(_read_host(host) for host in listed if host != ANY_HOST)
        self._origins = frozenset(_read_origin(origin) for origin in origins)

    def check(self, headers: Headers) -> None:
        """Let a request pass.

        Raises:
            HttpFault: 403 for a page's origin, 421 for a host, 400 for a host that is none.
        """
        self.check_origin(headers)
        authority = only(headers, "host")
        match = None if authority is None else _AUTHORITY.fullmatch(authority)
        if match is None:
            raise HttpFault(400, "malformed_request", "the request names no valid host, or several")
        host = match["host"].lower()
        if self._any_host or _LOOPBACK.fullmatch(host) or host.rstrip(".") in self._hosts:
            return
        raise HttpFault(
            421,
            "host_not_allowed",
            "this server is not called by this host name; the operator can allow it with "
            "allowed_hosts",
        )

    def check_origin(self, headers: Headers) -> None:
        """Let a request pass that comes from no page, or from an allowed one.

        Raises:
            HttpFault: 403.
        """
        if "origin" not in headers:
            return
        origin = only(headers, "origin")
        match = None if origin is None else _ORIGIN.fullmatch(origin)
        if match is None or not (
            _LOOPBACK.fullmatch(match["host"]) or _key(match) in self._origins
        ):
            raise HttpFault(
                403,
                "origin_not_allowed",
                "pages of this origin are not served; the operator can allow them with "
                "allowed_origins",
            )


def _key(match: re.Match[str]) -> tuple[str, str, int]:
    scheme = match["scheme"].lower()
    return scheme, match["host"].lower(), int(match["port"] or _DEFAULT_PORTS[scheme])


def _read_host(text: str) -> str:
    match = _AUTHORITY.fullmatch(text)
    if match is None or match["port"] is not None:
        raise AdmissionError(f"{text!r} is no host name; ports are left out")
    return match["host"].lower().rstrip(".")


def _read_origin(text: str) -> tuple[str, str, int]:
    match = _ORIGIN.fullmatch(text)
    if match is None:
        raise AdmissionError(f"{text!r} is no origin of the form https://host or https://host:port")
    return _key(match)
