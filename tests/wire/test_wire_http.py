"""The wire client against scripted servers over HTTP."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterfoil.wire import REVISIONS, HttpTarget, WireError, read_surface

Outcome = Callable[[dict[str, Any]], dict[str, Any]]
Serve = Callable[..., str]
Answer = tuple[int, dict[str, str], bytes]
LEGACY, MODERN = "2025-11-25", "2026-07-28"
BOTH = pytest.mark.parametrize("revision", [LEGACY, MODERN])
TOKEN = "tok-0123456789-abcdef"


def failure(url: str, revision: str = MODERN, **more: Any) -> WireError:
    with pytest.raises(WireError) as caught:
        read_surface(HttpTarget(url, more.pop("headers", {}), more.pop("timeout", 30)), revision)
    assert TOKEN not in f"{caught.value}{caught.value.hint}{caught.value.args}"
    return caught.value


def always(status: int, body: bytes = b"", **headers: str) -> Callable[..., Answer]:
    """Return a handler that gives one answer to everything."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}

    def handler(verb: str, headers: dict[str, str], message: Any) -> Answer:
        return status, fields, body

    return handler


class Recorder:
    """Answer as a good server does, and keep what was asked."""

    def __init__(self, outcome: Outcome, session: str = "") -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self._outcome = outcome
        self._session = session

    def __call__(self, verb: str, headers: dict[str, str], message: Any) -> Answer:
        self.asked.append((verb, headers, message))
        if verb == "DELETE" or "id" not in message:
            return 202, {}, b""
        given = {"Mcp-Session-Id": self._session} if message["method"] == "initialize" else {}
        return 200, given, json.dumps(self._outcome(message)).encode()


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_json_answer_is_read(serve: Serve, outcome: Outcome, revision: str) -> None:
    recorder = Recorder(outcome)
    surface = read_surface(HttpTarget(serve(recorder)), revision)
    assert [tool["name"] for tool in surface.tools] == ["one"]
    assert surface.prompts == []
    assert len({headers["connection-id"] for _, headers, _ in recorder.asked}) == 1


def test_a_modern_request_says_in_its_headers_what_it_is(serve: Serve, outcome: Outcome) -> None:
    recorder = Recorder(outcome)
    read_surface(HttpTarget(serve(recorder), {"Authorization": f"Bearer {TOKEN}"}), MODERN)
    assert [message["method"] for _, _, message in recorder.asked] == [
        "server/discover",
        "tools/list",
    ]
    for verb, headers, message in recorder.asked:
        assert verb == "POST"
        assert headers["mcp-protocol-version"] == MODERN
        assert headers["mcp-method"] == message["method"]
        assert headers["accept"] == "application/json, text/event-stream"
        assert headers["authorization"] == f"Bearer {TOKEN}"
        assert "mcp-name" not in headers
        assert "mcp-session-id" not in headers
        meta = message["params"]["_meta"]
        assert meta["io.modelcontextprotocol/protocolVersion"] == MODERN
        assert meta["io.modelcontextprotocol/clientCapabilities"] == {}
        assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "counterfoil"


def test_a_session_is_carried_and_ended(serve: Serve, outcome: Outcome) -> None:
    recorder = Recorder(outcome, session="s-1")
    read_surface(HttpTarget(serve(recorder)), LEGACY)
    steps = [
        (verb, message and message["method"], headers.get("mcp-session-id"))
        for verb, headers, message in recorder.asked
    ]
    assert steps == [
        ("POST", "initialize", None),
        ("POST", "notifications/initialized", "s-1"),
        ("POST", "tools/list", "s-1"),
        ("DELETE", None, "s-1"),
    ]
    versions = [headers.get("mcp-protocol-version") for _, headers, _ in recorder.asked]
    assert versions == [None, LEGACY, LEGACY, LEGACY]
    assert not any("mcp-method" in headers for _, headers, _ in recorder.asked)


def test_a_session_that_may_not_be_ended_does_no_harm(serve: Serve, outcome: Outcome) -> None:
    recorder = Recorder(outcome, session="s-1")

    def refuse(verb: str, headers: dict[str, str], message: Any) -> Answer:
        return (405, {}, b"") if verb == "DELETE" else recorder(verb, headers, message)

    assert read_surface(HttpTarget(serve(refuse)), LEGACY).tools


def test_a_session_id_that_no_header_can_carry_is_refused(serve: Serve, outcome: Outcome) -> None:
    error = failure(serve(Recorder(outcome, session="two words")), LEGACY)
    assert (error.kind, "visible ASCII" in error.what) == ("malformed", True)


STREAMS = {
    "plain": ["data: {}\n\n"],
    "carriage returns": [": hello\r\n\r\nid: 1\r\ndata:\r\n\r\nevent: message\r\ndata: {}\r\n\r\n"],
    "after others": ['data: {{"jsonrpc":"2.0","method":"notifications/x"}}\n\ndata: {}\n\n'],
    "other types": ["event: ping\ndata: nothing\n\ndata: {}\n\n"],
}


