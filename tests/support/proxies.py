"""A real nginx and a real HAProxy on loopback, with the configuration files of the guide."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import socket
import ssl
import subprocess
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import pytest
from self_signed import write_certificate

GUIDE = Path(__file__).parents[2] / "docs/guides/deploy"
# Where the guide's files say that the processes listen, by server and in order.
PORTS = {"fairwins": (8791, 8792), "lemonsqueezy": (8321, 8322), "receipts": (3001, 3002)}
HOSTS = {server: f"{server}.example.com" for server in PORTS}
# Name the program to use; where one is set, a missing program is a failure and no skip.
VARIABLES = {"nginx": "COUNTERFOIL_NGINX", "haproxy": "COUNTERFOIL_HAPROXY"}
_SECONDS = 20


class Proxy(Protocol):
    """A proxy that runs.

    Attributes:
        port: where it listens on loopback.
        trust: whoever trusts its certificate.
    """

    port: int
    trust: ssl.SSLContext

    def passed(self, server: str) -> Counter[int]:
        """Count what each process of a server was asked, by the ports in the guide."""
        ...

    def find_line(self, text: str) -> str:
        """Return the next line of its access log that has a text in it."""
        ...

    def forget_lines(self) -> None:
        """Begin anew with the access log."""
        ...

    def drain(self, server: str, number: int) -> None:
        """Send a process nothing more, and wait until it has answered what it was sent."""
        ...

    def resume(self, server: str, number: int) -> None:
        """Send a process its share again."""
        ...


@dataclass
class Site:
    """What the files of the guide are filled with.

    Attributes:
        ports: real ports by the guide's.
        changes: further texts of a proxy's file, by those that they take the place of.
    """

    ports: Mapping[int, int]
    changes: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def fill(self, path: Path, places: Mapping[str, str], changes: Mapping[str, str]) -> str:
        """Return a file of the guide with other ports and paths; each has to be in there."""
        text = path.read_text("utf-8")
        ports = {f"127.0.0.1:{old}": f"127.0.0.1:{new}" for old, new in self.ports.items()}
        for old, new in {**changes, **ports, **places}.items():
            assert old in text, f"{path.name} has no {old!r}"
            text = text.replace(old, new)
        return text


class Nginx:
    """nginx. Its access log says which process was asked."""

    def __init__(self, folder: Path, site: Site, port: int, trust: ssl.SSLContext) -> None:
        self.port, self.trust, self._folder = port, trust, folder
        self._forgotten = 0
        self._back = {real: known for known, real in site.ports.items()}
        places = {
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            "/etc/ssl/mcp/": f"{folder}/",
            "/var/log/nginx/mcp.log": f"{folder}/mcp.log",
        }
        (folder / "snippets").mkdir()
        shutil.copy(GUIDE / "nginx/mcp-cors.conf", folder / "snippets")
        text = site.fill(GUIDE / "nginx/mcp.conf", places, site.changes.get("nginx", {}))
        (folder / "mcp.conf").write_text(text, "utf-8")
        (folder / "nginx.conf").write_text(_main_file(folder), "utf-8")

    @property
    def words(self) -> list[str]:
        """Return the command that starts it in the background."""
        folder = self._folder
        return [find_proxy("nginx"), "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]

    def passed(self, server: str) -> Counter[int]:
        """Read the access log; a request that was tried twice counts for both processes."""
        asked = [line for line in self._lines() if f"] {HOSTS[server]} " in line]
        real = [int(port) for line in asked for port in re.findall(r" 127\.0\.0\.1:(\d+)", line)]
        return Counter(self._back[port] for port in real)

    def find_line(self, text: str) -> str:
        """Return the next line of its access log that has a text in it."""
        return next(line for line in self._lines()[self._forgotten :] if text in line)

    def forget_lines(self) -> None:
        """Begin anew with the access log."""
        self._forgotten = len(self._lines())

    def _lines(self) -> list[str]:
        """Return its access log.

        A line is written after its answer; so the one worker is asked something more, which it
        comes to when it has done with everything before.
        """
        with (
            socket.create_connection(("127.0.0.1", self.port), _SECONDS) as plain,
            self.trust.wrap_socket(plain, server_hostname=HOSTS["fairwins"]) as connection,
        ):
            connection.sendall(b"GET / HTTP/1.0\r\nHost: nobody\r\n\r\n")
            assert connection.recv(1)
        lines = (self._folder / "mcp.log").read_text("utf-8").splitlines()
        return [line for line in lines if "] nobody " not in line]

    def drain(self, server: str, number: int) -> None:
        """Send a process nothing more, and wait until it has answered what it was sent."""
        place = f"server 127.0.0.1:{self._real(server, number)}"
        self._reload(lambda text: text.replace(place, f"{place} down"))

    def resume(self, server: str, number: int) -> None:
        """Send a process its share again."""
        place = f"server 127.0.0.1:{self._real(server, number)}"
        self._reload(lambda text: text.replace(f"{place} down", place))

    def _real(self, server: str, number: int) -> int:
        known = PORTS[server][number]
        return next(real for real, guide in self._back.items() if guide == known)

    def _reload(self, change: Callable[[str], str]) -> None:
        """Change the file and let it be read; the workers of before end with their requests."""
        file = self._folder / "mcp.conf"
        file.write_text(change(file.read_text("utf-8")), "utf-8")
        master = int((self._folder / "pid").read_text("utf-8"))
        children = Path(f"/proc/{master}/task/{master}/children").read_text("utf-8")
        with contextlib.ExitStack() as stack:
            workers = [os.pidfd_open(int(pid)) for pid in children.split()]
            for worker in workers:
                stack.callback(os.close, worker)
            os.kill(master, signal.SIGHUP)
            for worker in workers:
                assert select.select([worker], [], [], _SECONDS)[0], "a worker does not end"


class Haproxy:
    """HAProxy. It counts for itself, and says so at its socket."""

    def __init__(self, folder: Path, site: Site, port: int, trust: ssl.SSLContext) -> None:
        self.port, self.trust, self._folder = port, trust, folder
        self._log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._log.bind(str(folder / "log"))
        self._log.settimeout(_SECONDS)
        places = {
            "    user haproxy\n    group haproxy\n": "",
            "log /dev/log local0 info": f"log {folder}/log local0 info",
            "/run/haproxy/admin.sock": f"{folder}/admin.sock",
            "bind :443 ssl crt /etc/ssl/mcp/": f"bind 127.0.0.1:{port} ssl crt {folder}/",
        }
        text = site.fill(GUIDE / "haproxy.cfg", places, site.changes.get("haproxy", {}))
        (folder / "haproxy.cfg").write_text(text, "utf-8")

    @property
    def words(self) -> list[str]:
        """Return the command that starts it in the background."""
        folder = self._folder
        return [find_proxy("haproxy"), "-D", "-p", f"{folder}/pid", "-f", f"{folder}/haproxy.cfg"]

    def passed(self, server: str) -> Counter[int]:
        """Ask for the statistics."""
        return Counter(
            {
                port: sum(int(row["stot"]) for row in self._rows(server, number))
                for number, port in enumerate(PORTS[server])
            }
        )

    def find_line(self, text: str) -> str:
        """Return the next line of its access log that has a text in it."""
        for _ in range(1000):
            line = self._log.recv(65536).decode()
            if text in line:
                return line
        raise AssertionError(text)

    def drain(self, server: str, number: int) -> None:
        """Send a process nothing more, and wait until it has answered what it was sent."""
        name = f"{server}/{'ab'[number]}"
        assert self.ask(f"set server {name} state drain").strip() == ""
        for _ in range(5000):
            if not any(row["scur"] != "0" for row in self._rows(server, number)):
                return
        raise AssertionError(f"{name} is still asked")

    def resume(self, server: str, number: int) -> None:
        """Send a process its share again."""
        assert self.ask(f"set server {server}/{'ab'[number]} state ready").strip() == ""

    def _rows(self, server: str, number: int) -> list[dict[str, str]]:
        """Return the statistics of a process."""
        names, *rows = [row.split(",") for row in self.ask("show stat").splitlines() if row]
        found = [dict(zip(names, row, strict=False)) for row in rows]
        backends = (server, f"{server}-once")
        return [
            row for row in found if row["# pxname"] in backends and row["svname"] == "ab"[number]
        ]

    def forget_lines(self) -> None:
        """Begin anew with the access log, of which the system keeps no more than a few lines."""
        self._log.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while self._log.recv(65536):
                pass
        self._log.settimeout(_SECONDS)

    def ask(self, command: str) -> str:
        """Return what a command prints at its socket."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(_SECONDS)
            control.connect(str(self._folder / "admin.sock"))
            control.sendall(command.encode() + b"\n")
            return b"".join(iter(lambda: control.recv(65536), b"")).decode()

    def close(self) -> None:
        """Take no more lines."""
        self._log.close()


