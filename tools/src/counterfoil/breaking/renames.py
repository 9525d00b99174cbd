"""Entries that only have another name."""

from __future__ import annotations

from collections.abc import Mapping

from counterfoil.breaking.surface import Entry
from counterfoil.contract.canonical import compact

_NAMES = frozenset({"deprecated", "icons", "id", "name", "title", "uri", "uriTemplate"})
# Entries with nothing but a name are alike without being the same.
_TELLING = frozenset({"description", "inputSchema", "messages", "method", "mimeType", "source"})
_PLAIN = 120


def renamed(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> dict[str, str]:
    """Return the entries that are gone and came back under another name, with that name.

    First those that are the same in all but their names; then, among the rest, those that have
    the same schemas, where these are no everyday ones. One old and one new entry belong together
    if no other is like them.

    Args:
        before: entries that are gone, by name.
        after: entries that are new, by name.
    """
    found: dict[str, str] = {}
    for form in (_whole, _shape):
        old = {name: form(each) for name, each in before.items() if name not in found}
        new = {name: form(each) for name, each in after.items() if name not in found.values()}
        for name, key in old.items():
            same = [each for each, other in new.items() if other == key]
            if key and len(same) == 1 and list(old.values()).count(key) == 1:
                found[name] = same[0]
    return found


def _whole(entry: Entry) -> str:
    kept = {key: value for key, value in entry.data.items() if key not in _NAMES}
    return compact(kept) if kept.keys() & _TELLING else ""


def _shape(entry: Entry) -> str:
    text = compact([entry.data.get(key) for key in ("inputSchema", "outputSchema", "arguments")])
    return text if len(text) > _PLAIN else ""
