"""The names of the test kit, and what loading its plugin costs those who do not use it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import mcp_wrapper_scaffold
from mcp_wrapper_scaffold import testing
from mcp_wrapper_scaffold.testing.guard import Guard, OutsideGate, passage


@pytest.mark.parametrize("module", [mcp_wrapper_scaffold, testing])
def test_every_public_name_has_a_home_and_comes_from_it(module: ModuleType) -> None:
    homes: dict[str, str] = module._HOMES
    assert set(homes) == set(module.__all__)
    for name, home in homes.items():
        assert getattr(module, name) is getattr(import_module(f"{module.__name__}.{home}"), name)


@pytest.mark.parametrize("module", [mcp_wrapper_scaffold, testing])
def test_a_name_without_a_home_is_an_attribute_error(module: ModuleType) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Gate'"):
        _ = module.Gate


@pytest.mark.parametrize("module", ["mcp_wrapper_scaffold.testing.plugin", "mcp_wrapper_scaffold"])
def test_loading_it_loads_no_server_and_no_client(module: str) -> None:
    code = (
        f"import sys, {module}\n"
        "print(*sorted({'httpcore2', 'httpx2', 'mcp', 'starlette', 'uvicorn'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    assert done.stdout.strip() == ""


def test_a_guard_without_pytest_refuses_and_remembers() -> None:
    guard = Guard()
    with pytest.raises(OutsideGate):
        guard.judge("socket.connect", (None, ("192.0.2.1", 80)))
    assert [str(attempt) for attempt in guard.take()] == ["socket.connect ('192.0.2.1', 80)"]
    assert guard.take() == []


LOCAL = [("127.0.0.1", 1), ("127.8.8.8", 1), ("::1", 1, 0, 0), ("::ffff:127.0.0.1", 1), "/a/socket"]
REMOTE = [
    ("0.0.0.0", 1),
    ("127.0.0.1.evil.test", 1),
    ("::ffff:10.0.0.1", 1),
    ("evil.test", 1),
    None,
]


@pytest.mark.parametrize("address", LOCAL)
def test_this_machine_is_reached_where_it_is_allowed_and_by_the_gate(address: object) -> None:
    Guard("loopback").judge("socket.connect", (None, address))
    with passage():
        Guard().judge("socket.connect", (None, address))
    with pytest.raises(OutsideGate):
        Guard("processes").judge("socket.connect", (None, address))


@pytest.mark.parametrize("address", REMOTE)
def test_another_machine_is_reached_by_nobody(address: object) -> None:
    with passage(), pytest.raises(OutsideGate):
        Guard("loopback", "processes").judge("socket.connect", (None, address))


@pytest.mark.parametrize("host", [None, "", b""])
def test_asking_for_addresses_to_listen_on_is_no_look_up(host: object) -> None:
    Guard().judge("socket.getaddrinfo", (host, 80, 0, 0, 0))


def test_other_events_are_let_through() -> None:
    Guard().judge("ctypes.dlsym", (None, "strlen"))
    with pytest.raises(OutsideGate):
        Guard().judge("ctypes.dlsym", (None, "connect"))
