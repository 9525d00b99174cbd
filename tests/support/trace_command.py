"""The command of haia-trace in a process of its own, serving over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

SERVER = (sys.executable, "-W", "error", "-m", "haia_trace_mcp")


@contextmanager
def serving(
    *words: str, command: Sequence[str] = SERVER, says: bytes | None = None
) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the command while the block runs; give the URL that it listens at, and the process.

    ``says`` is what stderr has after the first line; None where it is of no interest.
    """
    line = [*command, *words, "--http", "127.0.0.1:0"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stderr is not None
        try:
            first = process.stderr.readline().decode()
            assert "listening on http://127.0.0.1:" in first, first + process.stderr.read().decode()
            yield first.split()[-1], process
        finally:
            process.terminate()
            _, rest = process.communicate(timeout=30)
    assert process.returncode == 0, rest
    assert says is None or rest == says, rest
