"""What a wrapper is made of, and what does not go together."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.server import Server
from wrapped import TOKEN, wrap

from mcp_wrapper_scaffold import (
    AllowEntry,
    CallableSecret,
    Context,
    DeclarationError,
    EnvSecret,
    Freshness,
    Limits,
    SetupError,
    WrapperError,
    create_wrapper_server,
)
from mcp_wrapper_scaffold.http.admission import AdmissionError
from mcp_wrapper_scaffold.testing.client import WrapperClient


def make(**options: Any) -> object:
    given = {"agent_token": EnvSecret("T"), "allowlist": [], "tools": [], **options}
    return create_wrapper_server(**given)


async def tool(args: dict[str, Any], ctx: Context) -> object:
    return {}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tools": None}, "either tools or bind"),
        ({"bind": lambda context: Server("x")}, "either tools or bind"),
        ({"tools": None, "bind": lambda context: Server("x")}, "get_tool_input_schema"),
        ({"agent_token": []}, "or two of them"),
        ({"agent_token": [EnvSecret("A")] * 3}, "or two of them"),
        ({"agent_token": "a token in the source"}, "is a secret source"),
        ({"agent_token": ["a", "b"]}, "is a secret source"),
        ({"agent_token": None}, "is a secret source"),
        ({"secrets": {"KEY": "a key in the source"}}, "KEY is no secret source"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(
    options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(SetupError, match=reason) as caught:
        make(**options)
    assert "in the source" not in str(caught.value)


def test_an_entry_that_is_refused_is_named_with_its_place() -> None:
    class Loose:
        origin, method, path_pattern = "https://api.example.com", "GET", "/v1/**"

    with pytest.raises(DeclarationError, match=r"allowlist entry 1 .*path_pattern"):
        make(allowlist=[Loose()])


@pytest.mark.parametrize(
    "options",
    [
        {"allowed_hosts": ["example.com:443"]},
        {"allowed_hosts": ["https://example.com"]},
        {"allowed_hosts": [""]},
        {"allowed_origins": ["example.com"]},
        {"allowed_origins": ["https://example.com/"]},
        {"allowed_origins": ["*"]},
        {"allowed_origins": ["null"]},
    ],
)
def test_a_host_or_origin_that_is_none_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(AdmissionError):
        make(**options)


@pytest.mark.parametrize("name", sorted(vars(Limits())))
@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_is_above_zero(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: value})


@pytest.mark.parametrize("name", sorted(vars(Freshness())))
def test_no_time_is_below_zero(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Freshness(**{name: -1})
    assert Freshness(**{name: 0}) != Freshness()


def test_a_wrapper_tells_its_name_and_what_it_may_send() -> None:
    entry = AllowEntry("https://api.example.com", "GET", "/v1/*")
    app = wrap(tool, allowlist=[entry], name="lemons", version="1.2.3", instructions="Ask.")
    assert (app.name, app.allowlist) == ("lemons", (entry,))
    assert repr(app) == "<WrapperServer lemons: 1 entries>"

    async def talk() -> Any:
        async with WrapperClient(app, TOKEN) as client:
            return await client.request("server/discover")

    found = asyncio.run(talk())
    assert found["instructions"] == "Ask."
    server = found["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert server == {"name": "lemons", "version": "1.2.3"}


def test_every_exception_of_the_library_has_one_base() -> None:
    for kind in (SetupError, DeclarationError, AdmissionError):
        assert issubclass(kind, WrapperError)


def test_two_wrappers_in_one_process_share_nothing() -> None:
    def source(value: str) -> CallableSecret:
        return CallableSecret(lambda: value)

    async def key(args: dict[str, Any], ctx: Context) -> object:
        return {"key": await ctx.secret("KEY")}

    async def talk(token: str, app: Any) -> object:
        async with WrapperClient(app, token) as client:
            return (await client.call_tool("key"))["structuredContent"]

    apps = {
        name: wrap(key, agent_token=source(f"token-of-{name}"), secrets={"KEY": source(name)})
        for name in ("first", "second")
    }
    for name, app in apps.items():
        assert asyncio.run(talk(f"token-of-{name}", app)) == {"key": name}
