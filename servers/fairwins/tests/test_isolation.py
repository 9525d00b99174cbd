"""The one rule that everything else rests on: the standard library and nothing more."""

from __future__ import annotations

import ast
import json
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from support import SOURCE, request, start

PACKAGE = SOURCE / "fairwins_mcp"
# Each of them costs more than the server's own start.
SLOW = {
    "argparse",
    "asyncio",
    "dataclasses",
    "http",
    "inspect",
    "logging",
    "pathlib",
    "ssl",
    "threading",
    "typing",
    "urllib",
}
LISTENER = "http/listener.py"
OUTWARD = {
    "connect",
    "connect_ex",
    "create_connection",
    "create_datagram_endpoint",
    "create_unix_connection",
    "open_connection",
    "open_unix_connection",
    "sendto",
    "sock_connect",
    "sock_sendto",
}
INWARD = {"accept", "bind", "create_server", "create_unix_server", "listen", "start_server"}
OPENS_CONNECTIONS = {"asyncio", "ftplib", "http", "smtplib", "socket", "socketserver", "ssl"}


def list_imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # One dot stays in the package; more of them could lead out of it.
            is_beside = node.level == 1 and path.parent == PACKAGE
            inner = f"fairwins_mcp.{node.module}" if is_beside else "."
            yield inner if node.level else str(node.module)


def list_attributes() -> Iterator[tuple[str, set[str]]]:
    """Return each module with the attributes that it names anywhere."""
    for path in sorted(PACKAGE.rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        yield path.relative_to(PACKAGE).as_posix(), used


class Imports(unittest.TestCase):
    def test_modules_import_the_standard_library_and_this_package_only(self) -> None:
        allowed = {*sys.stdlib_module_names, "fairwins_mcp"}
        paths = sorted(PACKAGE.rglob("*.py"))
        self.assertGreater(len(paths), 20)
        for path in paths:
            for name in list_imports(path):
                with self.subTest(module=path.name, imported=name):
                    self.assertIn(name.partition(".")[0], allowed)

    def test_one_module_opens_connections(self) -> None:
        users = {name for name, used in list_attributes() if used & OUTWARD}
        self.assertEqual(users, {"upstream/dialing.py"})

    def test_one_module_listens(self) -> None:
        users = {name for name, used in list_attributes() if used & INWARD}
        self.assertEqual(users, {LISTENER})

    def test_one_room_and_the_listener_know_what_a_socket_is(self) -> None:
        users = {
            path.relative_to(PACKAGE).as_posix()
            for path in PACKAGE.rglob("*.py")
            for name in list_imports(path)
            if name.partition(".")[0] in OPENS_CONNECTIONS
        }
        self.assertIn(LISTENER, users)
        self.assertEqual({name.partition("/")[0] for name in users - {LISTENER}}, {"upstream"})

    def test_what_http_needs_is_loaded_for_http_only(self) -> None:
        code = (
            "status = main(); "
            "print([n for n in sys.modules if n.startswith('fairwins_mcp.http')]); sys.exit(status)"
        )
        call = request("tools/call", {"name": "get_gateway_status"})
        with start("--tools", "get_gateway_status", code=code) as process:
            _, err = process.communicate(call + b"\n")
        self.assertEqual(err.strip(), b"[]")

    def test_a_start_up_to_the_first_list_loads_nothing_slow(self) -> None:
        code = (
            "status = main(); import json; names = {n.partition('.')[0] for n in sys.modules}; "
            "print(json.dumps(sorted(names))); sys.exit(status)"
        )
        with start(code=code) as process:
            out, err = process.communicate(request("tools/list") + b"\n")
        self.assertEqual(process.returncode, 0, err)
        loaded = set(json.loads(err))  # what is printed goes to stderr
        self.assertIn("result", json.loads(out))
        self.assertEqual(loaded & SLOW, set())
        self.assertNotIn("site", loaded)

    def test_a_call_that_is_refused_loads_nothing_that_connects(self) -> None:
        code = "status = main(); print('fairwins_mcp.api' in sys.modules); sys.exit(status)"
        for arguments, is_loaded in (({"first": 0}, b"False"), ({}, b"True")):
            call = request("tools/call", {"name": "get_wagers", "arguments": arguments})
            with start(code=code) as process:
                _, err = process.communicate(call + b"\n")
            self.assertEqual(err.strip(), is_loaded)

    def test_a_call_over_stdio_needs_no_event_loop(self) -> None:
        code = (
            "status = main(); names = ('fairwins_mcp.upstream.dialing', 'asyncio'); "
            "print([name in sys.modules for name in names]); sys.exit(status)"
        )
        call = request("tools/call", {"name": "get_gateway_status"})
        environment = {"FAIRWINS_API_URL": "http://127.0.0.1:9"}
        with start(code=code, environment=environment) as process:
            _, err = process.communicate(call + b"\n")
        self.assertEqual(err.strip(), b"[True, False]")

    def test_types_for_checkers_are_never_loaded(self) -> None:
        code = (
            "status = main(); "
            "print('fairwins_mcp.shapes' in sys.modules, 'typing' in sys.modules); sys.exit(status)"
        )
        with start(code=code) as process:
            _, err = process.communicate(request("prompts/get", {"name": "wager-review"}) + b"\n")
        self.assertEqual(err.split(), [b"False", b"False"])


if __name__ == "__main__":
    unittest.main()
