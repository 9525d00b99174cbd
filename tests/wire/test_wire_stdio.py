"""The wire client against a scripted server on pipes."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from counterfoil.wire import REVISIONS, StdioTarget, WireError, read_surface

Scripted = Callable[..., StdioTarget]
LEGACY, MODERN = "2025-11-25", "2026-07-28"
BOTH = pytest.mark.parametrize("revision", [LEGACY, MODERN])
SECRET = "sk-live-0123456789abcdef"


def failure(target: StdioTarget, revision: str = LEGACY) -> WireError:
    with pytest.raises(WireError) as caught:
        read_surface(target, revision)
    return caught.value


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_whole_surface_is_read_at_every_revision(scripted: Scripted, revision: str) -> None:
    surface = read_surface(scripted("good"), revision)
    assert surface.revision == revision
    assert surface.server == {"name": "scripted", "version": "3.2.1"}
    assert surface.instructions == "Grüße 🌍\u2028"
    assert [tool["name"] for tool in surface.tools] == [f"tool_{n}" for n in range(6)]
    assert surface.resources == [{"uri": "demo://readme", "name": "readme", "size": 2**60 + 1}]
    assert surface.resource_templates == [{"uriTemplate": "demo://{id}", "name": "item"}]
    assert surface.prompts == [{"name": "greet"}]


@BOTH
def test_a_list_without_its_capability_is_not_asked_for(scripted: Scripted, revision: str) -> None:
    surface = read_surface(scripted("tools-only"), revision)
    assert len(surface.tools) == 6
    assert (surface.resources, surface.resource_templates, surface.prompts) == ([], [], [])


@BOTH
def test_templates_are_empty_when_the_server_does_not_know_the_method(
    scripted: Scripted, revision: str
) -> None:
    surface = read_surface(scripted("no-templates"), revision)
    assert surface.resource_templates == []
    assert len(surface.resources) == 1


def test_a_later_page_of_templates_must_be_known(scripted: Scripted) -> None:
    error = failure(scripted("templates-vanish"))
    assert (error.kind, error.code) == ("refused", -32601)


@BOTH
def test_notifications_and_blank_lines_are_passed_over(scripted: Scripted, revision: str) -> None:
    assert len(read_surface(scripted("chatty"), revision).tools) == 6


def test_a_ping_is_answered_and_other_questions_are_refused(scripted: Scripted) -> None:
    pong, refusal = read_surface(scripted("own-requests"), LEGACY).tools[0]["_meta"]
    assert pong == {"jsonrpc": "2.0", "id": "p", "result": {}}
    assert (refusal["id"], refusal["error"]["code"]) == ("r", -32601)


def test_a_modern_server_may_not_ask_anything(scripted: Scripted) -> None:
    error = failure(scripted("own-requests"), MODERN)
    assert error.kind == "malformed"
    assert "a request of its own, 'ping'" in error.what


def test_a_batch_is_an_answer_at_the_one_revision_that_has_them(scripted: Scripted) -> None:
    surface = read_surface(scripted("batch"), "2025-03-26")
    assert [tool["name"] for tool in surface.tools] == ["batched"]
    assert failure(scripted("batch"), "2025-06-18").kind == "malformed"


def test_a_server_gets_its_directory_and_its_variables(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INHERITED", "yes")
    given = read_surface(scripted("environment", GIVEN="too"), LEGACY).tools[0]["_meta"]
    assert (given["INHERITED"], given["GIVEN"]) == ("yes", "too")
    assert Path(given["cwd"]) == tmp_path.resolve()


@BOTH
def test_a_flood_on_stderr_does_not_stop_a_server(scripted: Scripted, revision: str) -> None:
    assert len(read_surface(scripted("flood-stderr"), revision).tools) == 6


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        (["cursor-loop"], "pages", "gave a cursor that it had given before"),
        (["endless"], "pages", "has more than 1000 pages"),
        (["null-cursor"], "malformed", "a nextCursor that is no string"),
        (["no-list"], "malformed", "has no list tools"),
        (["nameless"], "malformed", "something in tools without a string name"),
        (["second-page-fails"], "refused", "refused with -32603: 'the database is gone'"),
        (["refuses", "-32601", "unknown"], "refused", "tools/list was refused with -32601"),
    ],
    ids=repr,
)
@BOTH
def test_a_failed_page_is_an_error_and_never_an_empty_list(
    scripted: Scripted, words: list[str], kind: str, said: str, revision: str
) -> None:
    error = failure(scripted(*words), revision)
    assert error.kind == kind
    assert said in error.what
    assert error.hint
    assert error.revision == revision


@pytest.mark.parametrize("member", ["resultType", "ttlMs", "cacheScope"])
def test_a_modern_result_must_be_one_that_sdk_clients_accept(
    scripted: Scripted, member: str
) -> None:
    error = failure(scripted("lacks", member), MODERN)
    assert error.kind == "malformed"
    assert f"the result of server/discover has no {member}" in error.what


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Listening on port 8000", "stdout line is not JSON-RPC (Expecting value"),
        ("[]", 'no object with "jsonrpc": "2.0"'),
        ("7", 'no object with "jsonrpc": "2.0"'),
        ('{"id": ID, "result": {}}', 'no object with "jsonrpc": "2.0"'),
        ('{"jsonrpc": "2.0", "id": ID}', "not exactly one of result and error"),
        ('{"jsonrpc": "2.0", "id": ID, "result": {}, "error": {}}', "not exactly one"),
        ('{"jsonrpc": "2.0", "id": ID, "result": []}', "a result that is no object"),
        ('{"jsonrpc": "2.0", "id": ID, "error": "no"}', "without an integer code"),
        ('{"jsonrpc": "2.0", "id": "ID", "result": {}}', "carries the id"),
        ('{"jsonrpc": "2.0", "id": ID.0, "result": {}}', "carries the id"),
        ('{"jsonrpc": "2.0", "id": 99, "result": {}}', "carries the id '99'"),
        ('{"jsonrpc": "2.0", "result": {}}', "carries the id 'None'"),
        ('{"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}}', "the id '99'"),
        ('{"jsonrpc": "2.0", "id": ID, "result": {"a": NaN}}', "NaN and Infinity"),
        ('{"jsonrpc": "2.0", "id": ID, "result": {"a": 1, "a": 2}}', "a key is given twice"),
    ],
)
def test_an_answer_that_breaks_json_rpc_is_refused(
    scripted: Scripted, answer: str, said: str
) -> None:
    error = failure(scripted("raw", answer))
    assert error.kind == "malformed"
    assert said in error.what


@pytest.mark.parametrize("identity", ["", '"id": null,'])
def test_an_error_without_an_id_is_about_the_open_request(
    scripted: Scripted, identity: str
) -> None:
    answer = f'{{"jsonrpc": "2.0",{identity} "error": {{"code": -32700, "message": "what?"}}}}'
    error = failure(scripted("raw", answer))
    assert (error.kind, error.code) == ("refused", -32700)


def test_garbage_on_stdout_is_shown_harmless(scripted: Scripted) -> None:
    error = failure(scripted("garbage"))
    assert "stdout line is not JSON-RPC" in error.what
    assert r"Starting \x1b[31mserver" in error.what
    assert "\x1b" not in str(error)
    assert "stderr" in error.hint
    assert "not UTF-8" in failure(scripted("bytes")).what


@BOTH
def test_a_silent_server_is_given_up_in_time(scripted: Scripted, revision: str) -> None:
    error = failure(scripted("silent", timeout=0.3), revision)
    assert error.kind == "timed-out"
    assert "within 0.3 s" in error.what


def test_a_server_that_only_notifies_is_given_up_in_time(scripted: Scripted) -> None:
    assert failure(scripted("babbles", timeout=0.5)).kind == "timed-out"


def test_a_server_that_asks_and_never_listens_is_given_up_in_time(scripted: Scripted) -> None:
    assert failure(scripted("deaf", timeout=1)).kind == "timed-out"


def test_a_dying_server_is_quoted_from_its_stderr(scripted: Scripted) -> None:
    error = failure(scripted("dies"))
    assert error.kind == "ended"
    assert "before it answered initialize" in error.what
    assert "ended with exit status 3" in error.what
    assert "  Traceback: no module named nothing" in error.what


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_killed_server_is_named_as_such(scripted: Scripted) -> None:
    error = failure(scripted("killed"))
    assert "was ended by signal 9, with nothing on stderr" in error.what


def test_a_server_that_closes_its_stdout_has_ended(scripted: Scripted) -> None:
    error = failure(scripted("closes-stdout"))
    assert error.kind == "ended"
    assert "the server closed its stdout" in error.what


def test_a_line_without_an_end_is_bounded(scripted: Scripted) -> None:
    error = failure(scripted("no-newline", timeout=120))
    assert error.kind == "too-large"
    assert "exceeds 64 MiB" in error.what


def test_secrets_of_the_environment_stay_out_of_what_stderr_says(scripted: Scripted) -> None:
    target = scripted("dies", f"key={SECRET}", "home=/home/someone", API_KEY=SECRET)
    error = failure(target)
    assert "key=[hidden] home=/home/someone" in error.what
    assert SECRET not in f"{error}{error.args}{error.target}"


def test_values_of_variables_stay_out_of_the_target_s_repr() -> None:
    assert SECRET not in repr(StdioTarget(("server",), env={"API_KEY": SECRET}))


def test_a_long_stderr_is_cut_without_leaving_half_a_secret(scripted: Scripted) -> None:
    secret = "".join(f"{number:x}" for number in range(200))
    error = failure(scripted("floods-and-dies", secret, OTHER_TOKEN=secret))
    assert "[hidden]\n  the last line" in error.what
    assert len(error.what) < 5000
    assert not any(secret[at : at + 8] in error.what for at in range(len(secret) - 8))


def test_secrets_of_the_environment_stay_out_of_what_the_server_answers(
    scripted: Scripted,
) -> None:
    words = ["refuses", "-1", f"bad token {SECRET}"]
    error = failure(scripted(*words, MY_TOKEN=SECRET))
    assert "refused with -1: 'bad token [hidden]'" in error.what
    assert SECRET not in f"{error}{error.target}"


@pytest.mark.parametrize(
    ("target", "kind", "said"),
    [
        (StdioTarget(()), "target", "no command"),
        (StdioTarget(("no-such-program-anywhere",)), "unreachable", "could not be started"),
        (StdioTarget(("a\0b",)), "unreachable", "not a usable command"),
        (StdioTarget((sys.executable,), "no/such/place"), "unreachable", "does not exist"),
    ],
    ids=["empty", "missing", "null", "directory"],
)
def test_a_command_that_cannot_be_started_is_reported(
    target: StdioTarget, kind: str, said: str
) -> None:
    error = failure(target)
    assert error.kind == kind
    assert said in error.what


def test_a_revision_that_is_not_known_is_refused_before_anything_is_started() -> None:
    error = failure(StdioTarget(("no-such-program-anywhere",)), "2031-01-01")
    assert error.kind == "target"
    assert "2026-07-28" in error.hint


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("behaviour", "last"), [("stays", b""), ("child", b""), ("goes-when-asked", b"bye")]
)
def test_nothing_is_left_running(
    scripted: Scripted, listener: socket.socket, behaviour: str, last: bytes
) -> None:
    ended: list[bytes] = []

    def watch() -> None:
        held, _ = listener.accept()
        with held:
            held.settimeout(30)
            ended.append(held.recv(5))
            ended.append(held.recv(5))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        target = scripted(behaviour, str(listener.getsockname()[1]))
        assert len(read_surface(target, LEGACY).tools) == 6
    finally:
        watcher.join(60)
    assert ended == [b"alive", last]
