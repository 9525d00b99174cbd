"""Recorded lists of a server, in every form in which people keep them.

An array of tools; ``{"tools": […]}``, with ``resources``, ``resourceTemplates`` and ``prompts``
beside it or not; the result or the whole answer of ``tools/list``; an array of such pages or
answers, of one list or of several; and the surface that ``counterfoil`` vendors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object, members

LISTS: Mapping[str, str] = {
    "tools": "name",
    "resources": "uri",
    "resourceTemplates": "uriTemplate",
    "prompts": "name",
}
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_ABOUT = ("name", "title", "version")


class ListingFault(ValueError):
    """Report a recorded list that cannot stand for a server.

    Attributes:
        pointer: where in the file.
        what: a clause for people.
        hint: what to do.
    """

    def __init__(self, pointer: str, what: str, hint: str) -> None:
        super().__init__(what)
        self.pointer = pointer
        self.what = what
        self.hint = hint


class _Page(NamedTuple):
    pointer: str
    data: Mapping[str, Any]
    bare: bool = False  # the file is the array of tools, without a key around it


@dataclass
class Listing:
    """What was recorded of one server.

    Attributes:
        lists: entries by their key on the wire; a key that is missing was not recorded.
        pointers: where each entry stands in the file, in the same order.
        about: what the server said of itself.
        places: where lists, and what the server said of itself, stand in the file, by the pointer
            that they have in an object with nothing around them.
    """

    lists: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    pointers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    places: dict[str, str] = field(default_factory=dict[str, str])


def read_listing(data: Any) -> Listing | None:
    """Return what was recorded, or ``None`` for JSON that is no list of a server.

    Raises:
        ListingFault: it is one, and it is broken or incomplete.
    """
    pages = list(_pages(data))
    if not pages:
        return None
    listing = Listing()
    following: dict[str, str] = {}
    for page in pages:
        _note_server(listing, page)
        for key in LISTS.keys() & page.data.keys():
            following.pop(key, None)
            _extend(listing, key, page)
            if page.data.get("nextCursor"):
                following[key] = page.pointer
    for key, pointer in following.items():
        raise ListingFault(
            pointer,
            f"has a nextCursor: {key} go on where the recording ends",
            "record every page, and keep the pages in an array",
        )
    return listing if listing.lists else None


def check_entries(key: str, entries: list[dict[str, Any]], pointers: list[str]) -> None:
    """Refuse entries that nobody could call.

    Raises:
        ListingFault: one has no name, or is a tool without a schema.
    """
    identity = LISTS[key]
    for entry, pointer in zip(entries, pointers, strict=True):
        name: object = entry.get(identity)
        if not isinstance(name, str) or not name:
            raise ListingFault(pointer, f"has no {identity}", "record what the server really lists")
        shown = bounded(name, 80)
        if key == "tools" and not is_object(entry.get("inputSchema")):
            raise ListingFault(
                pointer,
                f"tool {shown!r} has no object inputSchema",
                "MCP asks every tool for one; record what the server really lists",
            )


def _pages(data: Any) -> Iterator[_Page]:
    if is_array(data) and all(_is_tool(each) for each in data):
        yield _Page("", {"tools": data}, bare=True)
        return
    found = [(f"/{index}", page) for index, page in enumerate(data)] if is_array(data) else []
    for pointer, page in found or [("", data)]:
        if pointer and _is_tool(page):
            raise ListingFault(pointer, "is a tool among things that are none", _FORMS)
        if is_object(page) and "error" in page and "jsonrpc" in page:
            raise ListingFault(
                f"{pointer}/error", "is a refusal, and no list", "record an answer that succeeded"
            )
        if is_object(page) and is_object(page.get("result")):
            pointer, page = f"{pointer}/result", page["result"]
        if not is_object(page):
            raise ListingFault(pointer, "is neither a tool nor a page of a list", _FORMS)
        yield _Page(pointer, page)


_FORMS = 'forms that are read: [TOOL, …], {"tools": […]}, {"result": {"tools": […]}}, and pages'


def _is_tool(value: Any) -> bool:
    if not is_object(value) or "result" in value:
        return False
    return not LISTS.keys() & value.keys() and ("inputSchema" in value or "name" in value)


def _extend(listing: Listing, key: str, page: _Page) -> None:
    entries = page.data[key]
    at = page.pointer if page.bare else f"{page.pointer}/{key}"
    if not is_array(entries) or not all(map(is_object, entries)):
        raise ListingFault(at, f"{key} is no array of objects", _FORMS)
    listing.lists.setdefault(key, []).extend(entries)
    listing.places[f"/{key}"] = at
    pointers = listing.pointers.setdefault(key, [])
    pointers.extend(f"{at}/{index}" for index in range(len(entries)))


def _note_server(listing: Listing, page: _Page) -> None:
    """Keep name, title, version and instructions, wherever a revision puts them."""
    data, meta = page.data, members(page.data.get("_meta"))
    found = [
        ("", data, ("instructions",)),
        ("/server", members(data.get("server")), (*_ABOUT, "instructions")),
        (f"/_meta/{escape(_SERVER_INFO)}", members(meta.get(_SERVER_INFO)), _ABOUT),
        ("/serverInfo", members(data.get("serverInfo")), _ABOUT),
    ]
    for at, source, keys in found:
        for key in keys:
            if isinstance(source.get(key), str):
                listing.about[key] = source[key]
                listing.places[f"/{key}"] = f"{page.pointer}{at}/{key}"
