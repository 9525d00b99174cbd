"""What a handler that is handed ``ctx.fetch`` can make of it, and what it cannot.

The last tests show how far Python lets a handler go: the gate is no sandbox, and
docs/decisions/0009-the-gate-is-not-a-sandbox.md says what stands around it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import httpx2
import pytest

import mcp_wrapper_scaffold
from mcp_wrapper_scaffold.allowlist import AllowEntry
from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.gate import Gate
from mcp_wrapper_scaffold.gate.transport import Transport

pytestmark = pytest.mark.anyio

PACKAGE = Path(mcp_wrapper_scaffold.__file__).parent
URL = "https://shop.test/v1/x"


def test_the_function_has_nothing_but_what_every_function_has(recorded: Any) -> None:
    assert isinstance(recorded.fetch, FunctionType)
    assert not hasattr(recorded.fetch, "__self__")
    assert vars(recorded.fetch) == {}
    assert recorded.fetch.__defaults__ is None
    assert set(dir(recorded.fetch)) == set(dir(lambda: None))


def test_its_options_are_the_published_ones(recorded: Any) -> None:
    parameters = inspect.signature(recorded.fetch).parameters
    assert list(parameters) == [
        "url", "method", "headers", "content", "json", "timeout", "options",
    ]  # fmt: skip
    assert parameters["options"].kind is inspect.Parameter.VAR_KEYWORD
    assert {name: each.default for name, each in parameters.items() if name != "options"} == {
        "url": inspect.Parameter.empty,
        "method": "GET",
        "headers": None,
        "content": None,
        "json": ...,
        "timeout": None,
    }


async def test_an_answer_leads_nowhere(recording: Callable[..., Any]) -> None:
    async with recording() as recorded:
        response = await recorded.fetch(URL)
    names = {name for name in dir(response) if not name.startswith("__")}
    assert names == {
        "content", "headers", "json", "method", "ok", "origin", "path", "status", "text",
    }  # fmt: skip
    assert not hasattr(response, "__dict__")
    values = [response.status, response.content, response.method, response.origin, response.path]
    assert {type(value) for value in values} == {int, bytes, str}
    assert vars(response.headers) == {
        "_fields": {"content-type": "application/json", "content-length": "2"}
    }


async def test_what_a_handler_may_await_is_used_up_by_that(recording: Callable[..., Any]) -> None:
    async with recording() as recorded:
        pending = recorded.fetch(URL)
        await pending
        with pytest.raises(RuntimeError, match="already awaited"):
            await pending
    assert len(recorded.network.sent) == 1


async def test_an_entry_changed_by_force_changes_nothing(recording: Callable[..., Any]) -> None:
    entries = [AllowEntry("https://shop.test", "GET", "/v1/*")]
    async with recording(entries) as recorded:
        for entry in [*entries, *recorded.gate.allowlist.entries]:
            object.__setattr__(entry, "origin", "https://evil.test")
            object.__setattr__(entry, "path_pattern", "/*")
        entries.append(AllowEntry("https://evil.test", "GET", "/*"))
        recorded.denial("https://evil.test/x")
        assert (await recorded.fetch(URL)).ok


class Shifting:
    """An entry that is another one each time it is looked at."""

    method = "GET"
    path_pattern = "/v1/*"

    def __init__(self) -> None:
        self.looks = 0

    @property
    def origin(self) -> str:
        self.looks += 1
        return "https://shop.test" if self.looks == 1 else "https://evil.test"


def test_an_entry_is_looked_at_once() -> None:
    gate = Gate([Shifting()])
    assert gate.allowlist.origins == ("https://shop.test",)


@pytest.mark.parametrize(
    "call",
    [
        lambda fetch: fetch(URL, allowlist=[AllowEntry("https://evil.test", "GET", "/*")]),
        lambda fetch: fetch("https://evil.test/", headers={"Host": "shop.test"}),
        lambda fetch: fetch(URL, extensions={"target": "/admin"}),
        lambda fetch: fetch(URL, extensions={"sni_hostname": "evil.test"}),
        lambda fetch: fetch(URL, follow_redirects=True),
        lambda fetch: fetch(URL, params={"a": "b"}),
        lambda fetch: fetch(URL, base_url="https://evil.test"),
        lambda fetch: fetch(httpx2.URL("https://evil.test/v1/x")),
        lambda fetch: fetch(httpx2.URL(URL)),
        lambda fetch: fetch(httpx2.Request("GET", "https://evil.test/")),
        lambda fetch: fetch(URL, method="CONNECT"),
        lambda fetch: fetch(URL, headers={"X-HTTP-Method-Override": "DELETE"}),
        lambda fetch: fetch(URL, headers={"Transfer-Encoding": "chunked"}),
        lambda fetch: fetch(URL, headers={"Upgrade": "h2c", "Connection": "Upgrade"}),
        lambda fetch: fetch(URL, headers={"Accept": "x\r\n\r\nGET /admin HTTP/1.1"}),
    ],
)
def test_no_call_gets_past_the_gate(recorded: Any, call: Callable[[Any], Any]) -> None:
    with pytest.raises(GatedFetchDenied):
        call(recorded.fetch)
    assert len(recorded.denials) == 1
    assert recorded.network.connections == []


def imports(path: Path) -> set[str]:
    """Return the modules that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_one_module_knows_the_http_library() -> None:
    libraries = {"httpx2", "httpcore2"}
    users = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if {name.partition(".")[0] for name in imports(path)} & libraries
    }
    assert users == {"gate/transport.py"}


def test_no_module_knows_another_one() -> None:
    others = {"aiohttp", "httpcore", "httpx", "requests", "urllib3", "websockets"}
    others |= {"ftplib", "http.client", "smtplib", "telnetlib", "urllib.request"}
    users = {
        str(path.relative_to(PACKAGE)): found
        for path in PACKAGE.rglob("*.py")
        if (found := {name for name in imports(path) if name in others})
    }
    assert users == {}


def cells(function: Any) -> dict[str, Any]:
    """Return what a closure closes over: Python does not hide it."""
    names = function.__code__.co_freevars
    return {
        name: cell.cell_contents for name, cell in zip(names, function.__closure__, strict=True)
    }


async def test_who_opens_the_closure_still_meets_the_second_check(
    recording: Callable[..., Any],
) -> None:
    async with recording() as recorded:
        gate = cells(recorded.fetch)["self"]
        transport = gate._transport
        assert isinstance(transport, Transport)
        with pytest.raises(GatedFetchDenied):
            await transport.exchange(httpx2.Request("GET", "https://evil.test/"))
        assert recorded.network.connections == []


async def test_who_goes_further_than_that_gets_out(recording: Callable[..., Any]) -> None:
    # The gate is no sandbox. If this test fails, the decision record is out of date.
    async with recording() as recorded:
        transport = cells(recorded.fetch)["self"]._transport
        transport._judge = lambda request: None
        await transport.exchange(httpx2.Request("GET", "https://evil.test/"))
    assert recorded.network.connections == [("evil.test", 443)]


def test_the_decision_record_says_so() -> None:
    record = Path(__file__).parents[4] / "docs/decisions/0009-the-gate-is-not-a-sandbox.md"
    text = record.read_text("utf-8")
    for word in ("__closure__", "lint", "scan", "egress"):
        assert word in text
