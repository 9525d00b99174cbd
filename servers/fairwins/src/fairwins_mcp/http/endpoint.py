"""From a request to its reply: the two routes, and JSON-RPC over POST in every revision."""

from __future__ import annotations

from fairwins_mcp.batches import join_replies, open_batch
from fairwins_mcp.envelope import is_envelope
from fairwins_mcp.errors import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    RpcError,
)
from fairwins_mcp.http.annotations import Annotations
from fairwins_mcp.http.era import check_request, find_era
from fairwins_mcp.http.faults import HttpFault
from fairwins_mcp.http.media import excludes_json, is_json
from fairwins_mcp.http.replies import Reply
from fairwins_mcp.jsonrpc import MessageError, Request, classify, decode, encode_error
from fairwins_mcp.protocol import CUT_OFF
from fairwins_mcp.values import is_array, is_object, is_request_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fairwins_mcp.caller import Caller
    from fairwins_mcp.http.callers import Callers
    from fairwins_mcp.http.era import Era
    from fairwins_mcp.http.gates import Gate
    from fairwins_mcp.http.heads import Head
    from fairwins_mcp.http.limits import Limits
    from fairwins_mcp.protocol import Protocol, Work
    from fairwins_mcp.shapes import RequestId, Steps
    from fairwins_mcp.surface import Surface

MCP_PATH = "/mcp"
HEALTH_PATH = "/healthz"
_ALLOWED = {MCP_PATH: "POST", HEALTH_PATH: "GET, HEAD"}
_HEALTHY = Reply(200, b'{"status":"ok"}')
# What the stateless revision answers with; the handshake revisions put errors into a response 200.
_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    METHOD_NOT_FOUND: 404,
}
# Errors about header fields say the same in every revision.
_FIELD_ERRORS = (HEADER_MISMATCH, UNSUPPORTED_VERSION)


class Call:
    """A request that has to wait: take its ``steps``; ``cancel`` it from anywhere."""

    def __init__(self, works: list[Work], finish: Callable[[], Reply]) -> None:
        self._works = works
        self._finish = finish

    def steps(self) -> Steps[Reply | None]:
        """Come to the reply, or to None after a cancellation."""
        for work in self._works:
            work.reply = yield from work.steps()
        if any(work.cancellation.requested for work in self._works):
            return None
        return self._finish()

    def cancel(self) -> None:
        """Hang up on the API; nobody waits for the answer any more."""
        for work in self._works:
            work.cancellation.request()

    def cut(self) -> Reply:
        """Make the reply of a call that the end of the process cuts off."""
        request_id = self._works[0].id if len(self._works) == 1 else None
        return Reply(503, encode_error(request_id, CUT_OFF))


