"""A snippet put into what a client's file holds already."""

from __future__ import annotations

import json

from fairwins_mcp.clients.documents import DocumentError, add_item, add_member, read_document
from fairwins_mcp.errors import FairwinsMcpError
from fairwins_mcp.values import is_array, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from fairwins_mcp.clients.entries import Snippet


class EntryError(FairwinsMcpError):
    """Say that another entry is there: ``differences`` holds a sentence for each member.

    ``holds_secret`` tells that a credential stands in it as it is.
    """

    def __init__(self, differences: list[str], holds_secret: bool) -> None:
        super().__init__(f"{len(differences)} difference(s)")
        self.differences = differences
        self.holds_secret = holds_secret


def merge(snippet: Snippet, text: str) -> str:
    """Return a file's text with the entry in it; the same text where the entry is there already.

    Raises:
        DocumentError: the text cannot be added to.
        EntryError: another entry of that name is there.
    """
    document = read_document(text)
    servers = _take(document, snippet.key, {})
    if snippet.server in servers:
        differences = list(_list_differences(servers[snippet.server], snippet.entry, ""))
        if differences:
            raise EntryError(differences, _holds_secret(servers[snippet.server], snippet.secrets))
        return text
    wanted: dict[str, Any] = dict(document)
    made = text
    asked = _take_list(document)
    known = [each["id"] for each in asked if is_object(each) and "id" in each]
    for each in snippet.inputs:
        if each["id"] not in known:
            made = add_item(made, "inputs", each)
            wanted["inputs"] = [*wanted.get("inputs", []), each]
    made = add_member(made, (snippet.key,), snippet.server, snippet.entry)
    wanted[snippet.key] = {**servers, snippet.server: snippet.entry}
    if read_document(made) != wanted:
        raise DocumentError("cannot be added to without a change elsewhere")
    return made


def _holds_secret(entry: object, secrets: set[str]) -> bool:
    values: object = entry.get("env") if is_object(entry) else None
    given = [values.get(name) for name in secrets] if is_object(values) else []
    return any(isinstance(each, str) and each and not each.startswith("${") for each in given)


def _take(document: Mapping[str, Any], key: str, default: dict[str, Any]) -> dict[str, Any]:
    found: object = document.get(key, default)
    if not is_object(found):
        raise DocumentError(f'holds something else than an object under "{key}"')
    return found


def _take_list(document: Mapping[str, Any]) -> list[Any]:
    found: object = document.get("inputs", [])
    if not is_array(found):
        raise DocumentError('holds something else than a list under "inputs"')
    return found


def _list_differences(there: object, wanted: Mapping[str, Any], at: str) -> Iterator[str]:
    """Say where an entry is not as it would be written.

    Nothing of it is repeated but its command: whatever else it holds may be a secret.
    """
    if not is_object(there):
        yield f"{at.rstrip('.') or 'the entry'} is no object"
        return
    for name in sorted({*there, *wanted}):
        place = f"{at}{name}"
        if name not in wanted:
            yield f"{place}: only there"
        elif name not in there:
            yield f"{place}: not there; it would be {json.dumps(wanted[name])}"
        elif there[name] != wanted[name]:
            if is_object(wanted[name]):
                yield from _list_differences(there[name], wanted[name], f"{place}.")
                continue
            shown = f" is {json.dumps(there[name])}" if place == "command" else " differs"
            yield f"{place}:{shown}; it would be {json.dumps(wanted[name])}"
