"""MCP over Streamable HTTP: each message a POST, each answer JSON or an event stream."""

from __future__ import annotations

import contextlib
import http.client
import re
import ssl
from collections.abc import Generator, Iterator
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from counterfoil.wire.connection import Deadline, TimedConnection
from counterfoil.wire.errors import Reporter, WireError
from counterfoil.wire.headers import SESSION, checked_headers, routing_headers
from counterfoil.wire.messages import (
    MESSAGE_LIMIT,
    Call,
    Dialogue,
    JsonObject,
    is_object,
    read_json,
)
from counterfoil.wire.redaction import Redaction, header_secrets
from counterfoil.wire.sse import EventStream
from counterfoil.wire.targets import HttpTarget

_CHUNK = 65536
_ERROR_BODY = 65536  # bytes of an error's body that are read
_SETTLING = 0.25  # seconds for a stream to end after its answer, so that it can be reused
_FAREWELL = 2.0  # seconds for the end of a session, which a server need not grant
_URL_SAFE = "/%:@!$&'()*+,;=~?"
_VISIBLE = re.compile(r"[\x21-\x7e]+")


class HttpChannel:
    """Speak one revision with a server at a URL, on one connection that is kept open.

    Redirects are not followed, and proxies named in the environment are not used.

    Raises:
        WireError: when the target cannot be asked as it stands.
    """

    def __init__(self, target: HttpTarget, revision: str) -> None:
        self._redaction = Redaction(header_secrets(target.headers))
        self._url, self.reporter = _read_url(target, revision, self._redaction)
        self._path = quote(self._url.path or "/", safe=_URL_SAFE)
        if self._url.query:
            self._path += "?" + quote(self._url.query, safe=_URL_SAFE)
        self._headers = checked_headers(target, self.reporter)
        self._revision = revision
        self._timeout = target.timeout
        self._dialogue = Dialogue(revision, self.reporter)
        self._deadline = Deadline(target.timeout)
        self._connection = TimedConnection(self._url, self._deadline)
        self._response: http.client.HTTPResponse | None = None
        self._greeted = False
        self._session = ""

    def request(self, method: str, params: JsonObject) -> JsonObject:
        """Send a request and return its result.

        Raises:
            WireError: for an error answer, an HTTP status that is none, a redirect, no whole
                answer in time, or anything but JSON-RPC.
        """
        call = self._dialogue.call(method, params)
        with self._exchange(method):
            response = self._ask(call.body, method, params)
            if response.status != 200:
                raise self._refusal(response, call)
            result = self._result(response, call)
            if method == "initialize":
                self._greeted = True
                self._open_session(response)
            self._settle(response)
        return result

    def notify(self, method: str) -> None:
        """Send a notification, which the server accepts with an empty answer.

        Raises:
            WireError: when it does not.
        """
        with self._exchange(method):
            body = self._dialogue.notification(method)
            response = self._ask(body, method, {})
            if not 200 <= response.status < 300:
                raise self._status_error(response, method, _some(response))
            self._settle(response)

    def close(self) -> None:
        """End the session, if there is one, and the connection."""
        if self._session:
            # A courtesy: the surface is read, and 405 or silence is a legal answer.
            with contextlib.suppress(OSError, http.client.HTTPException):
                self._deadline.restart(min(_FAREWELL, self._timeout))
                self._response = self._send(self._connection, "DELETE", None, {})
        self._drop()

    def _drop(self) -> None:
        """Close the connection, and a response that may hold it open by itself."""
        if self._response is not None:
            self._response.close()
            self._response = None
        self._connection.close()

    def _ask(self, body: bytes, method: str, params: JsonObject) -> http.client.HTTPResponse:
        self._response = self._post(self._connection, body, method, params)
        return self._response

    def _post(
        self, connection: TimedConnection, body: bytes, method: str, params: JsonObject
    ) -> http.client.HTTPResponse:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        if self._dialogue.modern:
            headers |= routing_headers(self._revision, method, params)
        return self._send(connection, "POST", body, headers)

    def _send(
        self, connection: TimedConnection, verb: str, body: bytes | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        if self._greeted:
            headers["MCP-Protocol-Version"] = self._revision
        if self._session:
            headers[SESSION] = self._session
        reused = connection.sock is not None
        try:
            connection.request(verb, self._path, body, self._headers | headers)
            return connection.getresponse()
        except ConnectionError:
            # A server may close an idle connection just as it is used again. Nothing that
            # this client asks changes anything, so that asking twice does no harm.
            if not reused:
                raise
            connection.close()
            connection.request(verb, self._path, body, self._headers | headers)
            return connection.getresponse()

    def _result(self, response: http.client.HTTPResponse, call: Call) -> JsonObject:
        for message in self._messages(response, call.method):
            reply = self._dialogue.reply(message)
            result = self._dialogue.answer(message, call, response.status)
            if reply is not None:
                self._reply(reply, call.method)
            elif result is not None:
                return result
        raise self.reporter.error(
            "ended",
            f"the answer to {call.method} ended without a response",
            "Send the response before the end of the stream.",
        )

    def _reply(self, reply: bytes, method: str) -> None:
        """Answer the server's own question beside the stream on which it asked."""
        aside = TimedConnection(self._url, self._deadline)
        try:
            self._post(aside, reply, method, {}).close()
        finally:
            aside.close()

    def _messages(self, response: http.client.HTTPResponse, method: str) -> Iterator[JsonObject]:
        media = response.headers.get_content_type()
        coding = response.headers.get("Content-Encoding", "identity")
        if coding.lower() != "identity":
            media = f"{media}, {coding}"
        if media == "application/json":
            whole = b"".join(self._chunks(response))
            yield from self._dialogue.read(whole, "the response body")
        elif media == "text/event-stream":
            events = EventStream()
            for chunk in self._chunks(response):
                for data in events.feed(chunk):
                    yield from self._dialogue.read(data, "an event")
        else:
            raise self.reporter.error(
                "malformed",
                f"the answer to {method} is {self.reporter.quote(media, 80)}, not JSON or events",
                "Give the URL of the MCP endpoint itself.",
            )

    def _chunks(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        total = 0
        while chunk := response.read1(_CHUNK):
            total += len(chunk)
            if total > MESSAGE_LIMIT:
                raise self.reporter.error(
                    "too-large",
                    f"an answer exceeds {MESSAGE_LIMIT >> 20} MiB",
                    "Answer in pages.",
                )
            yield chunk
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)

    def _settle(self, response: http.client.HTTPResponse) -> None:
        """Read an answered response to its end, or give up the connection it holds."""
        self._deadline.restart(min(_SETTLING, self._timeout))
        try:
            for _ in self._chunks(response):
                pass
            response.close()
        except (OSError, http.client.HTTPException, WireError):
            self._drop()

    def _open_session(self, response: http.client.HTTPResponse) -> None:
        session = response.headers.get(SESSION, "")
        if session and not _VISIBLE.fullmatch(session):
            raise self.reporter.error(
                "malformed",
                "the session id holds characters outside of visible ASCII",
                "Make it of 0x21 to 0x7E (basic/transports of 2025-11-25).",
            )
        self._session = session
        self._redaction.hide(session)

    def _refusal(self, response: http.client.HTTPResponse, call: Call) -> WireError:
        """Return the JSON-RPC error in a response that is not 200, or its bare status."""
        body = _some(response)
        try:
            message = read_json(body)
        except ValueError:
            message = None
        if is_object(message) and is_object(message.get("error")):
            try:
                self._dialogue.answer(message, call, response.status)
            except WireError as refusal:
                return refusal
        return self._status_error(response, call.method, body)

    def _status_error(
        self, response: http.client.HTTPResponse, method: str, body: bytes
    ) -> WireError:
        status = response.status
        mend = "Look into the server's log for the reason."
        what = f"{method} was answered with HTTP {status}"
        if 300 <= status < 400:
            place = response.headers.get("Location", "").partition("?")[0]
            what += f", a redirect to {self.reporter.quote(place)}"
            mend = "Give that URL, if it is to be trusted: redirects are not followed."
        elif body.strip():
            what += f": {self.reporter.quote(body.decode('utf-8', 'replace').strip())}"
        if status in (401, 403):
            mend = "Give the target a header with a token that this server accepts."
        elif status in (404, 405):
            mend = "Give the URL of the MCP endpoint itself."
        elif status < 300:
            mend = "Answer a request with 200 and a response."
        return self.reporter.error("status", what, mend, status=status)

    @contextlib.contextmanager
    def _exchange(self, method: str) -> Generator[None]:
        """Bound one exchange in time, and turn what goes wrong on the network into words."""
        self._deadline.restart(self._timeout)
        try:
            yield
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            # Without its cause: a protocol error quotes the server, which may quote a header.
            raise self._network_error(error, method) from None
        except BaseException:
            self._drop()
            raise

    def _network_error(self, error: OSError | http.client.HTTPException, method: str) -> WireError:
        if isinstance(error, TimeoutError):
            return self.reporter.error(
                "timed-out",
                f"no whole answer to {method} within {self._timeout:g} s",
                "Raise the timeout if the server is slow; else let it answer.",
            )
        if isinstance(error, ssl.SSLCertVerificationError):
            return self.reporter.error(
                "unreachable",
                f"the server's certificate is not trusted: {error.verify_message}",
                "Let SSL_CERT_FILE name the authority that signed it, or mend the certificate.",
            )
        if isinstance(error, http.client.IncompleteRead | http.client.RemoteDisconnected):
            return self.reporter.error(
                "ended",
                f"the connection ended before the answer to {method} was whole",
                "Look into the server's log for a crash.",
            )
        if isinstance(error, http.client.HTTPException):
            return self.reporter.error(
                "malformed",
                f"the answer to {method} is not HTTP: {self.reporter.quote(str(error))}",
                "Give the URL of an HTTP server, with the right scheme.",
            )
        return self.reporter.error(
            "unreachable",
            f"the connection failed: {self.reporter.quote(error.strerror or str(error))}",
            "Start the server, and check the URL's host and port.",
        )


def _some(response: http.client.HTTPResponse) -> bytes:
    """Return the first bytes of a body, or as many of them as came."""
    body = bytearray()
    with contextlib.suppress(OSError, http.client.HTTPException):
        while len(body) < _ERROR_BODY and (chunk := response.read1(_CHUNK)):
            body += chunk
    return bytes(body)


def _read_url(
    target: HttpTarget, revision: str, redaction: Redaction
) -> tuple[SplitResult, Reporter]:
    """Split the target's URL, and name it in messages without its query."""
    fallback = Reporter("the given URL", revision, redaction)
    mend = "Give a URL such as http://127.0.0.1:8000/mcp."
    try:
        url = urlsplit(target.url)
        port = url.port
        host = (url.hostname or "").encode("idna").decode("ascii")
    except ValueError:
        # Without its cause, which would show the URL.
        raise fallback.error("target", "the URL cannot be read", mend) from None
    if url.scheme not in ("http", "https") or not host:
        raise fallback.error("target", "the URL is not one of an HTTP server", mend)
    if url.username is not None or url.password is not None:
        raise fallback.error(
            "target",
            "the URL holds a user name or a password",
            "Put the credentials into an Authorization header.",
        )
    redaction.hide(*(value for _, value in parse_qsl(url.query)), *url.query.split("&"))
    bracketed = f"[{host}]" if ":" in host else host
    place = bracketed if port is None else f"{bracketed}:{port}"
    url = url._replace(netloc=place, fragment="")
    return url, Reporter(f"{url.scheme}://{place}{url.path}", revision, redaction)
