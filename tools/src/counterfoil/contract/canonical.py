"""The canonical form of JSON data: one text, one hash."""

from __future__ import annotations

import hashlib
import json
from json.encoder import encode_basestring
from typing import Any, TypeAlias

from counterfoil.contract.values import is_array, is_object

_Json: TypeAlias = "dict[str, _Json] | list[_Json] | str | int | float | bool | None"


def dump(value: Any) -> str:
    """Write JSON as this project writes it: sorted keys, two spaces, a final newline."""
    return indented(value, sort_keys=True)


def indented(value: Any, *, sort_keys: bool = False) -> str:
    """Write JSON with two spaces and a final newline, as ``json.dumps`` with an indent does.

    The standard library indents in Python, a generator for each level of nesting; this is
    three times as fast, and a contract of a thousand tools is written several times in a run.
    """
    pieces: list[str] = []
    _write(value, "\n", pieces, sort_keys=sort_keys)
    pieces.append("\n")
    return "".join(pieces)


def _write(value: _Json, newline: str, pieces: list[str], *, sort_keys: bool) -> None:
    if isinstance(value, str):
        pieces.append(encode_basestring(value))
    elif isinstance(value, dict) and value:
        inner = f"{newline}  "
        lead = f"{{{inner}"
        for key in sorted(value) if sort_keys else value:
            member = value[key]
            if isinstance(member, str):  # most members are; a call for each would cost a third
                pieces.append(f"{lead}{encode_basestring(key)}: {encode_basestring(member)}")
            else:
                pieces.append(f"{lead}{encode_basestring(key)}: ")
                _write(member, inner, pieces, sort_keys=sort_keys)
            lead = f",{inner}"
        pieces.append(f"{newline}}}")
    elif isinstance(value, list) and value:
        inner = f"{newline}  "
        lead = f"[{inner}"
        for member in value:
            pieces.append(lead)
            _write(member, inner, pieces, sort_keys=sort_keys)
            lead = f",{inner}"
        pieces.append(f"{newline}]")
    elif isinstance(value, int) and not isinstance(value, bool):
        pieces.append(int.__repr__(value))
    else:
        pieces.append(json.dumps(value, allow_nan=False))


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
    if not is_object(servers):
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
    if not is_object(server):
        return server
    result = dict(server)
    for key, by in _ORDER.items():
        entries = result.get(key)
        if is_array(entries) and all(
            is_object(entry) and isinstance(entry.get(by), str) for entry in entries
        ):
            result[key] = sorted(entries, key=lambda entry: entry[by])
    return result
