"""A call of the gate, and the checks that it passes, in their order."""

from __future__ import annotations

import json as json_text
import math
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from mcp_wrapper_scaffold.allowlist import METHODS, Allowlist
from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.gate.headers import (
    FieldLines,
    check_sent,
    read_headers,
    with_defaults,
)
from mcp_wrapper_scaffold.gate.text import plain
from mcp_wrapper_scaffold.gate.transport import Request, origin_of, path_of
from mcp_wrapper_scaffold.gate.url import Target, path_fault, read_target

NO_JSON: Final = ...
"""What ``json`` is where it is not given: None is a value of JSON."""

_WORD = re.compile(r"[A-Za-z]+")
_DEFAULTS: Final = (
    ("Accept", "*/*"),
    ("Accept-Encoding", "gzip, deflate"),
    ("User-Agent", "mcp-wrapper-scaffold"),
)
_JSON_TYPE: Final = (("Content-Type", "application/json"),)


class Call(NamedTuple):
    """A call that passed every check."""

    method: str
    target: Target
    lines: FieldLines

    def request(self, content: bytes | None, lines: FieldLines) -> Request:
        """Return the request of this call; its URL is the object that was decided about."""
        request = Request(
            self.method,
            self.target.url,
            headers=list(with_defaults(lines, _DEFAULTS)),
            content=content,
        )
        request.url = self.target.url
        return request


def read_call(
    allowlist: Allowlist,
    url: object,
    method: object,
    headers: Mapping[str, str] | None,
    options: Mapping[str, object],
) -> Call:
    """Judge a call: its options, fields, method and URL, and then whether the list has it.

    Raises:
        GatedFetchDenied: it is not to be sent.
    """
    if options:
        raise GatedFetchDenied("extensions", detail=", ".join(sorted(options))[:200])
    lines = read_headers(headers)
    word = _read_method(method)
    target = read_target(url, word)
    _decide(allowlist, word, target.origin, target.path)
    return Call(word, target, lines)


def judge_request(allowlist: Allowlist, request: Request) -> None:
    """Judge a request that is about to be sent, by what will go to the wire.

    Whatever has changed since the call was judged, a request that the list does not have stays
    here.

    Raises:
        GatedFetchDenied: it is not to be sent.
    """
    method, url = request.method, request.url
    # The transport passes no extension on; one that is there has been put there by somebody.
    if not request.extensions.keys() <= {"timeout"}:
        raise GatedFetchDenied("extensions", method=method)
    check_sent(request.headers.raw, url.netloc)
    if url.userinfo:
        raise GatedFetchDenied("userinfo", method=method)
    origin, path = origin_of(url), path_of(url)
    fault = path_fault(path)
    if fault:
        raise GatedFetchDenied(fault, method=method)
    _decide(allowlist, method, origin, path)


def read_body(
    content: bytes | str | None, json: object, lines: FieldLines
) -> tuple[bytes | None, FieldLines]:
    """Return the body of a call and its fields.

    Raises:
        TypeError: both ways to give a body are used, or a value that JSON does not have.
        ValueError: NaN, an infinity, a value within itself, or text that UTF-8 cannot hold.
    """
    if json is NO_JSON:
        return (content.encode() if isinstance(content, str) else content), lines
    if content is not None:
        raise TypeError("content and json exclude each other")
    body = json_text.dumps(json, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return body.encode(), with_defaults(lines, _JSON_TYPE)


def read_seconds(timeout: float) -> float:
    """Return a timeout.

    Raises:
        TypeError: it is no number.
        ValueError: it is no finite number of seconds above 0.
    """
    if isinstance(timeout, bool) or not (math.isfinite(timeout) and timeout > 0):
        raise ValueError("a timeout is a finite number of seconds above 0")
    return float(timeout)


def _read_method(method: object) -> str:
    word = plain(method)
    # Only ASCII is folded: the capital of U+017F is S.
    if word is None or _WORD.fullmatch(word) is None:
        raise GatedFetchDenied("method")
    word = word.upper()
    if word not in METHODS:
        raise GatedFetchDenied("method", method=word[:20])
    return word


def _decide(allowlist: Allowlist, method: str, origin: str, path: str) -> None:
    methods = allowlist.methods(origin, path)
    if methods is not None and method in methods:
        return
    code = "origin" if methods is None else "method" if methods else "path"
    raise GatedFetchDenied(code, method=method, origin=origin, path=path)
