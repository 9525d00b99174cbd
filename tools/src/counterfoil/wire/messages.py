"""JSON-RPC messages of MCP: numbered requests out, strictly read answers in."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard, cast

from counterfoil.wire.errors import Reporter, WireError

JsonObject = dict[str, Any]

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_REVISIONS = ("2026-07-28",)
REVISIONS = HANDSHAKE_REVISIONS + MODERN_REVISIONS  # oldest first

CLIENT = {"name": "counterfoil", "version": "1"}
MESSAGE_LIMIT = 64 * 1024 * 1024  # bytes

METHOD_NOT_FOUND = -32601
UNSUPPORTED_VERSION = -32022

_META = "io.modelcontextprotocol/"
# The only revision in which a server may answer with an array of messages.
_BATCHING = "2025-03-26"


def server_info(result: JsonObject) -> JsonObject:
    """Return the ``serverInfo`` in a modern result's ``_meta``, or {} from a nameless server."""
    meta: object = result.get("_meta")
    info: object = meta.get(f"{_META}serverInfo") if is_object(meta) else None
    return info if is_object(info) else {}


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Return whether a JSON value is an object."""
    return isinstance(value, dict)


def read_json(raw: bytes) -> object:
    """Return the JSON value in UTF-8 bytes, its integers exact.

    Raises:
        ValueError: for anything outside RFC 8259, and for what would not survive being
            written again: duplicate keys, numbers beyond a double, lone surrogates,
            bottomless nesting. The message holds nothing of the bytes.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if "\\ud" in text or "\\uD" in text:
        _refuse_surrogates(value)
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key is given twice")
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number is beyond what a double holds")
    return number


def _refuse_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a string holds a lone surrogate") from None


def write_json(value: object) -> bytes:
    """Return a value as one line of JSON in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8")


@dataclass(frozen=True)
class Call:
    """Hold one request as it was sent."""

    id: int
    method: str
    body: bytes


class Dialogue:
    """Number the requests of one connection and judge what comes back."""

    def __init__(self, revision: str, reporter: Reporter) -> None:
        self._revision = revision
        self._reporter = reporter
        self._sent = 0

    @property
    def modern(self) -> bool:
        """Return whether each request stands alone, without a handshake before it."""
        return self._revision in MODERN_REVISIONS

    def call(self, method: str, params: JsonObject) -> Call:
        """Return the next request; modern ones carry version and capabilities in ``_meta``."""
        self._sent += 1
        message: JsonObject = {"jsonrpc": "2.0", "id": self._sent, "method": method}
        if self.modern:
            params = {**params, "_meta": self._meta()}
        if params:
            message["params"] = params
        return Call(self._sent, method, write_json(message))

    def notification(self, method: str) -> bytes:
        """Return a notification without parameters."""
        return write_json({"jsonrpc": "2.0", "method": method})

    def read(self, raw: bytes, source: str) -> list[JsonObject]:
        """Return the messages in some bytes: one, or several in a batch of 2025-03-26.

        Raises:
            WireError: when they are not JSON-RPC; ``source`` says where they stood.
        """
        try:
            value = read_json(raw)
        except ValueError as error:
            raise self._malformed(raw, source, str(error)) from None
        found = [value]
        if isinstance(value, list) and self._revision == _BATCHING:
            found = cast(list[object], value)
        messages: list[JsonObject] = []
        for message in found:
            if not is_object(message) or message.get("jsonrpc") != "2.0":
                raise self._malformed(raw, source, 'no object with "jsonrpc": "2.0"')
            messages.append(message)
        return messages

    def reply(self, message: JsonObject) -> bytes | None:
        """Return what to answer when the server asks something itself, else None.

        Ping is answered, as the handshake revisions demand; everything else is refused,
        because no client capability was declared.

        Raises:
            WireError: when a modern server asks: basic/patterns of 2026-07-28 forbids it.
        """
        if "method" not in message or "id" not in message:
            return None
        method: object = message["method"]
        if self.modern:
            raise self._reporter.error(
                "malformed",
                f"the server sent a request of its own, {self._reporter.quote(str(method))}",
                f"Servers never start requests in {self._revision}; use an InputRequiredResult.",
            )
        answer: JsonObject = {"jsonrpc": "2.0", "id": message["id"]}
        if method == "ping":
            answer["result"] = {}
        else:
            answer["error"] = {"code": METHOD_NOT_FOUND, "message": "No such method here"}
        return write_json(answer)

    def answer(
        self, message: JsonObject, call: Call, status: int | None = None
    ) -> JsonObject | None:
        """Return the result when the message answers the call, None for a notification.

        ``status`` is the HTTP status that it came with, for the error.

        Raises:
            WireError: for an error answer, an answer to something else, or neither.
        """
        if "method" in message:
            return None
        if ("result" in message) == ("error" in message):
            raise self._wrong(call, "holds not exactly one of result and error")
        given: object = message.get("id")
        if "error" in message:
            # An error about a request that could not be read has no id, or a null one.
            if given is not None:
                self._check_id(given, call)
            raise self._refusal(message["error"], call, status)
        self._check_id(given, call)
        result: object = message["result"]
        if not is_object(result):
            raise self._wrong(call, "has a result that is no object")
        return result

    def _meta(self) -> JsonObject:
        return {
            f"{_META}protocolVersion": self._revision,
            f"{_META}clientCapabilities": {},
            f"{_META}clientInfo": CLIENT,
        }

    def _check_id(self, given: object, call: Call) -> None:
        # By type too: True and 1.0 equal 1, and "1" is what a careless server makes of it.
        if type(given) is not int or given != call.id:
            shown = self._reporter.quote(str(given), 60)
            raise self._wrong(call, f"carries the id {shown}, the request had {call.id}")

    def _refusal(self, error: object, call: Call, status: int | None) -> WireError:
        detail: JsonObject = error if is_object(error) else {}
        code: object = detail.get("code")
        text: object = detail.get("message")
        if type(code) is not int or not isinstance(text, str):
            return self._wrong(call, "has an error without an integer code and a message")
        offered = _supported(detail.get("data")) if code == UNSUPPORTED_VERSION else ()
        mend = "Look into the server's log for the reason."
        if offered:
            names = ", ".join(self._reporter.quote(name, 40) for name in offered[:20])
            mend = f"Ask for a revision that the server offers: {names}."
        elif status in (401, 403):
            mend = "Give the target a header with a token that this server accepts."
        elif code == METHOD_NOT_FOUND:
            mend = f"Serve {call.method}, or do not declare the capability behind it."
        return self._reporter.error(
            "refused",
            f"{call.method} was refused with {code}: {self._reporter.quote(text)}",
            mend,
            code=code,
            status=status,
            offered=offered,
        )

    def _malformed(self, raw: bytes, source: str, reason: str) -> WireError:
        shown = self._reporter.quote(raw[:100_000].decode("utf-8", "replace"))
        mend = "Let the server write nothing but one JSON-RPC message there"
        mend += "; its own output belongs on stderr." if source == "stdout line" else "."
        return self._reporter.error(
            "malformed", f"{source} is not JSON-RPC ({reason}): {shown}", mend
        )

    def _wrong(self, call: Call, what: str) -> WireError:
        return self._reporter.error(
            "malformed",
            f"the answer to {call.method} {what}",
            "Answer each request once, under its own id, with a result object or an error.",
        )


def _supported(data: object) -> tuple[str, ...]:
    names: object = data.get("supported") if is_object(data) else None
    listed = cast(list[object], names) if isinstance(names, list) else []
    return tuple(name for name in listed if isinstance(name, str))
