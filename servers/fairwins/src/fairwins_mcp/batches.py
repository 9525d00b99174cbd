"""Arrays of messages, which one old revision has: each member is served as if it came alone."""

from __future__ import annotations

from fairwins_mcp.errors import INVALID_REQUEST, RpcError
from fairwins_mcp.jsonrpc import MessageError, encode_error
from fairwins_mcp.protocol import Work
from fairwins_mcp.values import is_object, is_request_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def open_batch(items: list[object], begin: Callable[[object], Work | None]) -> list[Work]:
    """Begin every member that wants an answer, in order; a broken one does not spoil the rest."""
    works: list[Work] = []
    for item in items:
        try:
            work = _refuse_initialize(item) or begin(item)
        except MessageError as refusal:
            work = _answer(refusal)
        if work is not None:
            works.append(work)
    return works


def join_replies(replies: list[bytes]) -> bytes:
    """Write encoded replies as one array."""
    return b"[" + b",".join(replies) + b"]"


def _refuse_initialize(item: object) -> Work | None:
    """The revision says that its handshake is never part of a batch."""
    if not is_object(item) or item.get("method") != "initialize":
        return None
    request_id: object = item.get("id")
    if not is_request_id(request_id):
        return None
    error = RpcError(INVALID_REQUEST, "initialize does not belong in a batch")
    return Work(request_id, encode_error(request_id, error))


def _answer(refusal: MessageError) -> Work | None:
    if refusal.request_id is None:
        return None
    return Work(refusal.request_id, encode_error(refusal.request_id, refusal.error))
