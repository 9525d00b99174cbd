"""All that a server shows of itself in one revision."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import NamedTuple, cast

from counterfoil.wire.channels import open_channel
from counterfoil.wire.errors import WireError
from counterfoil.wire.messages import METHOD_NOT_FOUND, REVISIONS, JsonObject, is_object
from counterfoil.wire.session import Session
from counterfoil.wire.targets import Target

PAGE_LIMIT = 1000


@dataclass(frozen=True)
class Surface:
    """Hold what a server declares and lists, each object just as it came.

    Args:
        revision: the MCP revision in which it was read.
        server: ``serverInfo``; {} from a modern server that does not name itself.
        instructions: the server's guidance to the model, or None.
        capabilities: as declared; a list without its capability was not asked for.
    """

    revision: str
    server: JsonObject
    instructions: str | None
    capabilities: JsonObject
    tools: list[JsonObject]
    resources: list[JsonObject]
    resource_templates: list[JsonObject]
    prompts: list[JsonObject]

    @property
    def lists(self) -> dict[str, list[JsonObject]]:
        """Return the lists by their keys on the wire."""
        return {
            "tools": self.tools,
            "resources": self.resources,
            "resourceTemplates": self.resource_templates,
            "prompts": self.prompts,
        }


class _Listing(NamedTuple):
    capability: str
    method: str
    key: str
    identity: str


_TOOLS = _Listing("tools", "tools/list", "tools", "name")
_RESOURCES = _Listing("resources", "resources/list", "resources", "uri")
_TEMPLATES = _Listing("resources", "resources/templates/list", "resourceTemplates", "uriTemplate")
_PROMPTS = _Listing("prompts", "prompts/list", "prompts", "name")


def read_surface(target: Target, revision: str) -> Surface:
    """Read everything that a server shows in one revision, every page of it.

    A list is empty when the server says so: by an empty page, by not declaring its
    capability, or, for resource templates, which have no capability of their own, by not
    knowing the method (-32601). Any other failure is an error, never an empty list.

    Raises:
        WireError: when any part could not be read, or is not what the revision prescribes.
    """
    if revision not in REVISIONS:
        raise WireError(
            f"{revision!r} is not an MCP revision that this client speaks",
            mend=f"Use one of {', '.join(REVISIONS)}.",
            target="the server",
            revision=None,
            kind="target",
        )
    with contextlib.closing(open_channel(target, revision)) as channel:
        session = Session(channel, revision)
        session.open()
        return listed(session, revision)


def listed(session: Session, revision: str) -> Surface:
    """Read all lists in a conversation that has been opened, as :func:`read_surface` does.

    Raises:
        WireError: when any part could not be read, or is not what the revision prescribes.
    """
    return Surface(
        revision=revision,
        server=session.server,
        instructions=session.instructions,
        capabilities=session.capabilities,
        tools=_read_list(session, _TOOLS),
        resources=_read_list(session, _RESOURCES),
        resource_templates=_read_list(session, _TEMPLATES),
        prompts=_read_list(session, _PROMPTS),
    )


def _read_list(session: Session, listing: _Listing) -> list[JsonObject]:
    if listing.capability not in session.capabilities:
        return []
    items: list[JsonObject] = []
    cursors: set[str] = set()
    params: JsonObject = {}
    for number in range(PAGE_LIMIT):
        try:
            page = session.request(listing.method, params)
        except WireError as error:
            if listing is _TEMPLATES and number == 0 and error.code == METHOD_NOT_FOUND:
                return []
            raise
        items += _items(session, listing, page)
        if "nextCursor" not in page:
            return items
        cursor: object = page["nextCursor"]
        if not isinstance(cursor, str):
            raise session.malformed(listing.method, "has a nextCursor that is no string")
        if cursor in cursors:
            raise session.endless(listing.method, "gave a cursor that it had given before")
        cursors.add(cursor)
        params = {"cursor": cursor}
    raise session.endless(listing.method, f"has more than {PAGE_LIMIT} pages")


def _items(session: Session, listing: _Listing, page: JsonObject) -> list[JsonObject]:
    listed: object = page.get(listing.key)
    if not isinstance(listed, list):
        raise session.malformed(listing.method, f"has no list {listing.key}")
    items: list[JsonObject] = []
    for item in cast(list[object], listed):
        if not is_object(item) or not isinstance(item.get(listing.identity), str):
            what = f"lists something in {listing.key} without a string {listing.identity}"
            raise session.malformed(listing.method, what)
        items.append(item)
    return items
