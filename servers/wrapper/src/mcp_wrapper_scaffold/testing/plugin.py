"""Fixtures for pytest: a network that is closed but for the gate, and a recorded upstream.

``mcp_wrapper_network = "closed"`` in pytest's settings closes the network for every test; a test
that is marked ``network_allowed("loopback", reason="…")`` may reach this machine all the same.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

from mcp_wrapper_scaffold.testing.guard import PERMISSIONS, Guard, Permission

if TYPE_CHECKING:
    from mcp_wrapper_scaffold.testing.recorded import RecordedUpstream

_SETTING = "mcp_wrapper_network"
_MARK = "network_allowed"
_GUARD = pytest.StashKey[Guard]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting."""
    parser.addini(
        _SETTING, "closed: tests reach the network through the gate alone", default="open"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the setting, and tell of the mark."""
    if config.getini(_SETTING) not in ("open", "closed"):
        raise pytest.UsageError(f"{_SETTING} is open or closed")
    line = f'{_MARK}("loopback" or "processes", reason=…): let a test do so on a closed network'
    config.addinivalue_line("markers", line)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Check every mark before a test runs."""
    for item in items:
        _allowed(item)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Watch over a test from the start of its first fixture to the end of its last."""
    closed = item.config.getini(_SETTING) == "closed"
    if not closed and "closed_network" not in getattr(item, "fixturenames", ()):
        return (yield)
    guard = Guard(*_allowed(item))
    item.stash[_GUARD] = guard
    with guard.watching():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that tried something, even where its code swallowed the refusal."""
    return (yield from _checked(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test whose fixtures tried something."""
    return (yield from _checked(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test whose fixtures tried something at their end."""
    return (yield from _checked(item))


@pytest.fixture
def closed_network(request: pytest.FixtureRequest) -> Guard:
    """Close the network for one test; return what remembers attempts."""
    node = cast("pytest.Item", request.node)
    return node.stash[_GUARD]


@pytest.fixture
def recorded_upstream() -> Iterator[RecordedUpstream]:
    """Provide an upstream; what went otherwise than declared fails the test."""
    # Imported here: the plugin is loaded wherever pytest is, and mostly for nothing.
    from mcp_wrapper_scaffold.testing.recorded import RecordedUpstream

    upstream = RecordedUpstream()
    yield upstream
    upstream.check()


def _checked(item: pytest.Item) -> Generator[None, object, object]:
    guard = item.stash.get(_GUARD, None)
    try:
        result = yield
    except (Exception, BaseExceptionGroup) as error:
        _fail_if_tried(guard, error)
        raise
    _fail_if_tried(guard)
    return result


def _fail_if_tried(guard: Guard | None, error: BaseException | None = None) -> None:
    tried = [] if guard is None else guard.take()
    if tried:
        listed = "\n".join(f"- {attempt}" for attempt in tried)
        failure = pytest.fail.Exception(f"tried past the gate:\n{listed}", pytrace=False)
        raise failure from error  # which shows where it was


def _allowed(item: pytest.Item) -> list[Permission]:
    found: list[Permission] = []
    for mark in item.iter_markers(_MARK):
        words = cast("dict[str, Any]", mark.kwargs)
        if not str(words.get("reason", "")).strip() or set(words) != {"reason"}:
            raise pytest.UsageError(f"{item.nodeid}: {_MARK} needs a reason")
        for name in mark.args:
            if name not in PERMISSIONS:
                raise pytest.UsageError(f"{item.nodeid}: {_MARK} takes {' and '.join(PERMISSIONS)}")
            found.append(name)
    return found
