"""Answers of the Member API, read as what they are: data, a price, or a failure."""

from __future__ import annotations

import json
import math
import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime

from fairwins_mcp.equality import freeze
from fairwins_mcp.errors import ApiError, shorten
from fairwins_mcp.jsonrpc import Verbatim, parse_leniently
from fairwins_mcp.values import is_array, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairwins_mcp.shapes import HeaderField, JsonObject, Unreadable

MAX_NESTING = 100  # deeper than any answer of the API, far from the interpreter's own limit
NOT_CONFIGURED = "not-configured"
MAX_DATE = 64
MAX_WAIT = 1_000_000  # seconds; what lies beyond is no advice
MAX_REASON = 400  # characters of a foreign reason that go into a message
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}\Z")
_SECONDS = re.compile(r"[0-9]{1,6}\Z")
_SURROGATE_ESCAPE = re.compile(r"\\u[Dd][89A-Fa-f]")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+')
_SURROGATE = re.compile("[\ud800-\udfff]")


class RawAnswer:
    """What came over the wire: ``status``, the ``Retry-After`` header, the whole ``body``.

    ``receipts`` are the header fields that belong to whoever pays.
    """

    __slots__ = ("body", "receipts", "retry_after", "status")

    def __init__(
        self,
        status: int,
        retry_after: str | None,
        body: bytes,
        receipts: Sequence[HeaderField] = (),
    ) -> None:
        self.status = status
        self.retry_after = retry_after
        self.body = body
        self.receipts = receipts


class Answer:
    """A JSON object from the API.

    ``text`` is the body as it came, so that numbers keep their spelling; ``document`` is the same,
    parsed to be looked at. ``is_offer`` marks the answer 402 with a list of payments that would be
    accepted.
    """

    __slots__ = ("document", "is_offer", "text")

    def __init__(self, text: str, document: JsonObject, is_offer: bool = False) -> None:
        self.text = text
        self.document = document
        self.is_offer = is_offer

    def write(self) -> Verbatim:
        """Return the answer for a message: the text on one line, each number as it was spelled.

        U+FFFD stands for half a character, such as a headline cut inside an emoji. JSON can spell
        it and some clients then drop the whole message. ``text`` keeps the original spelling.
        """
        if _is_fit(self.text):
            return Verbatim(self.text)
        return Verbatim(_TOKEN.sub(_rewrite, self.text))


def read_answer(raw: RawAnswer, unreadable: Sequence[Unreadable] = ()) -> Answer:
    """Tell data and prices from failures.

    ``unreadable`` are the places of the route where its answers say what could not be read.

    Raises:
        ApiError: any other status than a success, a body that is no JSON object, or a success
            that says of its whole self that it could not be read.
    """
    if 300 <= raw.status < 400:
        reason = "the API answered with a redirect, and this server follows none"
        raise ApiError(f"http_{raw.status}", reason)
    if not 200 <= raw.status < 300:
        return _read_refusal(raw)
    answer = _parse(raw.body)
    if answer is None:
        raise ApiError("invalid_response", "the API's answer is not a JSON object")
    for place in unreadable:
        if _says_unreadable(answer.document, place):
            member = place.get("reason", "/reason").removeprefix("/")
            reason = _clean(answer.document.get(member)) or "the API gave no reason"
            raise ApiError("unreadable", reason, body=answer.text)
    return answer


def _says_unreadable(document: JsonObject, place: Unreadable) -> bool:
    """Tell whether an answer says at its root that nothing of it could be read.

    A place further inside speaks of a part, and the other parts are data. ``not-configured`` is
    an answer as well: nothing was tried that could have failed.
    """
    member = place["at"].removeprefix("/")
    if "/" in member or place["value"] == NOT_CONFIGURED or member not in document:
        return False
    return freeze(document[member]) == freeze(place["value"])


def _read_refusal(raw: RawAnswer) -> Answer:
    answer = _parse(raw.body)
    document: JsonObject = {} if answer is None else answer.document
    if raw.status == 402 and answer is not None and _has_entries(document.get("accepts")):
        return Answer(answer.text, document, is_offer=True)
    code, reason = _read_envelope(document)
    if code is None or raw.status == 402:  # a 402 without an offer is no price of this API
        code = f"http_{raw.status}"
    if reason is None:
        reason = f"the API answered HTTP {raw.status} and gave no reason"
    raise ApiError(code, reason, read_retry_after(raw.retry_after or "", time.time()))


def read_retry_after(text: str, now: float) -> int | None:
    """Return the seconds that a Retry-After header asks for; None when it cannot be read.

    It holds seconds or a date (RFC 9110, 10.2.3). ``now`` is this machine's clock.
    """
    if _SECONDS.match(text):
        return int(text)
    if len(text) > MAX_DATE or not text.isascii():
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:  # HTTP has no other zone
        moment = moment.replace(tzinfo=UTC)
    seconds = math.ceil(moment.timestamp() - now)
    return max(seconds, 0) if seconds < MAX_WAIT else None


def _has_entries(accepts: object) -> bool:
    return is_array(accepts) and len(accepts) > 0


def _read_envelope(document: JsonObject) -> tuple[str | None, str | None]:
    """Read ``{"error": {"code", "reason"}}`` or the older ``{"error", "message"}``."""
    error: object = document.get("error")
    if is_object(error):
        code, reason = error.get("code"), error.get("reason")
    else:
        code, reason = error, document.get("message")
    return code if isinstance(code, str) and _CODE.match(code) else None, _clean(reason)


def _clean(reason: object) -> str | None:
    if not isinstance(reason, str):
        return None
    return shorten(_SURROGATE.sub("\ufffd", reason), MAX_REASON) or None


def _parse(body: bytes) -> Answer | None:
    try:
        text = body.decode("utf-8")
        document = parse_leniently(text)
    except (ValueError, RecursionError):
        return None
    if not is_object(document) or (_has_many_levels(text) and _is_too_deep(document)):
        return None
    return Answer(text, document)


def _has_many_levels(text: str) -> bool:
    """Tell whether a text could be nested too deeply: it has that many opening brackets."""
    return text.count("{") + text.count("[") > MAX_NESTING


def _is_too_deep(document: object) -> bool:
    level = [document]
    for _ in range(MAX_NESTING):
        inner: list[object] = []
        for container in level:
            if is_object(container):
                inner.extend(v for v in container.values() if _is_container(v))
            elif is_array(container):
                inner.extend(v for v in container if _is_container(v))
        if not inner:
            return False
        level = inner
    return True


def _is_container(value: object) -> bool:
    return is_object(value) or is_array(value)


def _is_fit(text: str) -> bool:
    """Tell whether JSON is on one line and spells no half of a character.

    To look for three letters one by one takes a tenth of the time that a pattern does.
    """
    if "\n" in text or "\r" in text:
        return False
    return "\\u" not in text or _SURROGATE_ESCAPE.search(text) is None


def _rewrite(match: re.Match[str]) -> str:
    """Drop white space; keep a string, unless it holds half a character."""
    token = match[0]
    if not token.startswith('"'):
        return ""
    if _SURROGATE_ESCAPE.search(token) is None:
        return token
    value: str = json.loads(token)
    return json.dumps(_SURROGATE.sub("\ufffd", value), ensure_ascii=False)
