"""The canonical form of JSON data: one text, one hash."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import Any, TypeAlias

from counterfoil.contract.values import is_array, is_object

_Json: TypeAlias = "dict[str, _Json] | list[_Json] | str | int | float | bool | None"

_COMPACT = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ON_ONE_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
# The most frequent scalars by their exact type, which is what a parser gives.
_SPELLED: Mapping[type, Callable[[Any], str]] = {
    bool: {False: "false", True: "true"}.__getitem__,
    int: int.__repr__,
    str: encode_basestring,
}


def dump(value: Any) -> str:
    """Write JSON as this project writes it: sorted keys, two spaces, a final newline."""
    return indented(value, sort_keys=True)


def indented(value: Any, *, sort_keys: bool = False) -> str:
    """Write JSON with two spaces and a final newline, as ``json.dumps`` with an indent does.

    The standard library indents in Python, a generator for each level of nesting; this is four
    times as fast, and a contract of a thousand tools is written several times in a run.
    """
    return _written(value, "\n", sort_keys) + "\n"


def _written(value: _Json, newline: str, sort_keys: bool) -> str:
    """Return the text of a value; scalars are spelled without a call, since most values are some.

    Args:
        newline: a line end, and the indentation of the value.
    """
    inner = f"{newline}  "
    if isinstance(value, dict) and value:
        members: list[str] = []
        for key in sorted(value) if sort_keys else value:
            member = value[key]
            spell = _SPELLED.get(type(member))
            text = spell(member) if spell else _written(member, inner, sort_keys)
            members.append(f"{encode_basestring(key)}: {text}")
        return f"{{{inner}{f',{inner}'.join(members)}{newline}}}"
    if isinstance(value, list) and value:
        entries: list[str] = []
        for entry in value:
            spell = _SPELLED.get(type(entry))
            entries.append(spell(entry) if spell else _written(entry, inner, sort_keys))
        return f"[{inner}{f',{inner}'.join(entries)}{newline}]"
    return _ON_ONE_LINE.encode(value)


def compact(value: Any) -> str:
    """Write JSON on one line with sorted keys, for hashing and comparing."""
    return _COMPACT.encode(value)


def digest(value: Any) -> str:
    """Return the sha256 of the compact form, as 64 hexadecimal digits."""
    return hashlib.sha256(compact(value).encode("utf-8", "surrogatepass")).hexdigest()


def writable(text: str) -> str:
    """Return JSON text with escapes for halves of surrogate pairs, which have no bytes.

    A text with one has no canonical form; what a server lists is written down all the same.
    """
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


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
