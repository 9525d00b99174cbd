"""An upstream that answers what a test declared, remembers what was asked, and refuses the rest."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from mcp_wrapper_scaffold.gate.transport import Network
from mcp_wrapper_scaffold.testing.wire import AnsweringNetwork, Broken, Head

Failure: TypeAlias = Literal["unreachable", "broken", "cut"]
_PORTS = {"http": 80, "https": 443}
_NOT_GIVEN: Final = object()


class UpstreamFault(AssertionError):
    """Say which requests nobody expected, and which answers nobody asked for."""


@dataclass(frozen=True)
class SentRequest:
    """A request, as it left the gate.

    Attributes:
        method: its method.
        origin: scheme, host, and a port that is not the scheme's own.
        path: its path, as it was sent.
        query: names and values, decoded, in their order.
        headers: its fields, by names in small letters; of two of one name, the last.
        content: its body.
        server_name: the name in the TLS greeting; None without TLS.
    """

    method: str
    origin: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    server_name: str | None = field(repr=False)

    @property
    def url(self) -> str:
        """Return origin and path."""
        return self.origin + self.path

    def json(self) -> Any:
        """Return the value of a JSON body."""
        return jsonlib.loads(self.content)

    def __str__(self) -> str:
        query = "&".join(f"{name}={value}" for name, value in self.query)
        return f"{self.method} {self.url}" + (f"?{query}" if query else "")


@dataclass
class _Declared:
    method: str
    origin: str
    path: str
    query: tuple[tuple[str, str], ...] | None
    answer: bytes
    failure: Failure | None
    left: int | None

    def fits(self, request: SentRequest) -> bool:
        return (
            (self.left is None or self.left > 0)
            and (self.method, self.origin, self.path)
            == (request.method, request.origin, request.path)
            and (self.query is None or sorted(self.query) == sorted(request.query))
        )

    def __str__(self) -> str:
        return f"{self.method} {self.origin}{self.path}"


class RecordedUpstream:
    """Stand in for everything behind the gate.

    A wrapper under test is given ``network=upstream.network``. Answers to one request are used in
    the order in which they were declared.

    Attributes:
        network: what ``create_wrapper_server`` takes.
        requests: what was sent, in order.
    """

    def __init__(self) -> None:
        self.network: Final[Network] = AnsweringNetwork(self._admit, self._respond)
        self.requests: list[SentRequest] = []
        self._declared: list[_Declared] = []
        self._unexpected: list[str] = []
        self._is_down = False

    def answer(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str] | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        json: object = _NOT_GIVEN,
        content: bytes | str = b"",
        times: int | None = 1,
    ) -> None:
        """Declare an answer.

        Args:
            method: of the request.
            url: of the request, as it is sent. Its query, if it has one, is part of it.
            query: the same by names and values; without either, any query will do.
            status: of the answer.
            headers: of the answer, besides its length, and its type where ``json`` is given.
            json: the body as a value.
            content: the body as it is.
            times: how often it is given, and has to be asked for; None for any number, or none.
        """
        fields = {name.lower(): value for name, value in (headers or {}).items()}
        body = content.encode() if isinstance(content, str) else content
        if json is not _NOT_GIVEN:
            body = jsonlib.dumps(json).encode()
            fields.setdefault("content-type", "application/json")
        fields.setdefault("content-length", str(len(body)))
        reason = HTTPStatus(status).phrase if status in list(HTTPStatus) else ""
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{key}: {fields[key]}" for key in fields)]
        raw = "\r\n".join([*lines, "", ""]).encode("latin-1")
        self._declare(method, url, query, raw + (b"" if method == "HEAD" else body), None, times)

    def fail(
        self,
        method: str,
        url: str,
        failure: Failure,
        *,
        query: Mapping[str, str] | None = None,
        times: int | None = 1,
    ) -> None:
        """Declare that a request has no answer.

        Args:
            method: of the request.
            url: of the request.
            failure: ``unreachable``: no connection is made to its host; ``broken``: the
                connection breaks; ``cut``: the answer ends too early.
            query: the query, by names and values.
            times: how often; None for any number, or none.
        """
        cut = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"
        self._declare(method, url, query, cut, failure, times)

    def down(self) -> None:
        """Let no connection be made from now on, whatever was declared."""
        self._is_down = True

    def check(self) -> None:
        """Raise what went otherwise than declared.

        Raises:
            UpstreamFault: a request was not expected, or an answer was not asked for.
        """
        faults = [f"nobody expected {each}" for each in self._unexpected]
        faults += [f"nobody asked for {each}" for each in self._declared if each.left]
        if faults:
            raise UpstreamFault("\n".join(faults))

    def _declare(
        self,
        method: str,
        url: str,
        query: Mapping[str, str] | None,
        answer: bytes,
        failure: Failure | None,
        times: int | None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError(f"{url!r} is no absolute http or https URL")
        if parts.query and query is not None:
            raise ValueError("give the query in the URL or by names, not both")
        pairs: tuple[tuple[str, str], ...] | None = None
        if parts.query or query is not None:
            given = (
                parse_qsl(parts.query, keep_blank_values=True) if query is None else query.items()
            )
            pairs = tuple(given)
        origin = f"{parts.scheme}://{parts.netloc}"
        path = parts.path or "/"
        self._declared.append(_Declared(method, origin, path, pairs, answer, failure, times))

    def _admit(self, host: str, port: int) -> None:
        if self._is_down:
            raise Broken("everything is down")
        for each in self._declared:
            parts = urlsplit(each.origin)
            place = (parts.hostname, parts.port or _PORTS[parts.scheme])
            if each.failure == "unreachable" and each.left != 0 and place == (host, port):
                _count(each)
                raise Broken("unreachable, as declared")

    def _respond(self, head: Head, body: bytes) -> bytes:
        request = _request(head, body)
        self.requests.append(request)
        for each in self._declared:
            if each.fits(request):
                _count(each)
                if each.failure == "broken":
                    raise Broken("broken, as declared")
                return each.answer
        self._unexpected.append(str(request))
        raise Broken(f"nobody expected {request}")


def _count(declared: _Declared) -> None:
    if declared.left is not None:
        declared.left -= 1


def _request(head: Head, body: bytes) -> SentRequest:
    scheme = "http" if head.server_name is None else "https"
    host = f"[{head.host}]" if ":" in head.host else head.host
    port = "" if head.port == _PORTS[scheme] else f":{head.port}"
    path, _, query = head.target.partition("?")
    return SentRequest(
        head.method,
        f"{scheme}://{host}{port}",
        path,
        tuple(parse_qsl(query, keep_blank_values=True)),
        dict(head.headers),
        body,
        head.server_name,
    )
