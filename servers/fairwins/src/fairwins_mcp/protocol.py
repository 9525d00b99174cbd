"""The protocol core: from one request to one reply, whatever transport carried it."""

from __future__ import annotations

from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.envelope import (
    PAYMENT_KEY,
    VERSION_KEY,
    find_envelope,
    read_version,
    refuse_version,
)
from fairwins_mcp.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CancelledCallError,
    RpcError,
    shorten,
)
from fairwins_mcp.jsonrpc import encode, encode_error, encode_result
from fairwins_mcp.revisions import REVISIONS
from fairwins_mcp.surface import LIST_TTL_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fairwins_mcp.api import Api
    from fairwins_mcp.caller import Caller
    from fairwins_mcp.completions import Completions
    from fairwins_mcp.jsonrpc import Request
    from fairwins_mcp.prompts import Prompts
    from fairwins_mcp.resources import Resources
    from fairwins_mcp.revisions import Revision
    from fairwins_mcp.settings import Settings
    from fairwins_mcp.shapes import JsonObject, RequestId, Steps, Task
    from fairwins_mcp.surface import Surface
    from fairwins_mcp.tools import Tools

LIST_METHODS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


CUT_OFF = RpcError(
    INTERNAL_ERROR,
    "This server is stopping and has cut the call off: what it would have answered is unknown, "
    "and so is what became of a payment that went with it",
)


class Session:
    """What a handshake left behind on one connection: the revision, or None before it."""

    __slots__ = ("negotiated",)

    def __init__(self) -> None:
        self.negotiated: Revision | None = None


class Work:
    """One accepted request.

    ``reply`` holds the answer of a request that needed no waiting. Otherwise ``steps`` have to be
    taken. ``cancellation`` stops it from outside. ``error_code`` is that of an answer which is a
    JSON-RPC error, and None until it is known to be one.
    """

    __slots__ = ("_finish", "cancellation", "error_code", "id", "reply")

    def __init__(
        self,
        request_id: RequestId,
        reply: bytes | None,
        finish: Callable[[Work], Steps[bytes | None]] | None = None,
    ) -> None:
        self.id = request_id
        self.reply = reply
        self.error_code: int | None = None
        self._finish = finish
        self.cancellation = Cancellation()

    @property
    def waits(self) -> bool:
        """Tell whether there are steps to take."""
        return self._finish is not None

    def steps(self) -> Steps[bytes | None]:
        """Come to the reply, or to None when the request was cancelled and must not be answered."""
        if self._finish is None:
            return self.reply
        if self.cancellation.requested:
            return None
        reply = yield from self._finish(self)
        return None if self.cancellation.requested else reply

    def cut(self) -> bytes:
        """Return the reply of a request that the end of the process cuts off."""
        return encode_error(self.id, CUT_OFF)