class Endpoint:
    """Answer requests. It knows heads and bodies, and no connections."""

    def __init__(
        self, protocol: Protocol, surface: Surface, callers: Callers, gate: Gate, limits: Limits
    ) -> None:
        self._protocol = protocol
        self._surface = surface
        self._callers = callers
        self._gate = gate
        self._limits = limits
        self._annotations = Annotations(surface)

    def admit(self, head: Head) -> None:
        """Judge a head before its body is read: origin and host first, then the rest.

        Raises:
            HttpFault: the request is refused.
        """
        self._gate.check(head)
        allowed = _ALLOWED.get(head.target)
        if allowed is None:
            raise HttpFault(404, "not_found", f"there is POST {MCP_PATH} and GET {HEALTH_PATH}")
        if head.method not in allowed.split(", "):
            reason = f"{head.target} takes {allowed} only"
            raise HttpFault(405, "method_not_allowed", reason, (("Allow", allowed),))
        expected = head.fields.get("expect", "100-continue").lower()
        if expected != "100-continue":
            raise HttpFault(417, "expectation_failed", "the only expectation here is 100-continue")
        if head.target == MCP_PATH:
            _check_media(head)

    def answer(self, head: Head, body: bytes) -> Reply | Call:
        """Answer an admitted request, or return what has to be run for it."""
        if head.target == HEALTH_PATH:
            return _HEALTHY
        try:
            message = decode(body)
            if is_array(message):
                return self._answer_batch(head, message)
            return self._answer_message(head, message)
        except MessageError as refusal:
            return Reply(400, encode_error(refusal.request_id, refusal.error))

    def _answer_message(self, head: Head, message: object) -> Reply | Call:
        received = classify(message)
        request_id = received.id if isinstance(received, Request) else None
        try:
            era = find_era(head, self._surface, _has_envelope(message))
            if isinstance(received, Request):
                return self._answer_request(head, received, era)
        except RpcError as error:
            return Reply(400, encode_error(request_id, error))
        if received is None and era.is_stateless:
            sentence = "Invalid request: nobody here waits for a response"
            return Reply(400, encode_error(None, RpcError(INVALID_REQUEST, sentence)))
        # A cancellation arrives here too, and means nothing: ids of different clients may be the
        # same. Who closes the connection of a call cancels it.
        return Reply(202, b"")

    def _answer_request(self, head: Head, request: Request, era: Era) -> Reply | Call:
        check_request(head, request, era)
        if era.is_stateless and request.method == "tools/call":
            self._annotations.check(head, request.params)
        caller = self._callers.identify(head)
        work = self._protocol.begin(request, era.session, caller)

        def finish() -> Reply:
            return _show(work, era, caller)

        return Call([work], finish) if work.waits else finish()

    def _answer_batch(self, head: Head, items: list[object]) -> Reply | Call:
        try:
            era = find_era(head, self._surface, has_envelope=any(map(_has_envelope, items)))
            if not era.batches:
                sentence = "batches are not part of this revision"
                raise RpcError(INVALID_REQUEST, f"Invalid request: {sentence}")
            if not 0 < len(items) <= self._limits.batch_members:
                sentence = f"a batch has 1 to {self._limits.batch_members} messages"
                raise RpcError(INVALID_REQUEST, f"Invalid request: {sentence}")
            caller = self._callers.identify(head)
            if caller.payment is not None:
                sentence = "a payment is for one call, and a batch holds several"
                raise RpcError(INVALID_REQUEST, f"Invalid request: {sentence}")
        except RpcError as error:
            return Reply(400, encode_error(_find_id(items), error))
        works = open_batch(items, lambda item: self._begin(head, item, era, caller))

        def finish() -> Reply:
            replies = [work.reply for work in works if work.reply is not None]
            return Reply(200, join_replies(replies)) if replies else Reply(202, b"")

        return Call(works, finish) if any(work.waits for work in works) else finish()

    def _begin(self, head: Head, item: object, era: Era, caller: Caller) -> Work | None:
        received = classify(item)
        if not isinstance(received, Request):
            return None
        try:
            check_request(head, received, era)
        except RpcError as error:
            raise MessageError(received.id, error) from error
        return self._protocol.begin(received, era.session, caller)


def _check_media(head: Head) -> None:
    if not is_json(head.fields.get("content-type", "")):
        raise HttpFault(415, "unsupported_media_type", "a message is application/json in UTF-8")
    if head.fields.get("content-encoding", "identity").lower() != "identity":
        raise HttpFault(415, "unsupported_media_type", "a message comes without compression")
    if excludes_json(head.fields.get("accept", "")):
        raise HttpFault(406, "not_acceptable", "answers are application/json")


def _has_envelope(message: object) -> bool:
    """Tell whether a message looks like one of the stateless revision, whatever its form."""
    params: object = message.get("params") if is_object(message) else None
    return is_object(params) and is_envelope(params.get("_meta"))


def _find_id(items: list[object]) -> RequestId | None:
    """Return the id of a refused array where it is clear whom to answer."""
    if len(items) != 1 or not is_object(items[0]):
        return None
    request_id: object = items[0].get("id")
    return request_id if is_request_id(request_id) else None


def _show(work: Work, era: Era, caller: Caller) -> Reply:
    status = 200
    if work.error_code in _FIELD_ERRORS:
        status = 400
    elif era.is_stateless and work.error_code is not None:
        status = _STATUS.get(work.error_code, 200)
    return Reply(status, work.reply or b"", caller.receipts or ())
