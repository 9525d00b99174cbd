"""fairwins-mcp over stdio against the sandbox: all of it works offline, and faults stay honest."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from gateway_bench import Process, run, serve
from mcp import Client, StdioServerParameters

import fairwins_mcp
from counterfoil.schema.judge import faults as find_faults
from counterfoil.schema.judge import judge
from fairwins_gateway.faults import KINDS
from fairwins_gateway.seeding.members import ALICE, CAROL
from fairwins_mcp.surface import load_snapshot

SNAPSHOT = load_snapshot()
SERVED: dict[str, Any] = {
    tool["name"]: tool for tool in SNAPSHOT["tools"] if "mcp" in tool["surfaces"]
}
UNKNOWN = SNAPSHOT["wording"]["unknown"]
PRICE = SNAPSHOT["wording"]["price"]
CLAIM = {"action": "claimPayout", "chainId": 137, "params": {"wagerId": "42"}}
NEWS = {"chainId": "137", "asset": "native", "slug": "polygon"}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "build_intent": CLAIM,
    "get_fees": {},
    "get_gateway_status": {},
    "get_membership": {},
    "get_perps_pairs": {},
    "get_prediction_markets": {"q": "rain"},
    "get_profile": {},
    "get_token_news": NEWS,
    "get_wagers": {"first": 5},
}
# As a desktop would start it: the server's own folder, and the standard library.
START = f"""\
import sys
sys.path.insert(0, {str(Path(fairwins_mcp.__file__).parents[1])!r})
from fairwins_mcp.cli import main
sys.exit(main())
"""
Talk = Callable[[Client], Awaitable[None]]


@pytest.fixture(scope="module")
def sandbox() -> Generator[Process]:
    with serve() as process:
        yield process


@pytest.fixture
def gateway(sandbox: Process) -> Generator[Process]:
    """Return the running sandbox, and turn off afterwards what was turned on."""
    yield sandbox
    for name in sandbox.call("GET", "/faults")["on"]:
        sandbox.turn_off(name)


def issue(account: str = ALICE, *arguments: str) -> str:
    status, out, _ = run("token", "issue", "--account", account, *arguments)
    assert status == 0
    return out.strip()


def converse(gateway: Process, talk: Talk, token: str | None = None, **extra: str) -> None:
    """Let a client talk to a server that is pointed at the sandbox."""
    environment = {
        "FAIRWINS_API_URL": gateway.url,
        "FAIRWINS_API_TOKEN": token or issue(),
        **extra,
    }
    server = StdioServerParameters(
        command=sys.executable, args=["-I", "-S", "-c", START], env=environment
    )

    async def start() -> None:
        async with Client(server) as client:
            await talk(client)

    asyncio.run(start())


def text(result: Any, place: int = 0) -> str:
    return str(result.content[place].text)


def require_failure(result: Any, code: str) -> None:
    """Hold a result to what an honest failure is."""
    assert result.is_error is True
    assert f"did not succeed: {code} — " in text(result)
    assert text(result).endswith(UNKNOWN)
    assert result.structured_content is None


def test_every_served_tool_has_arguments_here() -> None:
    assert ARGUMENTS.keys() == SERVED.keys()


def test_every_served_tool_answers_as_its_output_schema_says(gateway: Process) -> None:
    async def talk(client: Client) -> None:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == SERVED.keys()
        for name, arguments in ARGUMENTS.items():
            result = await client.call_tool(name, arguments)
            assert result.is_error is False, text(result)
            schema: Any = SERVED[name]["outputSchema"]
            assert find_faults(judge(schema), result.structured_content) == []
            assert json.loads(text(result)) == result.structured_content

    converse(gateway, talk)


def test_the_resources_are_live(gateway: Process) -> None:
    async def talk(client: Client) -> None:
        for uri, key in (("fairwins://openapi", "paths"), ("fairwins://status", "sandbox")):
            content: Any = (await client.read_resource(uri)).contents[0]
            assert key in json.loads(content.text)

    converse(gateway, talk)


def test_a_part_that_was_not_read_stays_unread_beside_parts_that_were(gateway: Process) -> None:
    gateway.turn_on("chain-unreadable", "137")
    gateway.turn_on("fees-unreadable", "earn.lend")
    gateway.turn_on("perps-degraded", "gmx")

    async def talk(client: Client) -> None:
        wagers: Any = (await client.call_tool("get_wagers", {})).structured_content
        assert wagers["chains"]["137"]["state"] == "unreadable"
        assert "wagers" not in wagers["chains"]["137"]
        assert wagers["chains"]["63"]["state"] == "read"
        assert wagers["partial"] == ["137", "80002"]
        fees: Any = (await client.call_tool("get_fees", {})).structured_content
        assert fees["services"]["earn.lend"]["bps"] is None
        assert fees["services"]["polymarket.maker"]["bps"] == 0
        pairs: Any = (await client.call_tool("get_perps_pairs", {})).structured_content
        assert pairs["sources"]["gmx"]["status"] == "degraded"

    converse(gateway, talk)


def test_a_membership_that_became_unreadable_keeps_its_state(gateway: Process) -> None:
    async def talk(client: Client) -> None:
        read: Any = (await client.call_tool("get_membership", {})).structured_content
        assert read["state"] == "read"
        gateway.turn_on("membership-unreadable")
        profile: Any = (await client.call_tool("get_profile", {})).structured_content
        assert profile["membership"]["state"] == "unreadable"
        assert "tier" not in profile["membership"]

    converse(gateway, talk)


@pytest.mark.parametrize(
    ("fault", "value", "code"),
    [
        ("cut", None, "api_unreachable"),
        ("failure", "auth_unverifiable", "auth_unverifiable"),
        ("failure", "membership_unreadable", "membership_unreadable"),
        ("failure", "upstream_unavailable", "upstream_unavailable"),
        ("flat-error", None, "upstream_unavailable"),
        ("huge", None, "invalid_response"),
        ("kill-switch", "gateway", "killswitch_active"),
        ("kill-switch", "member-api", "member_api_killed"),
        ("non-json", None, "invalid_response"),
        ("not-an-offer", None, "http_402"),
        ("redirect", None, "http_307"),
    ],
)
def test_a_fault_becomes_an_honest_failure(
    gateway: Process, fault: str, value: str | None, code: str
) -> None:
    gateway.turn_on(fault, value)

    async def talk(client: Client) -> None:
        require_failure(await client.call_tool("get_wagers", {}), code)

    converse(gateway, talk)


@pytest.mark.parametrize(
    ("fault", "value", "tool", "code"),
    [
        ("news-unreadable", None, "get_token_news", "unreadable"),
        ("perps-degraded", "all", "get_perps_pairs", "upstream_failed"),
        ("kill-switch", "perps", "get_perps_pairs", "perps_killed"),
        ("failure", "predict_unconfigured", "get_prediction_markets", "predict_unconfigured"),
    ],
)
def test_a_public_tool_fails_as_honestly(
    gateway: Process, fault: str, value: str | None, tool: str, code: str
) -> None:
    gateway.turn_on(fault, value)

    async def talk(client: Client) -> None:
        require_failure(await client.call_tool(tool, ARGUMENTS[tool]), code)

    converse(gateway, talk)


def test_a_late_answer_is_a_failure_with_its_own_code(gateway: Process) -> None:
    gateway.turn_on("slow", "1500")

    async def talk(client: Client) -> None:
        require_failure(await client.call_tool("get_wagers", {}), "api_timeout")

    converse(gateway, talk, FAIRWINS_TIMEOUT_MS="300")


def test_every_fault_is_seen_through_the_server_or_is_no_failure() -> None:
    """Keep this module's tests complete: a new fault has to be put into one of them."""
    seen = {
        "chain-unreadable", "cut", "failure", "fees-unreadable", "flat-error", "huge",
        "kill-switch", "membership-unreadable", "news-unreadable", "non-json", "not-an-offer",
        "offer", "perps-degraded", "redirect", "slow",
    }  # fmt: skip
    assert KINDS.keys() - seen == {"membership-not-configured"}


