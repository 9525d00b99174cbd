"""Who may ask at all: browser pages by their Origin, and names by which this server is called.

Leaving out CORS keeps a page from reading an answer, not from sending a request. So requests that
come from a page are refused before anything else happens, unless the page is this machine's own
or allowed by name.
"""

from __future__ import annotations

import re

from fairwins_mcp.http.faults import HttpFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from fairwins_mcp.http.heads import Head

_HOST = r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(?P<port>[1-9][0-9]{0,4}))?"
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_HOST}", re.IGNORECASE | re.ASCII)
_AUTHORITY = re.compile(_HOST, re.IGNORECASE | re.ASCII)
_LOOPBACK = re.compile(r"localhost\.?|127(?:\.(?:0|[1-9][0-9]{0,2})){3}|\[?::1\]?", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Origin:
    """An origin of the web: ``scheme``, ``host``, ``port``, the default port written out."""

    __slots__ = ("host", "port", "scheme")

    def __init__(self, scheme: str, host: str, port: int) -> None:
        self.scheme = scheme
        self.host = host
        self.port = port

    @classmethod
    def parse(cls, text: str) -> Origin | None:
        """Read an http or https origin; None for anything else, ``null`` and URLs included."""
        match = _ORIGIN.fullmatch(text)
        if match is None:
            return None
        scheme = match["scheme"].lower()
        port = int(match["port"] or _DEFAULT_PORTS[scheme])
        return cls(scheme, match["host"].lower(), port) if port <= 65535 else None

    @property
    def key(self) -> tuple[str, str, int]:
        """Return what makes two origins the same."""
        return self.scheme, self.host, self.port


def is_loopback(host: str) -> bool:
    """Tell a name or address of this machine alone; brackets around IPv6 do not matter."""
    match = _LOOPBACK.fullmatch(host)
    return match is not None and all(int(part) < 256 for part in host.split(".") if part.isdigit())


def is_host(text: str) -> bool:
    """Tell a host name or address without a port."""
    match = _AUTHORITY.fullmatch(text)
    return match is not None and match["port"] is None


class Gate:
    """Judge requests by Origin and, where ``checks_host``, by the host they were sent to.

    A page that lets its own name point to this machine shows its origin, or, when it was loaded
    from here, at least its name in Host. ``origins`` and ``hosts`` are allowed beside loopback.
    """

    def __init__(self, origins: Iterable[Origin], hosts: Iterable[str], checks_host: bool) -> None:
        self._origins = frozenset(origin.key for origin in origins)
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts)
        self._checks_host = checks_host

    def check(self, head: Head) -> None:
        """Let a request pass.

        Raises:
            HttpFault: 403 for a page's origin, 421 for a host, 400 for a host that is none.
        """
        origin = head.fields.get("origin")
        if origin is not None:
            self._check_origin(origin)
        # Only HTTP/1.0 and an empty Host leave it open which name the client had called.
        if head.authority or self._checks_host:
            self._check_host(head.authority)

    def _check_origin(self, text: str) -> None:
        origin = Origin.parse(text)
        if origin is None or not (is_loopback(origin.host) or origin.key in self._origins):
            raise HttpFault(
                403,
                "origin_not_allowed",
                "this origin is not served; the operator can allow it with --allowed-origin or "
                "FAIRWINS_MCP_ALLOWED_ORIGINS",
            )

    def _check_host(self, authority: str) -> None:
        match = _AUTHORITY.fullmatch(authority)
        if match is None:
            raise HttpFault(400, "malformed_request", "the request names no valid host")
        host = match["host"].lower()
        if not self._checks_host or is_loopback(host) or host.rstrip(".") in self._hosts:
            return
        raise HttpFault(
            421,
            "host_not_allowed",
            "this server was started for this machine alone and is not called by this host name; "
            "the operator can allow the name with --allowed-host or FAIRWINS_MCP_ALLOWED_HOSTS",
        )
