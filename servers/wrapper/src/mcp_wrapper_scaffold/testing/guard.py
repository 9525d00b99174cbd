"""Refuse, while a test runs, every connection, name look-up and process but the gate's own.

The interpreter tells audit hooks (PEP 578) of what is about to happen, in whatever module. Native
code that calls the system by itself is not seen; what loads such code by name is.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

Permission: TypeAlias = Literal["loopback", "processes"]
PERMISSIONS: Final[tuple[Permission, ...]] = ("loopback", "processes")

_CONNECTING = frozenset({"socket.connect", "socket.sendmsg", "socket.sendto"})
_RESOLVING = frozenset(
    {"socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname", "socket.getnameinfo"}
)
_PROCESSES = frozenset(
    {
        "_winapi.CreateProcess", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn",
        "os.startfile", "os.startfile/2", "os.system", "pty.spawn", "subprocess.Popen",
    }
)  # fmt: skip
_NATIVE = frozenset({"ctypes.dlsym"})
_WATCHED = _CONNECTING | _RESOLVING | _PROCESSES | _NATIVE
# Functions of the C library that do what the events above tell of.
_FUNCTIONS = frozenset(
    {
        "connect", "execl", "execle", "execlp", "execv", "execve", "execvp", "fork", "getaddrinfo",
        "gethostbyname", "popen", "posix_spawn", "posix_spawnp", "sendmsg", "sendto", "socket",
        "syscall", "system", "vfork",
    }
)  # fmt: skip

# True while the gate connects: tasks that it starts for it inherit the value.
_of_gate: ContextVar[bool] = ContextVar("of_gate", default=False)
_active: list[Guard] = []
_installing = threading.Lock()


class OutsideGate(PermissionError):
    """Refuse what was tried past the gate, as a sandbox of the system would.

    Code that swallows it is found out all the same: the attempt is remembered.
    """


@dataclass(frozen=True)
class Attempt:
    """Something that was tried, and refused.

    Attributes:
        event: the audit event.
        what: an address, a name or a command.
    """

    event: str
    what: str

    def __str__(self) -> str:
        return f"{self.event} {self.what}"


class Guard:
    """Refuse and remember.

    Args:
        allowed: what is let through all the same: connections to this machine, or processes.
    """

    def __init__(self, *allowed: Permission) -> None:
        self.allowed: Final = frozenset(allowed)
        self.attempts: list[Attempt] = []
        """What was tried, in order."""

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watch over the whole process while the context is open."""
        _install()
        _active.append(self)
        try:
            yield
        finally:
            _active.remove(self)

    def take(self) -> list[Attempt]:
        """Return what was tried until now, and forget it."""
        tried, self.attempts = self.attempts, []
        return tried

    def judge(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Refuse an event, if it is one that leads out.

        Raises:
            OutsideGate: it is.
        """
        what = self._fault(event, arguments)
        if what is not None:
            attempt = Attempt(event, what)
            self.attempts.append(attempt)
            raise OutsideGate(errno.EPERM, f"tried past the gate: {attempt}")

    def _fault(self, event: str, arguments: tuple[Any, ...]) -> str | None:
        """Return what an event tries to reach; None for one that is let through."""
        if event in _PROCESSES:
            return None if "processes" in self.allowed else _shown(arguments[:2])
        if event in _NATIVE:
            name = arguments[1]
            return str(name) if name in _FUNCTIONS else None
        local = "loopback" in self.allowed or _of_gate.get()
        if event in _CONNECTING:
            address = arguments[1]
            if (local and _is_local(address)) or _connects_to_itself():
                return None
            return _shown(address)
        host = arguments[0][0] if event == "socket.getnameinfo" else arguments[0]
        if not host or (local and _is_local_name(host)):
            return None  # without a name, the addresses to listen on are asked for
        return _shown(host)


@contextmanager
def passage() -> Generator[None]:
    """Count what is done in this context as the gate's; it may reach this machine."""
    token = _of_gate.set(True)
    try:
        yield
    finally:
        _of_gate.reset(token)


def _install() -> None:
    """Add the hook, once in a process: it cannot be taken away again."""
    with _installing:
        if not _installed:
            sys.addaudithook(_hook)
            _installed.append(True)


_installed: list[bool] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _WATCHED and _active:
        _active[-1].judge(event, arguments)


def _is_local(address: object) -> bool:
    if isinstance(address, str | bytes):
        return True  # the path of a Unix socket
    if not isinstance(address, tuple):
        return False
    return _is_local_name(next(iter(cast("tuple[object, ...]", address)), None))


def _is_local_name(host: object) -> bool:
    if isinstance(host, bytes):
        host = os.fsdecode(host)
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(str(host))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or (mapped is not None and mapped.is_loopback)


def _connects_to_itself() -> bool:
    """Say whether a pair of sockets is being made, which Windows does over loopback."""
    if sys.platform == "win32":
        frame = sys._getframe()
        while frame is not None:
            code = frame.f_code
            if code.co_name == "socketpair" and code.co_filename == socket.__file__:
                return True
            frame = frame.f_back
    return False


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
