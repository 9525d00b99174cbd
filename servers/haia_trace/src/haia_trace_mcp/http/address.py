"""The address to listen on: an IP address or localhost, since names would have to be asked for."""

from __future__ import annotations

import ipaddress
import re
import socket
import sys
from dataclasses import dataclass
from typing import Final

from haia_trace_mcp.http.errors import HttpSetupError
from haia_trace_mcp.oauth.resource import is_loopback
from haia_trace_mcp.wording import quoted

BACKLOG: Final = 1024
_FORM = re.compile(
    r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<host>[^:\[\]]+)):(?P<port>[0-9]{1,5})", re.ASCII
)


@dataclass(frozen=True)
class Address:
    """Where to listen. ``host`` has no brackets; port 0 takes a free one."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Tell whether nobody on another machine can reach it."""
        return is_loopback(self.host)

    @property
    def is_wildcard(self) -> bool:
        """Tell whether it stands for every address of the machine."""
        return self.ip.is_unspecified

    @property
    def ip(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """Return the IP address; ``localhost`` is 127.0.0.1 here."""
        return ipaddress.ip_address("127.0.0.1" if self.host == "localhost" else self.host)

    def authority(self, port: int) -> str:
        """Return host and port as URLs have them."""
        return f"[{self.host}]:{port}" if self.ip.version == 6 else f"{self.host}:{port}"


def read_address(text: str) -> Address:
    """Read ``HOST:PORT``.

    Raises:
        HttpSetupError: it is none.
    """
    match = _FORM.fullmatch(text)
    host = "" if match is None else (match["six"] or match["host"]).lower()
    try:
        address = Address(host, int(match["port"]) if match else 0)
        _ = address.ip
    except ValueError as error:
        raise HttpSetupError(
            f"--http {quoted(text)} is no address; give 127.0.0.1:PORT, localhost:PORT "
            "or [::1]:PORT"
        ) from error
    if address.port > 65535:
        raise HttpSetupError(f"--http {quoted(text)}: a port is at most 65535")
    return address


def listen(address: Address) -> socket.socket:
    """Return a socket that listens.

    Raises:
        HttpSetupError: the system does not give the address.
    """
    family = socket.AF_INET6 if address.ip.version == 6 else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there, it would let others take the port over
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((str(address.ip), address.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        place = address.authority(address.port)
        raise HttpSetupError(f"cannot listen on {place}: {error.strerror}") from error
    return listener