@pytest.mark.parametrize("name", STREAMS)
@BOTH
def test_an_event_stream_is_read_up_to_the_answer(
    serve: Serve, outcome: Outcome, name: str, revision: str
) -> None:
    def stream(verb: str, headers: dict[str, str], message: Any) -> Answer:
        if "id" not in message:
            return 202, {}, b""
        (form,) = STREAMS[name]
        body = form.replace("{{", "\0").replace("}}", "\1").replace("{}", "@")
        body = body.replace("\0", "{").replace("\1", "}").replace("@", json.dumps(outcome(message)))
        return 200, {"Content-Type": "text/event-stream; charset=utf-8"}, body.encode()

    assert read_surface(HttpTarget(serve(stream)), revision).tools[0]["name"] == "one"


def test_data_on_several_lines_is_one_message(serve: Serve, outcome: Outcome) -> None:
    def stream(verb: str, headers: dict[str, str], message: Any) -> Answer:
        lines = json.dumps(outcome(message), indent=1).splitlines()
        body = "".join(f"data: {line}\n" for line in lines) + "\n"
        return 200, {"Content-Type": "text/event-stream"}, body.encode()

    assert read_surface(HttpTarget(serve(stream)), MODERN).tools[0]["name"] == "one"


def test_a_question_on_the_stream_is_answered_beside_it(serve: Serve, outcome: Outcome) -> None:
    replies: list[Any] = []

    def asking(verb: str, headers: dict[str, str], message: Any) -> Answer:
        if "method" not in message:
            replies.append(message)
        if "method" not in message or "id" not in message:
            return 202, {}, b""
        events = [{"jsonrpc": "2.0", "id": "r", "method": "roots/list"}, outcome(message)]
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        return 200, {"Content-Type": "text/event-stream"}, body.encode()

    assert read_surface(HttpTarget(serve(asking)), LEGACY).tools
    assert [(reply["id"], reply["error"]["code"]) for reply in replies] == [("r", -32601)] * 2


def test_a_stream_that_ends_early_is_an_error(serve: Serve) -> None:
    body = b'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\ndata: {"jsonrpc"'
    error = failure(serve(always(200, body, Content_Type="text/event-stream")))
    assert error.kind == "ended"
    assert "ended without a response" in error.what


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(serve: Serve, status: int) -> None:
    asked: list[str] = []

    def elsewhere(verb: str, headers: dict[str, str], message: Any) -> Answer:
        asked.append(verb)
        return 200, {}, b"{}"

    other = serve(elsewhere)
    url = serve(always(status, Location=f"{other}?token=abc"))
    error = failure(url, headers={"Authorization": f"Bearer {TOKEN}"})
    assert (error.kind, error.status) == ("status", status)
    assert f"a redirect to {other!r}" in error.what
    assert "redirects are not followed" in error.hint
    assert asked == []


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (404, b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}', "refused", "no"),
        (400, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}', "refused", "x"),
        (401, b'{"error": "invalid_token"}', "status", 'HTTP 401: \'{"error": "invalid_token"}\''),
        (500, b"<h1>\x1b[31mOops</h1>" + b"x" * 9999, "status", r"HTTP 500: '<h1>\x1b[31mOops"),
        (503, b"", "status", "HTTP 503"),
        (202, b"", "status", "HTTP 202"),
        (204, b"", "status", "HTTP 204"),
        (200, b"<html></html>", "malformed", "the response body is not JSON-RPC"),
        (200, b"[]", "malformed", "no object"),
        (200, b"", "malformed", "is not JSON-RPC"),
        (200, b'{"jsonrpc":"2.0","id":2,"result":{}}', "malformed", "carries the id '2'"),
    ],
)
def test_an_answer_that_is_none_is_an_error(
    serve: Serve, status: int, body: bytes, kind: str, said: str
) -> None:
    error = failure(serve(always(status, body)))
    assert error.kind == kind
    assert said in error.what
    assert len(error.what) < 1000
    assert error.status == (None if status == 200 else status)


@pytest.mark.parametrize(
    "headers", [{"Content_Type": "text/html"}, {"Content_Encoding": "gzip"}], ids=str
)
def test_an_answer_in_another_form_is_refused(serve: Serve, headers: dict[str, str]) -> None:
    error = failure(serve(always(200, b"{}", **headers)))
    assert error.kind == "malformed"
    assert "not JSON or events" in error.what


