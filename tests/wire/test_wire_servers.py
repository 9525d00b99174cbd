"""The wire client against servers that others made."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from counterfoil.wire import (
    REVISIONS,
    HttpTarget,
    StdioTarget,
    Target,
    claimed_revisions,
    read_surface,
)

SERVERS = Path(__file__).parent / "servers"
TIMEOUT = 60.0  # an SDK takes its time to import on a busy machine

Opener = Callable[..., Target]


@pytest.fixture(scope="module")
def opened() -> Iterator[Opener]:
    """Make a target of a server script; one over HTTP is started once and kept."""
    started: dict[tuple[str, ...], Target] = {}
    with ExitStack() as stack:

        def make(script: str, *words: str) -> Target:
            command = (sys.executable, str(SERVERS / script), *words)
            if words[0] == "stdio":
                return StdioTarget(command, timeout=TIMEOUT)
            if command not in started:
                process = subprocess.Popen(command, stdout=subprocess.PIPE)
                stack.enter_context(process)
                stack.callback(process.kill)
                assert process.stdout is not None
                port = int(process.stdout.readline())
                url = f"http://127.0.0.1:{port}/mcp"
                started[command] = HttpTarget(url, timeout=TIMEOUT)
            return started[command]

        yield make


WAYS = [("stdio",), ("http",), ("http", "sse"), ("http", "stateful"), ("http", "sse", "stateful")]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("words", WAYS, ids=" ".join)
def test_every_page_of_a_lowlevel_server_is_read(
    opened: Opener, words: tuple[str, ...], revision: str
) -> None:
    surface = read_surface(opened("lowlevel.py", *words), revision)
    assert surface.revision == revision
    assert surface.server == {"name": "lowlevel", "version": "1.2.3"}
    assert surface.instructions == "Ask for anything."
    assert set(surface.capabilities) == {"tools", "resources", "prompts"}
    assert [tool["name"] for tool in surface.tools] == [f"tool_{n:02}" for n in range(10)]
    assert surface.tools[9]["inputSchema"] == {
        "type": "object",
        "properties": {"amount": {"type": "integer", "maximum": 2**63 + 9}},
        "$defs": {"unused": {"const": None}},
    }
    assert [resource["uri"] for resource in surface.resources] == ["demo://readme"]
    assert [one["uriTemplate"] for one in surface.resource_templates] == ["demo://item/{id}"]
    assert surface.prompts == [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]


@pytest.mark.parametrize("words", [("stdio",), ("http", "sse", "stateful")], ids=" ".join)
def test_a_lowlevel_server_claims_every_revision(opened: Opener, words: tuple[str, ...]) -> None:
    assert claimed_revisions(opened("lowlevel.py", *words)) == REVISIONS


@pytest.mark.parametrize("words", [("stdio",), ("http", "sse")], ids=" ".join)
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_a_server_that_does_not_know_templates_has_none(
    opened: Opener, words: tuple[str, ...], revision: str
) -> None:
    surface = read_surface(opened("lowlevel.py", *words, "plain"), revision)
    assert surface.resource_templates == []
    assert len(surface.resources) == 1


@pytest.mark.parametrize("revision", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_surface_of_a_fastmcp_server_is_read(opened: Opener, way: str, revision: str) -> None:
    surface = read_surface(opened("fast.py", way), revision)
    assert surface.server["name"] == "fast"
    assert surface.server["version"] == "4.5.6"
    assert surface.instructions == "Add numbers."
    assert [tool["name"] for tool in surface.tools] == ["add"]
    assert surface.tools[0]["inputSchema"]["required"] == ["a"]
    assert [resource["uri"] for resource in surface.resources] == ["demo://readme"]
    assert [one["uriTemplate"] for one in surface.resource_templates] == ["demo://item/{number}"]
    assert [prompt["name"] for prompt in surface.prompts] == ["greet"]


def test_a_fastmcp_server_claims_every_revision(opened: Opener) -> None:
    assert claimed_revisions(opened("fast.py", "http")) == REVISIONS
