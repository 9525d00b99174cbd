"""A small MCP server over stdio, standard library only, with one misbehaviour by argument."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
INFO = {"name": "scripted", "version": "3.2.1"}

BEHAVIOUR = sys.argv[1] if len(sys.argv) > 1 else "good"
REST = sys.argv[2:]


def read() -> dict[str, Any]:
    """Return the next message, or leave when there will be none."""
    line = sys.stdin.buffer.readline()
    if not line:
        leave()
    message: dict[str, Any] = json.loads(line)
    return message


def leave() -> None:
    """End as a server does when its stdin has ended, unless told to stay."""
    while BEHAVIOUR in ("stays", "goes-when-asked"):
        signal.pause()
    sys.exit(0)


def write(raw: bytes) -> None:
    """Write bytes to stdout at once."""
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()


def send(message: Any) -> None:
    """Write one message."""
    write(json.dumps(message, ensure_ascii=False).encode() + b"\n")


def tool(name: str, **more: Any) -> dict[str, Any]:
    """Return a tool as it is listed."""
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def is_modern(message: dict[str, Any]) -> bool:
    """Return whether a request stands alone."""
    return f"{META}protocolVersion" in message.get("params", {}).get("_meta", {})


def greet(message: dict[str, Any]) -> dict[str, Any]:
    """Return the result of server/discover or initialize."""
    capabilities: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}}
    if BEHAVIOUR == "tools-only":
        capabilities = {"tools": {}}
    result: dict[str, Any] = {"capabilities": capabilities, "instructions": "Grüße 🌍\u2028"}
    if message["method"] == "server/discover":
        return result | {"supportedVersions": [MODERN]}
    asked = message["params"]["protocolVersion"]
    known = REST if BEHAVIOUR == "speaks" else HANDSHAKES
    version = asked if asked in known else known[-1]
    return result | {"protocolVersion": version, "serverInfo": INFO}


def list_tools(message: dict[str, Any]) -> dict[str, Any]:
    """Return a page of tools: three pages of two, the second under an empty cursor."""
    cursor = message.get("params", {}).get("cursor")
    if BEHAVIOUR == "cursor-loop":
        return {"tools": [], "nextCursor": "again"}
    if BEHAVIOUR == "endless":
        return {"tools": [], "nextCursor": str(int(cursor or "0") + 1)}
    if BEHAVIOUR == "null-cursor":
        return {"tools": [], "nextCursor": None}
    if BEHAVIOUR == "no-list":
        return {"tools": None}
    if BEHAVIOUR == "nameless":
        return {"tools": [{"inputSchema": {"type": "object"}}]}
    if BEHAVIOUR == "environment":
        return {"tools": [tool("environment", _meta=dict(os.environ) | {"cwd": str(Path.cwd())})]}
    pages = {None: (0, ""), "": (2, "last"), "last": (4, None)}
    start, following = pages[cursor]
    page: dict[str, Any] = {"tools": [tool(f"tool_{start}"), tool(f"tool_{start + 1}")]}
    return page if following is None else page | {"nextCursor": following}


def result_of(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request, None for a method that is not known."""
    method = message["method"]
    if method in ("server/discover", "initialize"):
        return greet(message)
    if method == "tools/list":
        return list_tools(message)
    if method == "resources/list":
        return {"resources": [{"uri": "demo://readme", "name": "readme", "size": 2**60 + 1}]}
    if method == "resources/templates/list" and BEHAVIOUR == "templates-vanish":
        first = "cursor" not in message.get("params", {})
        return {"resourceTemplates": [], "nextCursor": "2"} if first else None
    if method == "resources/templates/list" and BEHAVIOUR != "no-templates":
        return {"resourceTemplates": [{"uriTemplate": "demo://{id}", "name": "item"}]}
    if method == "prompts/list":
        return {"prompts": [{"name": "greet"}]}
    return None


def answer(message: dict[str, Any]) -> None:
    """Answer one request as a good server does."""
    if "id" in message:
        send({"jsonrpc": "2.0", "id": message["id"]} | outcome_of(message))


def outcome_of(message: dict[str, Any]) -> dict[str, Any]:
    """Return the result or the error of a request."""
    if BEHAVIOUR == "modern-only" and message["method"] == "initialize":
        data = {"supported": [MODERN], "requested": message["params"]["protocolVersion"]}
        error = {"code": -32022, "message": "Unsupported protocol version", "data": data}
        return {"error": error}
    refused = is_modern(message) and BEHAVIOUR in ("speaks", "legacy-only")
    result = None if refused else result_of(message)
    if result is None:
        return {"error": {"code": -32601, "message": "Method not found"}}
    if is_modern(message):
        hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        result = result | hints | {"_meta": {f"{META}serverInfo": INFO}}
        result.pop(REST[0] if BEHAVIOUR == "lacks" else "", None)
    return {"result": result}


def ask(identity: str, method: str) -> dict[str, Any]:
    """Ask the client something, and return what it says."""
    send({"jsonrpc": "2.0", "id": identity, "method": method})
    return read()


def misbehave(message: dict[str, Any]) -> bool:
    """Do the one wrong thing; return whether it took the place of the answer."""
    if message["method"] == "server/discover":
        if BEHAVIOUR == "dies-of-discover":
            die()
        return BEHAVIOUR == "ignores-discover"
    if message["method"] == "tools/list" and BEHAVIOUR in ANSWERS:
        answers = ANSWERS[BEHAVIOUR](message)
        for one in answers:
            send(one)
        return bool(answers)
    return False


