"""How a command speaks: its streams, what fits a terminal, and how it ends.

The same text is in every distribution with a command, because none of them may need another. A
test holds the copies together; edit the one of the toolchain, and copy it over the others.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import re
import shutil
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

DONE, FAILED, INTERRUPTED, UNREAD = 0, 2, 130, 141
_PATIENCE_SECONDS = 1.0
_TICK_SECONDS = 0.25
_WORD = re.compile(r"(\s*)(\S+)")
_SIGN = re.compile(r"\A([-+~!]) ")  # stands before what was done to a file, and stays there
_QUOTED = re.compile(r"`[^`]*`")
# What a terminal obeys instead of showing it: controls, and marks of direction (UAX #9).
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_PLAIN = str.maketrans(
    {"…": "...", "—": "--", "–": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "×": "x", "→": "->"}
)
COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def visible(text: str) -> str:
    """Return text with what a terminal would obey as escapes."""
    return _OBEYED.sub(lambda match: ascii(match[0])[1:-1], text)


def folded(text: str, width: int, hang: str = "") -> list[str]:
    """Return one line as several of at most a width, where it has blanks to break at.

    What stands between backticks is to be copied, and stays in one piece.

    Args:
        text: the line; it keeps its own indent.
        width: in characters.
        hang: what the lines after the first begin with.
    """
    if len(text) <= width:
        return [text]
    lead = text[: len(text) - len(text.lstrip())]
    whole = _QUOTED.sub(lambda match: match[0].replace(" ", "\0"), text[len(lead) :])
    whole = _SIGN.sub("\\1\0", whole)
    lines = [lead]
    is_empty = True
    for gap, word in _WORD.findall(whole):
        if not is_empty and len(lines[-1]) + len(gap) + len(word) > width:
            lines.append(f"{hang}{word}")
        else:
            lines[-1] += word if is_empty else f"{gap}{word}"
        is_empty = False
    return [each.replace("\0", " ") for each in lines]


def fitted(text: str, stream: TextIO) -> str:
    """Return text as a stream shows it: on a terminal, long lines of prose are folded.

    Lines with four blanks in front are code, data or differences, and stay whole.
    """
    if not is_terminal(stream):
        return text
    width = columns() - 1
    lines = [
        [line] if line.startswith("    ") else folded(line, width, _hang(line))
        for line in text.split("\n")
    ]
    return "\n".join(each for line in lines for each in line)


def _hang(line: str) -> str:
    return " " * (len(line) - len(line.lstrip()) + 2)


def columns() -> int:
    """Return the width of the terminal, in characters; COLUMNS has the last word."""
    return shutil.get_terminal_size().columns


def is_terminal(stream: TextIO | None) -> bool:
    """Say whether somebody looks at a stream; one that is closed has nobody."""
    return stream is not None and not stream.closed and stream.isatty()


def has_colour(stream: TextIO | None) -> bool:
    """Say whether a stream may be coloured: no-color.org, force-color.org, TERM."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if sys.platform == "win32" and not os.environ.get("WT_SESSION"):
        return False  # the old console shows the codes themselves
    return is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb"


def painted(text: str, colour: str, stream: TextIO | None) -> str:
    """Return text in one of ``COLOURS``, where the stream may be coloured."""
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if has_colour(stream) else text


def open_streams() -> None:
    """Make standard output and error fit for any text.

    A terminal gets its own encoding, and what that lacks in other words or as an escape. Files and
    pipes are read by programs, and get UTF-8 on every machine.
    """
    if not isinstance(sys.stdout, io.TextIOBase):  # it is closed: None, whatever its type says
        sys.stdout = _Closed()
    if not isinstance(sys.stderr, io.TextIOBase):  # likewise, and print would take stdout
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for good
    codecs.register_error("readable", _readable)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="readable")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class _Closed(io.TextIOBase):
    """Stands for a standard output that is closed: servers can do without, and reports cannot."""

    _is_missed = False

    def write(self, text: str, /) -> int:
        self._is_missed = True  # even where nothing was found: nobody can have seen that
        return len(text)

    def flush(self) -> None:
        if self._is_missed:
            self._is_missed = False
            raise OSError(errno.EBADF, "it is closed")


def _readable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end].translate(_PLAIN)
    return lost.encode("ascii", "backslashreplace").decode("ascii"), error.end


def carry_out(program: str, work: Callable[[], int]) -> int:
    """Call the work and return the status to end with, whatever becomes of the streams.

    Status 2 when what was printed does not arrive, 130 when interrupted, 141 when the reader of
    the output went away: a command that was cut off has not said that it found nothing.
    """
    open_streams()
    failure: OSError | None = None
    try:
        status = work()
    except SystemExit as end:  # the parser has printed the help, or what is wrong
        status = end.code if isinstance(end.code, int) else FAILED
    except KeyboardInterrupt:
        status = INTERRUPTED  # whoever pressed the keys knows
    except BrokenPipeError:
        status = UNREAD
    except OSError as error:
        status, failure = FAILED, error
    status = _delivered(program, status, failure)
    _give_up_what_cannot_be_told()
    return status


def _delivered(program: str, status: int, failure: OSError | None) -> int:
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(sys.stdout, _Closed):
            # The interpreter must not complain when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return UNREAD
        failure = error
    if failure is None:
        return status
    place = visible(str(failure.filename)) if failure.filename else "standard output"
    tell(f"{program}: {place}: {failure.strerror or failure}")
    return FAILED


def _give_up_what_cannot_be_told() -> None:
    try:
        sys.stderr.flush()
    except OSError:  # the interpreter would try once more at exit, and end with a status of its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


class Waiting:
    """Say on a terminal what long work does, once it takes more than a second; a context.

    Nothing is printed for pipes and files, and on terminals that cannot take a line back.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()
        self._over = threading.Event()
        self._teller = threading.Thread(target=self._tell, name="waiting", daemon=True)

    def say(self, what: str) -> None:
        """Say something else from now on."""
        self._what = what

    def __enter__(self) -> Waiting:
        """Begin to watch the time."""
        if is_terminal(sys.stderr) and os.environ.get("TERM", "dumb") != "dumb":
            self._teller.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Take the line back."""
        self._over.set()
        if self._teller.is_alive():
            self._teller.join()

    def _tell(self) -> None:
        shown = ""
        while not self._over.wait(_TICK_SECONDS if shown else _PATIENCE_SECONDS):
            seconds = int(time.monotonic() - self._began)
            line = visible(f"{self._what}, {seconds} s")[: columns() - 1]
            if line != shown:
                self._write(f"\r\x1b[K{line}")
            shown = line
        if shown:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # it was closed meanwhile
            sys.stderr.write(text)
            sys.stderr.flush()


def read_input(program: str, limit: int = -1) -> bytes:
    """Return what standard input holds; whoever sits before it is told that it is read.

    Raises:
        OSError: it is closed.
    """
    stream: object = sys.stdin
    if stream is None:
        raise OSError(errno.EBADF, "it is closed", "standard input")
    if is_terminal(sys.stdin):
        tell(f"{program}: reading standard input; Ctrl-D ends it")
    return sys.stdin.buffer.read(limit)


def tell(text: str) -> None:
    """Print lines for people to standard error."""
    try:
        print(fitted(text, sys.stderr), file=sys.stderr, flush=True)
    except OSError:
        return  # nobody can be told that nobody can be told; the status still says how it went