def test_a_price_is_passed_on_whole_and_is_no_failure(gateway: Process) -> None:
    gateway.turn_on("offer")

    async def talk(client: Client) -> None:
        result: Any = await client.call_tool("get_fees", {})
        assert result.is_error is True
        assert result.structured_content["accepts"][0]["amount"] == "10000"
        assert json.loads(text(result)) == result.structured_content
        assert text(result, 1).endswith(PRICE)
        assert UNKNOWN not in text(result) + text(result, 1)

    converse(gateway, talk)


@pytest.mark.parametrize("account", [CAROL, ALICE])
def test_a_token_that_does_not_do_is_asked_a_price_under_its_own_code(
    gateway: Process, account: str
) -> None:
    token = issue(account, "--now", "1600000000") if account == ALICE else issue(account)
    code = "token_expired" if account == ALICE else "membership_required"

    async def talk(client: Client) -> None:
        result: Any = await client.call_tool("get_fees", {})
        assert result.structured_content["error"] == code
        plain = await client.call_tool("get_profile", {})
        require_failure(plain, code)

    converse(gateway, talk, token)


def test_the_server_sends_its_token_where_it_is_needed_and_pays_nothing(gateway: Process) -> None:
    async def talk(client: Client) -> None:
        await client.call_tool("get_fees", {})
        await client.call_tool("get_gateway_status", {})

    converse(gateway, talk)
    status, fees = gateway.requests(2)
    assert "authorization" in fees["headerNames"]
    assert "authorization" not in status["headerNames"]
    assert fees["payments"] == status["payments"] == []
