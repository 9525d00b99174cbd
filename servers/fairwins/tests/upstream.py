"""An API on loopback that follows a script to the byte, and tells its connections apart."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import NamedTuple, Self

TIMEOUT = 20  # seconds; a hanging peer fails its test, not the run


class Asked(NamedTuple):
    """A request: the numbers of its connection and of itself on it, from 0, and what it said."""

    connection: int
    number: int
    line: str
    headers: dict[str, str]
    body: bytes


class Last(bytes):
    """An answer after which this end hangs up."""


class Upstream:
    """Answer each request with the bytes that ``script`` gives.

    ``ended`` counts the connections that are over, whoever ended them, and ``surplus`` what came
    on a connection before its last request was answered.
    """

    def __init__(self, script: Callable[[Asked], bytes]) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.accepted = 0
        self.ended = 0
        self.surplus = b""
        self._changed = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._sockets: list[socket.socket] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *details: object) -> None:
        with self._changed:
            for sock in self._sockets:
                hang_up(sock)
            hang_up(self._listener)
        assert self.wait_for(lambda: self.ended == self.accepted)
        self._listener.close()

    def wait_for(self, condition: Callable[[], bool]) -> bool:
        """Wait until something is so; tell whether it came to that."""
        with self._changed:
            return self._changed.wait_for(condition, TIMEOUT)

    def drop(self, number: int) -> None:
        """Close a connection from this end."""
        hang_up(self._sockets[number])
        assert self.wait_for(lambda: self.ended > number)

    def say(self, number: int, data: bytes) -> None:
        """Send something that nobody asked for."""
        self._sockets[number].sendall(data)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                number = self.accepted
                self._sockets.append(sock)
                self.accepted += 1
            threading.Thread(target=self._serve, args=(number, sock), daemon=True).start()

    def _serve(self, connection: int, sock: socket.socket) -> None:
        try:
            with sock:
                self._converse(connection, sock)
        except OSError:
            return
        finally:
            with self._changed:
                self.ended += 1
                self._changed.notify_all()

    def _converse(self, connection: int, sock: socket.socket) -> None:
        number, data = 0, b""
        while (asked := _receive(connection, number, sock)) is not None:
            with self._changed:
                self.asked.append(asked)
                self._changed.notify_all()
            answer = self.script(asked)
            sock.setblocking(False)
            try:
                data = sock.recv(65536)
            except BlockingIOError:
                data = b""
            sock.settimeout(TIMEOUT)
            self.surplus += data
            sock.sendall(answer)
            if isinstance(answer, Last):
                return
            number += 1


def reply(body: bytes = b"{}", *fields: str, status: str = "200 OK", length: bool = True) -> bytes:
    """Write an answer; ``length`` says whether it has a Content-Length."""
    head = [f"HTTP/1.1 {status}", *fields, *([f"Content-Length: {len(body)}"] if length else [])]
    return "\r\n".join([*head, "", ""]).encode() + body


def hang_up(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is over already


def _receive(connection: int, number: int, sock: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        received = sock.recv(65536)
        if not received:
            return None
        data += received
    head, _, body = data.partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    headers = dict(field.split(": ", 1) for field in fields)
    while len(body) < int(headers.get("Content-Length", 0)):
        body += sock.recv(65536)
    return Asked(connection, number, line, headers, body)
