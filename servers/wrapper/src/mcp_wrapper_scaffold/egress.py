"""An allowlist in the words of what stands around a wrapper: programs, firewalls, proxies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from mcp_wrapper_scaffold.allowlist import AllowEntry
from mcp_wrapper_scaffold.gate.addresses import is_address

_PORTS = {"http": 80, "https": 443}
# Of what a path may hold, these mean something in a POSIX regular expression.
_MEANING = re.compile(r"[.$()+]")


def as_json(entries: Sequence[AllowEntry]) -> str:
    """Return the entries as JSON, in their order, with the members of a contract's ``outbound``."""
    listed = [
        {"method": entry.method, "origin": entry.origin, "pathPattern": entry.path_pattern}
        for entry in entries
    ]
    return json.dumps(listed, indent=2) + "\n"


def as_hosts(entries: Sequence[AllowEntry]) -> str:
    """Return ``HOST:PORT``, each once, sorted; IPv6 addresses are in brackets."""
    places = sorted({_place(entry.origin)[1:] for entry in entries})
    return "".join(f"{host}:{port}\n" for host, port in places)


def as_squid(entries: Sequence[AllowEntry]) -> str:
    """Return rules for Squid 5 and later.

    Through CONNECT, the proxy sees host and port. For plain http, it sees method and path too,
    and is told them.
    """
    lines = [
        "# Made by `mcp-wrapper allowlist`. Methods and paths within TLS are the wrapper's gate's.",
        "acl connect method CONNECT",
    ]
    tunnels = sorted({_place(entry.origin) for entry in entries if _is_tls(entry)})
    for number, (_, host, port) in enumerate(tunnels, 1):
        name = f"tunnel_{number}"
        lines += [*_destination(name, host, port), f"http_access allow connect {name} {name}_port"]
    for number, entry in enumerate((entry for entry in entries if not _is_tls(entry)), 1):
        _, host, port = _place(entry.origin)
        name = f"plain_{number}"
        lines += [
            *_destination(name, host, port),
            f"acl {name}_method method {entry.method}",
            f"acl {name}_path urlpath_regex {_expression(entry.path_pattern)}",
            f"http_access allow !connect {name} {name}_port {name}_method {name}_path",
        ]
    return "\n".join([*lines, "http_access deny all"]) + "\n"


EGRESS_FORMATS: Mapping[str, Callable[[Sequence[AllowEntry]], str]] = MappingProxyType(
    {"json": as_json, "hosts": as_hosts, "squid": as_squid}
)
"""Every form by its name."""


def _is_tls(entry: AllowEntry) -> bool:
    return entry.origin.startswith("https:")


def _place(origin: str) -> tuple[str, str, int]:
    """Return scheme, host and port of an origin that has been checked."""
    scheme, _, rest = origin.partition("://")
    host, port = rest, ""
    if ":" in rest.rpartition("]")[2]:
        host, _, port = rest.rpartition(":")
    return scheme, host, int(port) if port else _PORTS[scheme]


def _destination(name: str, host: str, port: int) -> list[str]:
    bare = host.strip("[]")
    kind = "dst" if is_address(bare) else "dstdomain"
    return [f"acl {name} {kind} {bare}", f"acl {name}_port port {port}"]


def _expression(pattern: str) -> str:
    """Return a pattern as a regular expression of a path with whatever query."""
    parts = (_MEANING.sub(r"\\\g<0>", part) for part in pattern.split("*"))
    return f"^{'[^/?]*'.join(parts)}(\\?.*)?$"