def find_proxy(name: str) -> str:
    """Return the path of a proxy; skip the test without one, unless one is asked for."""
    named = os.environ.get(VARIABLES[name])
    # /usr/sbin is not on the path of every user.
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"])
    found = shutil.which(named or name, path=path)
    if found is None and named:
        pytest.fail(f"{VARIABLES[name]} names {named}, which is not there")
    if found is None:
        pytest.skip(f"there is no {name} on the path, and {VARIABLES[name]} names none")
    return found


@contextmanager
def running(name: str, site: Site) -> Generator[Nginx | Haproxy]:
    """Run a proxy while the block lasts."""
    find_proxy(name)
    # In a folder of its own, since the path of a socket has at most 107 characters.
    with TemporaryDirectory(prefix="proxy-") as made, contextlib.ExitStack() as stack:
        folder = Path(made)
        trust = write_certificate(folder, list(HOSTS.values()))
        [port] = free_ports(1)
        proxy: Nginx | Haproxy
        if name == "nginx":
            proxy = Nginx(folder, site, port, trust)
        else:
            proxy = Haproxy(folder, site, port, trust)
            stack.callback(proxy.close)
        # Both go into the background once they listen.
        done = subprocess.run(proxy.words, capture_output=True, text=True, timeout=_SECONDS)
        assert done.returncode == 0, done.stderr
        assert "warn" not in done.stderr.lower(), done.stderr
        try:
            yield proxy
        finally:
            _end(folder / "pid")


def free_ports(count: int) -> list[int]:
    """Return ports of loopback that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _main_file(folder: Path) -> str:
    """Return what a system's own nginx.conf does: it includes the file of the guide."""
    temporary = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    lines = [
        *(["user root;"] if os.geteuid() == 0 else []),
        f"pid {folder}/pid;",
        f"error_log {folder}/error.log info;",
        "worker_processes 1;",
        "events { worker_connections 512; }",
        "http {",
        *(f"    {each}_temp_path {folder}/{each};" for each in temporary),
        "    access_log off;",
        f"    include {folder}/mcp.conf;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _end(file: Path) -> None:
    """End the process of a pid file, and wait for it, though it is nobody's child here."""
    handle = os.pidfd_open(int(file.read_text("utf-8").split()[0]))
    try:
        signal.pidfd_send_signal(handle, signal.SIGTERM)
        assert select.select([handle], [], [], _SECONDS)[0], "the proxy does not end"
    finally:
        os.close(handle)
