"""Paths of outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from counterfoil.contract.model import Server
from counterfoil.names import package_name
from counterfoil.targets.target import Request

_PLACES = re.compile(r"(\{server\}|\{package\})")


def fill(path: str, server: Server) -> str:
    """Put a server's id and package name into a configured path."""
    return path.replace("{server}", server.id).replace("{package}", package_name(server.id))


def owned(
    request: Request, pattern: str, files: Mapping[str, bytes]
) -> Iterator[tuple[str, str, bytes]]:
    """Yield ``(server, path, content)`` of files where a pattern puts an output of any server.

    So the output of a server that is no longer in the contract is read, too.

    Args:
        request: names the servers.
        pattern: a path with ``{server}`` or ``{package}``; one without them is the output of
            the first server.
        files: content by path.
    """
    ids = {package_name(server.id): server.id for server in request.contract.servers}
    ids |= {package_name(server.id): server.id for server in request.servers}
    expression = _expression(pattern)
    for path, content in files.items():
        match = expression.fullmatch(path)
        if match is None:
            continue
        places = match.groupdict()
        if "server" in places:
            yield places["server"], path, content
        elif "package" in places:
            yield ids.get(places["package"], places["package"]), path, content
        else:
            yield next((server.id for server in request.servers), ""), path, content


def _expression(pattern: str) -> re.Pattern[str]:
    """Return what finds a server in a path; a place that stands twice holds the same twice."""
    seen: set[str] = set()
    parts: list[str] = []
    for part in _PLACES.split(pattern):
        name = part.strip("{}")
        if not _PLACES.fullmatch(part):
            parts.append(re.escape(part))
        else:
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+)")
            seen.add(name)
    return re.compile("".join(parts))
