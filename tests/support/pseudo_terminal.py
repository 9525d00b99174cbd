"""Run a command as somebody at a terminal does."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_QUOTED = re.compile(r"`[^`]*`")
_SECONDS = 120
# What would hide how a terminal is read.
_UNSET = (
    "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "LC_ALL", "LANG", "LC_CTYPE", "PYTHONUTF8",
    "PYTHONIOENCODING", "PYTHONCOERCECLOCALE", "PYTHONUNBUFFERED", "TERM",
)  # fmt: skip


@dataclass(frozen=True)
class Screen:
    """What a terminal was sent.

    Attributes:
        status: of the command.
        raw: all bytes, with the line ends of a terminal.
    """

    status: int
    raw: bytes

    def text(self, encoding: str = "utf-8") -> str:
        """Return what can be read, without colours."""
        return _ESCAPES.sub("", self.raw.decode(encoding)).replace("\r\n", "\n")


def clean(**environment: str) -> dict[str, str]:
    """Return the environment without what is said of terminals, and with what is given."""
    kept = {name: value for name, value in os.environ.items() if name not in _UNSET}
    return {**kept, "TERM": "xterm-256color", **environment}


def look(
    command: Sequence[str],
    *,
    columns: int = 80,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    keys: tuple[bytes, bytes] | None = None,
) -> Screen:
    """Run a command on a terminal of its own.

    Args:
        command: what to run.
        columns: how wide the terminal is.
        cwd: the folder to run in.
        environment: all variables; default: those of :func:`clean`.
        keys: wait for the first on the screen, then press the second.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env=clean() if environment is None else environment,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(theirs)
    shown = bytearray()
    until = time.monotonic() + _SECONDS
    try:
        while chunk := _read(ours, until):
            shown += chunk
            if keys is not None and keys[0] in shown:
                os.write(ours, keys[1])
                keys = None
        return Screen(process.wait(_SECONDS), bytes(shown))
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that keys become signals


def _read(terminal: int, until: float) -> bytes:
    ready, _, _ = select.select([terminal], [], [], max(until - time.monotonic(), 0))
    if not ready:
        raise TimeoutError(f"the command shows nothing new, and did not end in {_SECONDS} seconds")
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # what Linux says when the last of the others has closed it
        return b""


def overlong(text: str, columns: int) -> list[str]:
    """Return the lines that a terminal would break although they could have been folded.

    Lines with four blanks in front are code or data, and a word that is too long for the terminal
    stands alone; what is between backticks is one word.
    """
    return [
        line
        for line in text.split("\n")
        if len(line) > columns
        and not line.startswith("    ")
        and " " in _QUOTED.sub("`", line.strip())
    ]
