"""The closed network of tests against code that tries to get out, and with code that does not."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Each function tries to get out; `PORT` is a listener on this machine.
ATTACKS = """
import asyncio
import ctypes
import http.client
import os
import socket
import subprocess
import sys
import threading
import urllib.request

import httpx2
import pytest

PORT = __PORT__
HERE = ("127.0.0.1", PORT)


def test_a_socket():
    socket.create_connection(HERE)


def test_a_socket_that_does_not_wait():
    with socket.socket() as made:
        made.setblocking(False)
        made.connect_ex(HERE)


def test_the_socket_below():
    import _socket

    made = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        made.connect(HERE)
    finally:
        made.close()


def test_a_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"x", HERE)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no sendmsg")
def test_a_message():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendmsg([b"x"], [], 0, HERE)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")
def test_a_unix_socket():
    with socket.socket(socket.AF_UNIX) as made:
        made.connect("/nowhere")


def test_an_event_loop():
    asyncio.run(asyncio.open_connection(*HERE))


def test_an_event_loop_that_looks_a_name_up():
    asyncio.run(asyncio.open_connection("evil.test", 443))


def test_a_client():
    httpx2.get(f"http://127.0.0.1:{PORT}/")


def test_an_async_client():
    async def get():
        async with httpx2.AsyncClient() as client:
            await client.get(f"http://127.0.0.1:{PORT}/")

    asyncio.run(get())


def test_the_client_of_the_standard_library():
    urllib.request.urlopen(f"http://127.0.0.1:{PORT}/")


def test_the_client_below():
    http.client.HTTPConnection(*HERE).request("GET", "/")


def test_a_name():
    socket.getaddrinfo("evil.test", 53)


def test_a_name_in_the_old_way():
    socket.gethostbyname("evil.test")


def test_an_address():
    socket.gethostbyaddr("192.0.2.1")


def test_the_name_of_an_address():
    socket.getnameinfo(("192.0.2.1", 53), 0)


def test_a_process():
    subprocess.run([sys.executable, "-c", ""], check=True)


def test_a_shell():
    os.system("true")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_fork():
    if os.fork() == 0:
        os._exit(0)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no posix_spawn")
def test_a_spawned_process():
    os.posix_spawn("/bin/true", ["true"], {})


def test_an_exec():
    os.execv("/nowhere", ["x"])


def test_native_code():
    ctypes.CDLL(None).system(b"true")


def test_native_sockets():
    ctypes.CDLL(None).connect


def test_a_thread():
    caught = []

    def run():
        try:
            socket.create_connection(HERE)
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def test_a_refusal_that_is_swallowed():
    try:
        socket.create_connection(HERE)
    except BaseException:
        pass


def test_a_refusal_that_is_swallowed_in_a_task():
    async def run():
        try:
            await asyncio.open_connection(*HERE)
        except BaseException:
            pass

    asyncio.run(run())


@pytest.fixture
def reaching():
    try:
        socket.create_connection(HERE)
    except BaseException:
        pass


def test_a_fixture(reaching):
    pass


@pytest.fixture
def reaching_late():
    yield
    try:
        socket.create_connection(HERE)
    except BaseException:
        pass


def test_the_end_of_a_fixture(reaching_late):
    pass


@pytest.mark.network_allowed("processes", reason="a test of the mark")
def test_a_connection_where_processes_are_allowed():
    socket.create_connection(HERE)


@pytest.mark.network_allowed("loopback", reason="a test of the mark")
def test_a_process_where_loopback_is_allowed():
    subprocess.run([sys.executable, "-c", ""], check=True)


@pytest.mark.network_allowed("loopback", reason="a test of the mark")
def test_the_world_where_loopback_is_allowed():
    socket.create_connection(("192.0.2.1", 80), timeout=1)
"""

HONEST = """
import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_wrapper_scaffold import AllowEntry, EnvSecret, ToolDef, ToolError, create_wrapper_server
from mcp_wrapper_scaffold.testing import CallRefused, LoopbackNetwork, WrapperClient

PORT = __PORT__
ALLOWLIST = [AllowEntry("https://api.example.com", "GET", "/v1/*")]


async def read(args, ctx):
    answer = await ctx.fetch(args.get("url", "https://api.example.com/v1/notes"))
    return {"status": answer.status, "text": answer.text}


READ = ToolDef(
    name="read", description="Reads.", handler=read, input_schema={"type": "object"}
)


def call(network, monkeypatch, **arguments):
    monkeypatch.setenv("TOKEN", "token-of-the-test")

    async def run():
        app = create_wrapper_server(
            tools=[READ], agent_token=EnvSecret("TOKEN"), allowlist=ALLOWLIST, network=network
        )
        async with WrapperClient(app, "token-of-the-test") as client:
            return await client.call_tool("read", arguments)

    return asyncio.run(run())


def test_the_gate_with_a_recorded_upstream(recorded_upstream, monkeypatch):
    recorded_upstream.answer("GET", "https://api.example.com/v1/notes", content="hello")
    result = call(recorded_upstream.network, monkeypatch)
    assert result["structuredContent"] == {"status": 200, "text": "hello"}


