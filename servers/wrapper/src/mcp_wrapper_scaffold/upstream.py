"""What an upstream says when it refuses, in a form that may be handed on."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from mcp_wrapper_scaffold.gate import FetchResponse

_LONGEST: Final = 200
_DIGITS = re.compile(r"[0-9]{1,9}")
# Controls, and what turns the direction of writing or cannot be seen.
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]+")
_SPACES = re.compile(r" {2,}")


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a caller may be told of an answer that is no success.

    Attributes:
        text: one line: the request, the status, what the upstream says, when to come back.
        details: the same as a JSON object: ``request``, ``status``, and of ``code``, ``message``
            and ``retryAfter`` (seconds) those that there are.
        retry_after: for how many seconds the upstream asks to be left alone, or None.
    """

    text: str
    details: Mapping[str, object]
    retry_after: int | None


def describe_refusal(
    response: FetchResponse,
    *,
    code: str = "",
    message: str = "",
    wait: int | None = None,
    now: float | None = None,
) -> Refusal:
    """Describe an answer that is no success; its body and the request's query stay out.

    Args:
        response: the answer.
        code: the upstream's own code, if it gave one.
        message: the upstream's own sentence, if it gave one.
        wait: seconds to be left alone, of an upstream that says it elsewhere than in Retry-After.
        now: seconds since 1970, for an upstream that says until when; the system's clock if left
            out.
    """
    code, message = bounded_text(code, 80), bounded_text(message)
    asked = retry_after(response.headers, time.time() if now is None else now)
    wait = wait if asked is None else asked
    request = f"{response.method} {response.origin}{response.path}"
    said = ": ".join(filter(None, (code, message)))
    text = f"{request}: status {response.status}" + (f", {said}" if said else "")
    if wait is not None:
        text = f"{text.removesuffix('.')}. It asks to be left alone for {wait} seconds"
    details: dict[str, object] = {"request": request, "status": response.status}
    found = {"code": code or None, "message": message or None, "retryAfter": wait}
    details |= {name: value for name, value in found.items() if value is not None}
    return Refusal(text if text.endswith((".", "…", "?", "!")) else f"{text}.", details, wait)


def bounded_text(text: str, longest: int = _LONGEST) -> str:
    """Return a foreign text as one printable line of at most ``longest`` characters."""
    line = _SPACES.sub(" ", _UNSEEN.sub(" ", text[: 4 * longest])).strip()
    line = line.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def retry_after(headers: Mapping[str, str], now: float) -> int | None:
    """Return how many seconds an upstream asks to be left alone; None if it does not say.

    Args:
        headers: of the answer; names are found in any case.
        now: seconds since 1970, for an upstream that names a date (RFC 9110, section 10.2.3).
    """
    value = headers.get("retry-after", "").strip()
    if _DIGITS.fullmatch(value):
        return int(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0, math.ceil(date.timestamp() - now))