def test_a_notification_that_is_refused_is_an_error(serve: Serve, outcome: Outcome) -> None:
    def refuse(verb: str, headers: dict[str, str], message: Any) -> Answer:
        answer = json.dumps(outcome(message)).encode() if "id" in message else b"not now"
        return 200 if "id" in message else 409, {}, answer

    error = failure(serve(refuse), LEGACY)
    assert (error.kind, error.status) == ("status", 409)
    assert "notifications/initialized was answered with HTTP 409: 'not now'" in error.what


def test_header_values_stay_out_of_every_message(serve: Serve) -> None:
    def echo(verb: str, headers: dict[str, str], message: Any) -> Answer:
        return 403, {}, f"{headers['authorization']} / {headers['x-key']}".encode()

    target = {"Authorization": f"Bearer {TOKEN}", "X-Key": "k=v w"}
    url = serve(echo)
    error = failure(url, headers=target)
    assert "HTTP 403: '[hidden] / [hidden]'" in error.what
    assert TOKEN not in repr(HttpTarget(url, target))


def test_a_bare_token_that_a_server_quotes_is_hidden_too(serve: Serve) -> None:
    message = {"code": -32000, "message": f"{TOKEN} has expired"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "error": message}).encode()
    error = failure(serve(always(401, body)), headers={"Authorization": f"Bearer {TOKEN}"})
    assert "'[hidden] has expired'" in error.what


def test_a_long_body_is_cut_without_leaving_half_a_token(serve: Serve) -> None:
    body = b"x" * 290 + TOKEN.encode()
    error = failure(serve(always(500, body)), headers={"X-Key": TOKEN})
    assert TOKEN[:6] not in error.what


def test_a_session_id_is_not_shown(serve: Serve, outcome: Outcome) -> None:
    recorder = Recorder(outcome, session=TOKEN)

    def forget(verb: str, headers: dict[str, str], message: Any) -> Answer:
        if headers.get("mcp-session-id"):
            return 404, {}, f"no session {TOKEN}".encode()
        return recorder(verb, headers, message)

    assert "HTTP 404: 'no session [hidden]'" in failure(serve(forget), LEGACY).what


def test_the_query_of_the_url_is_sent_and_not_shown(serve: Serve) -> None:
    url = serve(always(403, f"the key {TOKEN} is unknown".encode()))
    error = failure(f"{url}?key={TOKEN}&a=b")
    assert error.target == url
    assert "the key [hidden] is unknown" in error.what


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"Authorization": f"Bearer {TOKEN}\n"}, "a character that HTTP cannot carry"),
        ({"Authorization": f"Bearer {TOKEN}€"}, "a character that HTTP cannot carry"),
        ({"no name": TOKEN}, "the header name 'no name'"),
        ({"MCP-protocol-version": TOKEN}, "set by the protocol itself"),
    ],
    ids=["line break", "euro", "name", "own"],
)
def test_a_header_that_cannot_be_sent_is_refused_unsaid(headers: dict[str, str], said: str) -> None:
    error = failure("http://127.0.0.1:9/mcp", headers=headers)
    assert error.kind == "target"
    assert said in error.what
    assert error.__cause__ is None


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/mcp",
        "127.0.0.1:8000/mcp",
        "http:///mcp",
        "http://[::1/mcp",
        "http://127.0.0.1:port/mcp",
        f"http://{'x' * 70}.example/mcp",
        f"https://user:{TOKEN}@127.0.0.1/mcp",
    ],
)
def test_a_url_that_cannot_be_asked_is_refused_unsaid(url: str) -> None:
    error = failure(url)
    assert error.kind == "target"
    assert "x" * 70 not in str(error)


def test_an_ipv6_address_is_asked(serve: Serve, outcome: Outcome) -> None:
    recorder = Recorder(outcome)
    try:
        url = serve(recorder, host="::1")
    except OSError:
        pytest.skip("this machine has no IPv6 loopback address")
    assert read_surface(HttpTarget(url), MODERN).tools
    assert recorder.asked[0][1]["host"] == url.split("/")[2]


def test_a_host_name_is_tried_at_each_of_its_addresses(serve: Serve, outcome: Outcome) -> None:
    url = serve(Recorder(outcome)).replace("127.0.0.1", "localhost")
    assert read_surface(HttpTarget(url), MODERN).tools


def test_a_port_where_nobody_listens_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    error = failure(f"http://127.0.0.1:{port}/mcp")
    assert error.kind == "unreachable"
    assert "the connection failed" in error.what


def test_a_certificate_must_be_trusted(
    serve: Serve, outcome: Outcome, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    recorder = Recorder(outcome)
    url = serve(recorder, tls=context).replace("127.0.0.1", "localhost")
    error = failure(url, headers={"Authorization": f"Bearer {TOKEN}"})
    assert error.kind == "unreachable"
    assert "certificate is not trusted" in error.what
    assert recorder.asked == []

    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert read_surface(HttpTarget(url), MODERN).tools
    error = failure(url.replace("localhost", "127.0.0.1"))
    assert "certificate is not trusted" in error.what