def test_the_gate_with_a_server_on_this_machine(monkeypatch):
    result = call(LoopbackNetwork(PORT), monkeypatch)
    assert result["structuredContent"]["status"] == 200


def test_a_denied_request(recorded_upstream, monkeypatch):
    with pytest.raises(CallRefused) as refused:
        call(recorded_upstream.network, monkeypatch, url="https://evil.test/")
    assert refused.value.code == -32603


def test_a_server_that_listens():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert listener.getsockname()[1]


def test_files_and_threads(tmp_path):
    async def run():
        return await asyncio.to_thread(Path(__file__).read_text)

    assert asyncio.run(run())


@pytest.mark.network_allowed("loopback", reason="a test of the mark")
def test_a_connection_that_is_allowed():
    socket.create_connection(("127.0.0.1", PORT)).close()
    socket.create_connection(("localhost", PORT)).close()


@pytest.mark.network_allowed("processes", reason="a test of the mark")
def test_a_process_that_is_allowed():
    subprocess.run([sys.executable, "-c", ""], check=True)
"""

UPSTREAM = """
def test_a_request_that_nobody_expected(recorded_upstream, monkeypatch):
    recorded_upstream.answer("GET", "https://api.example.com/v1/other", times=None)
    call(recorded_upstream.network, monkeypatch)


def test_an_answer_that_nobody_asked_for(recorded_upstream):
    recorded_upstream.answer("GET", "https://api.example.com/v1/other")
"""


def run(folder: Path, source: str, port: int, *words: str) -> tuple[dict[str, set[str]], str]:
    """Run tests in a process of their own; return their names by outcome, and what was printed."""
    (folder / "test_it.py").write_text(source.replace("__PORT__", str(port)), "utf-8")
    (folder / "pytest.ini").write_text(
        "[pytest]\nmcp_wrapper_network = closed\nfilterwarnings = error\n", "utf-8"
    )
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-rA",
            "-p", "no:cacheprovider", "--strict-markers", *words,
        ],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )  # fmt: skip
    found: dict[str, set[str]] = {}
    for outcome, name in re.findall(
        r"^(PASSED|FAILED|ERROR) test_it\.py::(\w+)", done.stdout, re.M
    ):
        found.setdefault(outcome, set()).add(name)
    return found, done.stdout + done.stderr


@pytest.fixture
def port() -> Iterator[int]:
    """Provide a port where somebody listens, and answers every request."""
    import http.server
    import threading

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write no log."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def names(source: str) -> set[str]:
    return set(re.findall(r"^def (test_\w+)", source, re.M))


def test_every_way_out_fails_its_test(tmp_path: Path, port: int) -> None:
    found, shown = run(tmp_path, ATTACKS, port)
    late = {"test_a_fixture", "test_the_end_of_a_fixture"}
    assert found["FAILED"] == names(ATTACKS) - late, shown
    assert found["ERROR"] == late
    assert found.get("PASSED", set()) <= {"test_the_end_of_a_fixture"}
    assert "tried past the gate" in shown


def test_the_gate_and_what_opens_nothing_pass(tmp_path: Path, port: int) -> None:
    found, shown = run(tmp_path, HONEST, port)
    assert found == {"PASSED": names(HONEST)}, shown


def test_a_recorded_upstream_fails_a_test_that_went_otherwise(tmp_path: Path, port: int) -> None:
    source = HONEST + UPSTREAM
    found, shown = run(tmp_path, source, port, "-k", "nobody")
    assert found["ERROR"] == names(UPSTREAM)
    assert "nobody expected GET https://api.example.com/v1/notes" in shown
    assert "nobody asked for GET https://api.example.com/v1/other" in shown


def test_an_open_network_is_closed_by_the_fixture_alone(tmp_path: Path, port: int) -> None:
    source = (
        "import socket\n"
        "def test_open():\n    socket.create_connection(('127.0.0.1', __PORT__)).close()\n"
        "def test_closed(closed_network):\n"
        "    socket.create_connection(('127.0.0.1', __PORT__)).close()\n"
    )
    found, shown = run(tmp_path, source, port, "-o", "mcp_wrapper_network=open")
    assert found == {"PASSED": {"test_open"}, "FAILED": {"test_closed"}}, shown


WRONG = {
    "no reason": ('@pytest.mark.network_allowed("loopback")\n', "needs a reason"),
    "another word": (
        '@pytest.mark.network_allowed("everything", reason="why not")\n',
        "takes loopback and processes",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mark_that_is_not_understood_is_refused(tmp_path: Path, name: str) -> None:
    mark, said = WRONG[name]
    _, shown = run(tmp_path, f"import pytest\n{mark}def test_it():\n    pass\n", 1)
    assert said in shown
    assert "1 passed" not in shown


def test_a_setting_that_is_not_understood_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n", "utf-8")
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest",
            "-o", "mcp_wrapper_network=shut",
        ],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "mcp_wrapper_network is open or closed" in done.stderr