class Protocol:
    """Answer requests of every revision that the surface claims, side by side.

    Nothing is kept between requests except what ``initialize`` negotiates, which lives in the
    transport's ``Session``. ``note`` takes one line for the operator, never with content in it.
    """

    def __init__(self, surface: Surface, settings: Settings, note: Callable[[str], None]) -> None:
        self._surface = surface
        self._settings = settings
        self._note = note
        self._api: Api | None = None
        self._tools: Tools | None = None
        self._resources: Resources | None = None
        self._prompts: Prompts | None = None
        self._completions: Completions | None = None

    def begin(self, request: Request, session: Session, caller: Caller) -> Work:
        """Answer a request, or say which steps lead to its answer. Neither raises."""
        try:
            revision = self._find_revision(request, session)
            outcome = self._dispatch(request, revision, session, caller)
            if isinstance(outcome, bytes):
                return Work(request.id, encode_result(request.id, outcome))
        except Exception as error:  # noqa: BLE001 - one request must not end the others
            work = Work(request.id, None)
            work.reply = self._explain(work, error)
            return work
        task = outcome

        def finish(work: Work) -> Steps[bytes | None]:
            try:
                result = yield from task(work.cancellation)
                return encode_result(request.id, encode(self._surface.seal(result, revision)))
            except Exception as error:  # noqa: BLE001 - likewise, whoever takes the steps
                return self._explain(work, error)

        return Work(request.id, None, finish)

    def _explain(self, work: Work, error: Exception) -> bytes | None:
        if isinstance(error, CancelledCallError):
            return None
        if not isinstance(error, RpcError):
            self._note(f"internal error: {type(error).__name__} at {locate(error)}")
            error = RpcError(INTERNAL_ERROR, "Internal error")
        work.error_code = error.code
        return encode_error(work.id, error)

    def _find_revision(self, request: Request, session: Session) -> Revision:
        """Judge a request by its own ``_meta``; without the envelope it belongs to the handshake.

        Before a handshake, or without one, the newest handshake revision is assumed: no client is
        refused for a missing ``initialize``.
        """
        envelope = find_envelope(request.params)
        if envelope is not None:
            return self._judge_version(read_version(envelope))
        if session.negotiated is not None:
            return session.negotiated
        names = self._surface.handshake
        if names:
            return REVISIONS[names[-1]]
        wanted: object = request.params.get("protocolVersion")
        if request.method == "initialize" and isinstance(wanted, str):
            message = "No revision with a handshake is served"
            raise refuse_version(wanted, self._surface.revisions, message)
        raise RpcError(INVALID_PARAMS, f"Invalid params: _meta lacks {VERSION_KEY}")

    def _judge_version(self, version: str) -> Revision:
        if version not in self._surface.stateless:
            message = "Unsupported protocol version"
            if version in self._surface.handshake:
                message = "This protocol version opens with initialize, not with _meta"
            raise refuse_version(version, self._surface.revisions, message)
        return REVISIONS[version]

    def _dispatch(
        self, request: Request, revision: Revision, session: Session, caller: Caller
    ) -> bytes | Task:
        method, params = request.method, request.params
        _refuse_payment(method, params, caller)
        if method in LIST_METHODS:
            _check_cursor(params)
            return self._surface.encode_list(method, revision)
        if method == "tools/call":
            outcome = self._open_tools().call(params, revision, caller)
        elif method == "resources/read":
            outcome = self._open_resources().read(params, revision, caller)
        elif method == "prompts/get":
            outcome = self._open_prompts().get(params)
        elif method == "completion/complete" and revision.completes:
            outcome = self._open_completions().complete(params)
        elif method == "server/discover" and revision.stateless:
            outcome = self._discover(revision)
        elif method == "initialize" and not revision.stateless:
            return encode(self._initialize(params, session))
        elif method == "ping" and not revision.stateless:
            return b"{}"
        else:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {shorten(method)}")
        if callable(outcome):
            return outcome
        return encode(self._surface.seal(outcome, revision))

    def _initialize(self, params: JsonObject, session: Session) -> JsonObject:
        wanted: object = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RpcError(INVALID_PARAMS, "Invalid params: protocolVersion is not a string")
        names = self._surface.handshake
        revision = REVISIONS[wanted if wanted in names else names[-1]]
        session.negotiated = revision
        opening = self._introduce(revision)
        info = self._surface.server_info(revision)
        return {"protocolVersion": revision.name, "serverInfo": info, **opening}

    def _discover(self, revision: Revision) -> JsonObject:
        return {
            "supportedVersions": self._surface.revisions,
            **self._introduce(revision),
            "ttlMs": LIST_TTL_MS,
            "cacheScope": "public",
        }

    def _introduce(self, revision: Revision) -> JsonObject:
        capabilities: JsonObject = {"tools": {}, "resources": {}, "prompts": {}}
        if revision.completes:
            capabilities["completions"] = {}
        opening: JsonObject = {"capabilities": capabilities}
        instructions = self._surface.snapshot["server"].get("instructions")
        if instructions is not None:
            opening["instructions"] = instructions
        return opening

    # The parts below are imported when first asked for: a client waits for the first list, and
    # not every session calls a tool.

    def _open_api(self) -> Api:
        if self._api is None:
            from fairwins_mcp.api import Api

            self._api = Api(self._settings)
        return self._api

    def _open_tools(self) -> Tools:
        if self._tools is None:
            from fairwins_mcp.tools import Tools

            self._tools = Tools(self._surface, self._open_api)
        return self._tools

    def _open_resources(self) -> Resources:
        if self._resources is None:
            from fairwins_mcp.resources import Resources

            self._resources = Resources(self._surface, self._open_api)
        return self._resources

    def _open_prompts(self) -> Prompts:
        if self._prompts is None:
            from fairwins_mcp.prompts import Prompts

            self._prompts = Prompts(self._surface.snapshot["prompts"])
        return self._prompts

    def _open_completions(self) -> Completions:
        if self._completions is None:
            from fairwins_mcp.completions import Completions

            self._completions = Completions(self._surface, self._open_api())
        return self._completions


def locate(error: BaseException) -> str:
    """Return file and line where an exception was raised, the only part of it that is noted."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "an unknown place"
    file = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{trace.tb_lineno}"


def _refuse_payment(method: str, params: JsonObject, caller: Caller) -> None:
    """Refuse a payment for what has no price, instead of leaving it out without a word.

    Some clients send the same header with every request of theirs, so openings, lists and prompts
    pass it over. A message that holds a payment means the request that it is in. Tools have prices
    of their own, and refuse in a result, which a model gets to see.
    """
    if method == "tools/call":
        return
    is_message, is_header = PAYMENT_KEY in params.get("_meta", {}), caller.payment is not None
    if is_message or (is_header and method == "resources/read"):
        from fairwins_mcp.payments import REFUSAL, UNPRICED

        sentence = REFUSAL if is_message else UNPRICED
        raise RpcError(INVALID_PARAMS, sentence.format(what=method), {"code": "payment_refused"})


def _check_cursor(params: JsonObject) -> None:
    """Accept the start of a list only: every list fits one page, so no cursor is ever given."""
    cursor: object = params.get("cursor")
    if cursor is not None and cursor != "":
        raise RpcError(INVALID_PARAMS, "Invalid params: unknown cursor")
