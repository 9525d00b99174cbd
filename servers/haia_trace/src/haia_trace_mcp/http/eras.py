"""Which revision a POST belongs to, where the SDK would go by the header field alone.

Proxies route by the field and the server acts on the body; where the two differ, somebody is being
deceived. Requests of the revisions without handshake are compared by the SDK itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mcp.types import HEADER_MISMATCH, INVALID_REQUEST, PROTOCOL_VERSION_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, is_version_at_least
from starlette.datastructures import Headers

from haia_trace_mcp.oauth.strict_json import is_array, is_object

VERSION_FIELD: Final = "mcp-protocol-version"
BATCH_MEMBERS: Final = 20
_FIRST_WITHOUT_BATCHES: Final = "2025-06-18"


class EraFault(ValueError):
    """Refuse a message with an error of JSON-RPC, under the id that it has."""

    def __init__(self, message: object, code: int, reason: str) -> None:
        super().__init__(reason)
        self.error = rpc_error(message, code, reason)


def check_version(headers: Headers, message: object) -> None:
    """Compare the version field with what the body says, in what is served as a handshake revision.

    Raises:
        EraFault: the field is missing where the body needs it, came twice, or says something else.
    """
    versions = headers.getlist(VERSION_FIELD)
    if len(versions) > 1:
        raise EraFault(message, HEADER_MISMATCH, "MCP-Protocol-Version appears more than once")
    enveloped = _envelope_version(message)
    if enveloped is None or (versions and versions[0] not in HANDSHAKE_PROTOCOL_VERSIONS):
        return
    if not versions:
        raise EraFault(message, HEADER_MISMATCH, "MCP-Protocol-Version is missing")
    if enveloped != versions[0]:
        reason = "MCP-Protocol-Version is not the version in the body"
        raise EraFault(message, HEADER_MISMATCH, reason)


def check_id(message: object) -> None:
    """Refuse an id that no answer could have; the SDK takes such a request for a notification.

    Raises:
        EraFault: it is neither text nor a whole number.
    """
    if is_object(message) and "method" in message and "id" in message and not has_id(message):
        raise EraFault(None, INVALID_REQUEST, "Invalid request: an id is a string or an integer")


def has_id(message: object) -> bool:
    """Tell whether a message can be answered under its id."""
    found: object = message.get("id") if is_object(message) else None
    return isinstance(found, str | int) and not isinstance(found, bool)


def takes_batches(headers: Headers) -> bool:
    """Tell whether a request is of a revision that has arrays of messages."""
    version = headers.get(VERSION_FIELD)
    if version is None:  # which means 2025-03-26
        return True
    is_known = version in HANDSHAKE_PROTOCOL_VERSIONS
    return is_known and not is_version_at_least(version, _FIRST_WITHOUT_BATCHES)


def rpc_error(message: object, code: int, reason: str) -> dict[str, Any]:
    """Return an error of JSON-RPC, under the message's id where it has one."""
    found: object = message.get("id") if is_object(message) and has_id(message) else None
    return {"jsonrpc": "2.0", "id": found, "error": {"code": code, "message": reason}}


def first_object(message: object) -> object:
    """Return the message, or the first object among the messages of an array."""
    if is_array(message):
        return next((each for each in message if is_object(each)), None)
    return message


def _envelope_version(message: object) -> object:
    """Return the version in a message's ``_meta``, or None where there is no such member."""
    place: object = message
    for name in ("params", "_meta"):
        place = place.get(name) if is_object(place) else None
    meta: Mapping[str, object] = place if is_object(place) else {}
    return meta.get(PROTOCOL_VERSION_META_KEY)
