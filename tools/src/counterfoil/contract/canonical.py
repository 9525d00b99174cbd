"""The canonical form of JSON data: one text, one hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def dump(value: Any) -> str:
    """Write JSON as this project writes it: sorted keys, two spaces, a final newline."""
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False) + "\n"


def compact(value: Any) -> str:
    """Write JSON on one line with sorted keys, for hashing and comparing."""
    return json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
    )


def digest(value: Any) -> str:
    """Return the sha256 of the compact form, as 64 hexadecimal digits."""
    return hashlib.sha256(compact(value).encode("utf-8", "surrogatepass")).hexdigest()


def canonical_text(contract: dict[str, Any]) -> str:
    """Return the canonical text of a contract."""
    return dump(arranged(contract))


def arranged(contract: dict[str, Any]) -> dict[str, Any]:
    """Return the contract with its lists in canonical order; values are shared, not copied.

    Tools, prompts and resource templates are ordered by name, resources by URI, routes by
    id; ``outbound`` and everything inside a schema keep the author's order.
    """
    servers = contract.get("servers")
    if not isinstance(servers, dict):
        return contract
    return {**contract, "servers": {key: _server(value) for key, value in servers.items()}}


_ORDER = {
    "tools": "name",
    "resources": "uri",
    "resourceTemplates": "uriTemplate",
    "prompts": "name",
    "routes": "id",
}


def _server(server: Any) -> Any:
    if not isinstance(server, dict):
        return server
    result = dict(server)
    for key, by in _ORDER.items():
        entries = result.get(key)
        if isinstance(entries, list) and all(
            isinstance(entry, dict) and isinstance(entry.get(by), str) for entry in entries
        ):
            result[key] = sorted(entries, key=lambda entry: entry[by])
    return result
