"""What a wrapper may send: an exact origin, one method, a path pattern."""

from __future__ import annotations

import ipaddress
import re

from counterfoil.contract.model import Contract, Part
from counterfoil.contract.report import Report
from counterfoil.schema.sentences import shown

_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65535
_LONGEST_HOST = 253
# RFC 3986, pchar without percent-encoding; * is the wildcard, / separates.
_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@/-]*")
_ORIGIN_HINT = "write scheme://host, or scheme://host:port for a port that is not the default"


def judge_outbound(contract: Contract, report: Report) -> None:
    """Report entries that a gate could read in more ways than one."""
    for server in contract.servers:
        for entry in server.parts("outbound"):
            _judge(entry, report)


def _judge(entry: Part, report: Report) -> None:
    origin, path = entry.data["origin"], entry.data["pathPattern"]
    fault = _origin_fault(origin)
    if fault:
        report.add("CF170", f"{entry.pointer}/origin", f"{shown(origin)} {fault}", _ORIGIN_HINT)
    fault = _path_fault(path)
    if fault:
        report.add("CF171", f"{entry.pointer}/pathPattern", f"{shown(path)} {fault}")
    elif entry.data["method"] == "POST" and path.endswith("/*"):
        message = f"{shown(path)} ends in a bare *, which takes every :verb too"
        report.add("CF172", f"{entry.pointer}/pathPattern", message)


def _origin_fault(origin: str) -> str:
    if not origin.isascii():
        return "is not ASCII; write the xn-- form of the host"
    match = _ORIGIN.fullmatch(origin)
    if not match:
        return "is no exact origin in lower case, without user, path and trailing slash"
    scheme, host, port = match.groups()
    if port and int(port) > _LAST_PORT:
        return "has a port that there is not"
    if port and int(port) == _DEFAULT_PORTS[scheme]:
        return "names the default port"
    return _address_fault(host[1:-1]) if host.startswith("[") else _host_fault(host)


def _address_fault(host: str) -> str:
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        return "has no IPv6 address in its brackets"
    if address.ipv4_mapped is not None:
        return "hides an IPv4 address in an IPv6 one"
    return "" if str(address) == host else f"spells its address otherwise than [{address}]"


def _host_fault(host: str) -> str:
    labels = host.split(".")
    if len(host) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, labels)):
        return "has no host name that resolves to one name only"
    if labels[-1][0].isdigit() or labels[-1].startswith("0x"):
        # Resolvers take 2130706433 and 0x7f.1 for addresses, each in its own way.
        try:
            ipaddress.IPv4Address(host)
        except ValueError:
            return "has a host that is read as a number"
    return ""


def _path_fault(path: str) -> str:
    if not path.startswith("/"):
        return "does not begin with a slash"
    if not _PATH.fullmatch(path):
        return "has a character that is not sent as written (no %, ?, #, spaces or non-ASCII)"
    if "**" in path:
        return "has **; * stays within one segment"
    if "//" in path:
        return "has an empty segment"
    if any(segment.split(";")[0] in (".", "..") for segment in path.split("/")):
        return "has a dot segment"
    return ""