def after_questions(message: dict[str, Any]) -> list[Any]:
    """Answer after two questions, and show what the client said to them."""
    replies = [ask("p", "ping"), ask("r", "roots/list")]
    result = {"tools": [tool("t", _meta=replies)]}
    return [{"jsonrpc": "2.0", "id": message["id"], "result": result}]


def after_chatter(message: dict[str, Any]) -> list[Any]:
    """Send notifications and blank lines, and leave the answer to the good server."""
    for number in range(50):
        params = {"progressToken": number, "progress": 1}
        send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    write(b"\r\n\n  \n")
    return []


def in_a_batch(message: dict[str, Any]) -> list[Any]:
    """Answer in an array, behind a notification."""
    notice = {"jsonrpc": "2.0", "method": "notifications/message"}
    result = {"tools": [tool("batched")]}
    return [[notice, {"jsonrpc": "2.0", "id": message["id"], "result": result}]]


def refusing(message: dict[str, Any]) -> list[Any]:
    """Refuse with the code and the words of the command line."""
    error = {"code": int(REST[0]), "message": " ".join(REST[1:])}
    return [{"jsonrpc": "2.0", "id": message["id"], "error": error}]


def as_told(message: dict[str, Any]) -> list[Any]:
    """Write the command line's own answer, with the id put into it."""
    write(REST[0].replace("ID", str(message["id"])).encode() + b"\n")
    return [{"jsonrpc": "2.0", "method": "notifications/written"}]


def failing_later(message: dict[str, Any]) -> list[Any]:
    """Refuse the last page only."""
    if message.get("params", {}).get("cursor") != "last":
        return []
    error = {"code": -32603, "message": "the database is gone"}
    return [{"jsonrpc": "2.0", "id": message["id"], "error": error}]


def babble(message: dict[str, Any]) -> list[Any]:
    """Notify without end, so that there is always something to read but the answer."""
    while True:
        send({"jsonrpc": "2.0", "method": "notifications/message"})


ANSWERS: dict[str, Callable[[dict[str, Any]], list[Any]]] = {
    "own-requests": after_questions,
    "chatty": after_chatter,
    "batch": in_a_batch,
    "babbles": babble,
    "refuses": refusing,
    "raw": as_told,
    "second-page-fails": failing_later,
}


def flood_stdout_for_ever() -> None:
    """Write a line without an end, until the reader has gone."""
    while True:
        write(b"x" * 1_000_000)


def flood_with_requests() -> None:
    """Ask without end and never read, so that the answers pile up in the pipe."""
    while True:
        send({"jsonrpc": "2.0", "id": "x" * 5000, "method": "ping"})


def leave_a_child(port: int) -> None:
    """Start a process that holds a connection to the test for as long as it lives."""
    code = (
        "import signal, socket, sys\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "held = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
        "held.sendall(b'alive')\n"
        "print(flush=True)\n"
        "while True: signal.pause()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", code, str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    if child.stdout is not None:
        child.stdout.readline()


def die() -> None:
    """End at once with words on stderr."""
    print("Traceback: no module named nothing", *REST, file=sys.stderr)
    sys.exit(3)


def flood_stderr_and_die() -> None:
    """End after more words on stderr than anybody wants to see."""
    sys.stderr.write(REST[0] * 2000 + "\nthe last line\n")
    sys.exit(1)


def close_stdout() -> None:
    """Live on, but never answer."""
    read()
    os.close(1)
    stay_silent()


def stay_silent() -> None:
    """Read everything and answer nothing."""
    while True:
        read()


def say_goodbye(number: int, frame: object) -> None:
    """Tell the test that it was asked politely, and go."""
    held[0].sendall(b"bye")
    os._exit(0)


def outlive_stdin(port: int, at_sigterm: Callable[[int, object], None] | signal.Handlers) -> None:
    """Survive the end of stdin, with a connection that shows it."""
    signal.signal(signal.SIGTERM, at_sigterm)
    held.append(socket.create_connection(("127.0.0.1", port)))
    held[0].sendall(b"alive")


held: list[socket.socket] = []
PREPARATIONS: dict[str, Callable[[], object]] = {
    "silent": stay_silent,
    "garbage": lambda: write(b"Starting \x1b[31mserver\x1b[0m on port 8000...\n"),
    "bytes": lambda: write(b"\xff\xfe\n"),
    "dies": die,
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "flood-stderr": lambda: print("noise\n" * 500_000, file=sys.stderr),
    "floods-and-dies": flood_stderr_and_die,
    "closes-stdout": close_stdout,
    "no-newline": flood_stdout_for_ever,
    "deaf": flood_with_requests,
    "stays": lambda: outlive_stdin(int(REST[0]), signal.SIG_IGN),
    "goes-when-asked": lambda: outlive_stdin(int(REST[0]), say_goodbye),
    "child": lambda: leave_a_child(int(REST[0])),
}


def main() -> None:
    """Serve until stdin ends."""
    if BEHAVIOUR in PREPARATIONS:
        PREPARATIONS[BEHAVIOUR]()
    while True:
        message = read()
        if not misbehave(message):
            answer(message)


if __name__ == "__main__":
    main()
