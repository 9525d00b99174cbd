"""The requests that a wrapper may send: declared, checked, and found again quickly."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, Protocol, cast

from mcp_wrapper_scaffold.errors import DeclarationError
from mcp_wrapper_scaffold.path_tree import PathTree

Method = Literal["GET", "HEAD", "POST"]
METHODS: Final[frozenset[str]] = frozenset({"GET", "HEAD", "POST"})

_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65_535
_LONGEST_HOST = 253
# RFC 3986, pchar without percent-encoding; "*" is the wildcard, "/" separates.
_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@/-]*")


class Entry(Protocol):
    """Be anything with the three attributes of an entry, as generated allowlists have them."""

    @property
    def origin(self) -> str:
        """Return scheme, host and a port that is not the scheme's own."""
        ...

    @property
    def method(self) -> str:
        """Return GET, HEAD or POST."""
        ...

    @property
    def path_pattern(self) -> str:
        """Return the pattern of the whole path."""
        ...


@dataclass(frozen=True, slots=True)
class AllowEntry:
    """Permit one kind of request; what no entry permits is not sent.

    Attributes:
        origin: scheme, host and a port that is not the scheme's own, exactly as it is sent.
        method: the one method.
        path_pattern: the whole path; ``*`` stands for any run of characters within one segment,
            also for none, and everything else for itself.

    Raises:
        DeclarationError: the entry could be read in more than one way.
    """

    origin: str
    method: Method
    path_pattern: str

    def __post_init__(self) -> None:
        reason = (
            _named("origin", _origin_fault(self.origin))
            or _named("method", _method_fault(self.method))
            or _named("path_pattern", _path_fault(self.path_pattern))
        )
        if reason:
            raise DeclarationError(_words(self), reason)


class Allowlist:
    """Hold entries, compiled once; a look-up costs the same with few and with many of them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Check and compile.

        Raises:
            DeclarationError: an entry is refused; the message has its place in the list.
        """
        self.entries: Final = tuple(
            _checked(entry, number) for number, entry in enumerate(entries, 1)
        )
        self._trees: dict[str, PathTree] = {}
        for entry in self.entries:
            tree = self._trees.setdefault(entry.origin, PathTree())
            tree.add(entry.path_pattern, entry.method)

    @property
    def origins(self) -> tuple[str, ...]:
        """Return each origin once, in the order of their first entries."""
        return tuple(self._trees)

    def methods(self, origin: str, path: str) -> frozenset[str] | None:
        """Return the methods that are permitted at a place; None for an origin without entries."""
        tree = self._trees.get(origin)
        return None if tree is None else tree.methods(path)


def _checked(entry: Entry, number: int) -> AllowEntry:
    try:
        # AllowEntry refuses any other method.
        return AllowEntry(entry.origin, cast("Method", entry.method), entry.path_pattern)
    except AttributeError as error:
        reason = "is no entry: origin, method and path_pattern are needed"
        raise DeclarationError(repr(entry)[:200], reason, number) from error
    except DeclarationError as error:
        raise DeclarationError(error.entry, error.reason, number) from error


def _words(entry: AllowEntry) -> str:
    fields = (entry.method, entry.origin, entry.path_pattern)
    return " ".join(ascii(each)[1:-1] if type(each) is str else ascii(each) for each in fields)


def _named(field: str, fault: str) -> str:
    return f"{field} {fault}" if fault else ""


def _method_fault(method: object) -> str:
    known = type(method) is str and method in METHODS
    return "" if known else "is not GET, HEAD or POST, in capitals"


def _origin_fault(origin: object) -> str:
    if type(origin) is not str:
        return "is no text"
    if not origin.isascii():
        return "is not ASCII; a host of other letters is written in its xn-- form"
    match = _ORIGIN.fullmatch(origin)
    if not match:
        return (
            "is not scheme://host or scheme://host:port in small letters, "
            "without user, path, wildcard and trailing slash"
        )
    scheme, host, port = match.groups()
    if port and int(port) > _LAST_PORT:
        return f"has port {port}, and the last one is {_LAST_PORT}"
    if port and int(port) == _DEFAULT_PORTS[scheme]:
        return f"names port {port}, which goes without saying for {scheme}"
    return _address_fault(host[1:-1]) if host.startswith("[") else _host_fault(host)


def _address_fault(host: str) -> str:
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        return "has no IPv6 address between its brackets"
    if address.ipv4_mapped is not None:
        return "has an IPv4 address in an IPv6 one"
    return "" if str(address) == host else f"has an address that is written [{address}] for short"


def _host_fault(host: str) -> str:
    labels = host.split(".")
    if len(host) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, labels)):
        return "has no plain host name"
    if labels[-1][0].isdigit() or labels[-1].startswith("0x"):
        # Resolvers take 2130706433 and 0x7f.1 for addresses.
        try:
            ipaddress.IPv4Address(host)
        except ValueError:
            return "has a host that resolvers take for a number"
    return ""


def _path_fault(path: object) -> str:
    if type(path) is not str:
        return "is no text"
    if not path.startswith("/"):
        return "does not begin with a slash"
    if not _PATH.fullmatch(path):
        return "has a character that is not sent as written; %, ?, # and spaces are such"
    if "**" in path:
        return 'has "**"; "*" stays within one segment'
    if "//" in path:
        return "has an empty segment"
    if any(segment.partition(";")[0] in (".", "..") for segment in path.split("/")):
        return "has a dot segment"
    return ""
