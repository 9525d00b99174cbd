"""Run the command of the receipts server with a list of what it asks of the system.

The arguments are those of the command. The list, one JSON value a line, goes to the file that
AUDITED names: opened before the audit begins, written after the command.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGING = (
    "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir",
    "os.symlink", "os.truncate", "os.utime", "shutil.", "tempfile.", "sqlite3.connect",
)  # fmt: skip
CALLING = (
    "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostby", "socket.sendto",
    "socket.sendmsg", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system",
    "subprocess.", "urllib.", "http.", "ftplib.", "smtplib.",
)  # fmt: skip

found: list[tuple[str, str]] = []
begun: list[bool] = []


def note(event: str, arguments: tuple[Any, ...]) -> None:
    """Note what changes files or leaves the process."""
    if not begun:
        return
    if event == "open":
        path, mode, flags = arguments
        if (isinstance(mode, str) and set(mode) & set("wax+")) or flags & WRITING:
            found.append((event, str(path)))
    elif event.startswith((*CHANGING, *CALLING)):
        found.append((event, str(arguments[0]) if arguments else ""))


def run() -> int:
    """Run the command, and write down what was noted."""
    from haia_trace_mcp.cli import main

    report = os.open(os.environ["AUDITED"], os.O_WRONLY | os.O_CREAT)
    sys.addaudithook(note)
    begun.append(True)
    status = main()
    begun.clear()
    os.write(report, "".join(json.dumps(each) + "\n" for each in found).encode())
    return status


if __name__ == "__main__":
    sys.exit(run())
