"""What becomes of the streams: readers that go, disks that are full, streams that are closed."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from locales import needs_ascii_path
from programs import programs
from pseudo_terminal import clean

pytestmark = pytest.mark.skipif(os.name == "nt", reason="redirects as a POSIX shell does")
BIN = Path(sys.executable).parent
# One command each that prints a good deal, and needs nothing.
TALKERS = {
    "counterfoil": "rules --markdown",
    "fairwins-gateway": "serve --help",
    "fairwins-mcp": "--check-config --json",
    "ga4-mcp": "allowlist",
    "haia-trace-mcp": "policy --json",
    "mcp-wrapper": "rules --json",
}
# It runs the same program as another wrapper, which takes a second to start.
LIKE_ANOTHER = {"lemonsqueezy-mcp"}
PROGRAMS = pytest.mark.parametrize("program", TALKERS)
# Commands that read standard input, or serve it.
READERS = (
    "counterfoil explain -",
    "counterfoil import -",
    "fairwins-gateway wallet pay --payer 0x00000000000000000000000000000000000a11ce",
    "fairwins-mcp --tools get_fees",
    "fairwins-mcp client-config --save-token --token-file /nowhere/token",
    "ga4-mcp stdio",
    "haia-trace-mcp",
)


def shell(line: str, cwd: Path, **environment: str) -> tuple[int, bytes, bytes]:
    """Run a line of a shell, and return its status and what it printed."""
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=cwd,
        env=clean(PATH=f"{BIN}:{os.environ['PATH']}", **environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert b"Exception ignored" not in done.stderr, done.stderr.decode()
    return done.returncode, done.stdout, done.stderr


def test_every_program_has_something_to_print() -> None:
    assert sorted({*TALKERS, *LIKE_ANOTHER}) == programs()


@PROGRAMS
def test_a_reader_that_goes_away_ends_the_program_quietly(program: str, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        done = subprocess.run(
            [BIN / program, *shlex.split(TALKERS[program])],
            cwd=tmp_path,
            env=clean(),
            stdin=subprocess.DEVNULL,
            stdout=nobody,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, b"")


@PROGRAMS
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_an_error(program: str, tmp_path: Path) -> None:
    status, _, told = shell(f"{program} {TALKERS[program]} > /dev/full", tmp_path)
    assert status == 2
    assert told == f"{program}: standard output: No space left on device\n".encode()


@PROGRAMS
def test_a_closed_output_is_an_error(program: str, tmp_path: Path) -> None:
    status, _, told = shell(f"{program} {TALKERS[program]} >&-", tmp_path)
    assert (status, told) == (2, f"{program}: standard output: it is closed\n".encode())


@pytest.mark.parametrize("line", READERS)
def test_a_closed_input_is_no_traceback(line: str, tmp_path: Path) -> None:
    status, out, told = shell(f"{line} <&-", tmp_path)
    assert out == b""
    assert status in (0, 1, 2)
    assert told.strip()


@needs_ascii_path
@pytest.mark.parametrize("line", ["counterfoil rules", "mcp-wrapper rules"])
def test_a_pipe_gets_the_same_bytes_whatever_the_terminal_and_the_locale_are(
    line: str, tmp_path: Path
) -> None:
    plain = shell(line, tmp_path)
    variables = {
        "COLUMNS": "20",
        "LC_ALL": "POSIX",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "iso8859-1",
    }
    assert shell(line, tmp_path, **variables) == plain
    assert plain[0] == 0


def test_an_interrupted_command_ends_as_a_shell_expects(begun: Path) -> None:
    # A server that says it is there, and then nothing any more.
    silent = "import sys; print('here', file=sys.stderr, flush=True); sys.stdin.read()"
    command = shlex.join([sys.executable, "-c", silent])
    words = ["parity", "--server", "notes", "--command", command]
    with subprocess.Popen(
        [sys.executable, "-m", "counterfoil", *words],
        cwd=begun,
        env=clean(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        wait_for_child(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert b"Traceback" not in process.stderr.read()


def wait_for_child(pid: int) -> None:
    """Return when a process has started another one, which means that it works by now."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    if not children.exists():
        pytest.skip("needs to see processes")
    for _ in range(2000):
        if children.read_text():
            return
        os.sched_yield()
        subprocess.run(["true"], check=True)
    raise AssertionError("no server was started")
