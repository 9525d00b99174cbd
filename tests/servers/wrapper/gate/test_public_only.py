"""Where a gate that is for public addresses alone connects to."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

import hostile_vectors
import pytest
from recording_network import RecordingNetwork

from mcp_wrapper_scaffold.allowlist import AllowEntry
from mcp_wrapper_scaffold.errors import FetchError, GatedFetchDenied
from mcp_wrapper_scaffold.gate import Gate
from mcp_wrapper_scaffold.gate.addresses import is_public, resolve_host

pytestmark = pytest.mark.anyio

PUBLIC = "8.8.8.8"
ENTRIES = [
    AllowEntry("https://shop.test", "GET", "/v1/*"),
    AllowEntry("http://shop.test:8080", "GET", "/v1/*"),
    AllowEntry("http://127.0.0.1:8080", "GET", "/v1/*"),
    AllowEntry("http://[::1]:8080", "GET", "/v1/*"),
]


class Names:
    """Name servers that say what they are told to, one answer after the other."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.answers.pop(0)


class Public:
    """A gate for public addresses, with name servers and a network of its own."""

    def __init__(self, *answers: Sequence[str], refused: frozenset[str] = frozenset()) -> None:
        self.names = Names(*answers)
        self.network = RecordingNetwork(refused=refused)
        self.denials: list[GatedFetchDenied] = []
        self.gate = Gate(
            ENTRIES, public_only=True, network=self.network, resolve=self.names.resolve
        )
        self.fetch = self.gate.fetch(self.denials.append)

    async def denial(self, url: str) -> GatedFetchDenied:
        with pytest.raises(GatedFetchDenied) as caught:
            await self.fetch(url)
        assert self.denials == [caught.value]
        assert self.network.connections == []
        await self.gate.aclose()
        return caught.value


@pytest.mark.parametrize("row", hostile_vectors.rows("addresses"))
async def test_the_recorded_addresses_are_decided_as_recorded(row: dict[str, Any]) -> None:
    assert is_public(row["ip"]) is row["public"]
    public = Public([row["ip"]])
    if not row["public"]:
        assert (await public.denial("https://shop.test/v1/x")).code == "address"
        return
    assert (await public.fetch("https://shop.test/v1/x")).ok
    assert public.network.connections == [(row["ip"], 443)]


INTERNET = """
    8.8.8.8 1.1.1.1 192.0.1.1 172.15.255.255 172.32.0.1 100.63.255.255 100.128.0.1 198.17.255.255
    198.20.0.1 223.255.255.255 2606:4700::1111 2001:4860:4860::8888 2a00::1 2003::1
"""
SPECIAL = """
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255
    169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1
    198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255 :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8
    ::ffff:0:8.8.8.8 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:2::1
    2001:10::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1 3fff::1 5f00::1 fc00::1 fd00::1 fe80::1
    fe80::1%lo fec0::1 ff02::1 ff0e::1 4000::1
"""


@pytest.mark.parametrize("address", INTERNET.split())
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", SPECIAL.split())
def test_any_other_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "text", ["", "shop.test", "8.8.8", "134744072", "0x8080808", "08.8.8.8", "8.8.8.8 ", "[::1]"]
)
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(text)


async def test_a_connection_goes_to_the_checked_address_under_the_declared_name() -> None:
    public = Public([PUBLIC])
    await public.fetch("https://shop.test/v1/x")
    (sent,) = public.network.sent
    assert (sent.host, sent.port, sent.server_name) == (PUBLIC, 443, "shop.test")
    assert sent.all("host") == ["shop.test"]
    assert public.names.asked == [("shop.test", 443)]
    assert public.network.connections == [(PUBLIC, 443)]


@pytest.mark.parametrize(
    "addresses", [["10.0.0.1"], [PUBLIC, "10.0.0.1"], ["::1", PUBLIC], [PUBLIC, "::ffff:7f00:1"]]
)
async def test_one_address_that_is_not_public_is_enough_to_refuse(addresses: list[str]) -> None:
    denied = await Public(addresses).denial("https://shop.test/v1/x?key=s3cr3t")
    assert str(denied) == ("GET https://shop.test/v1/x: the host has an address that is not public")


async def test_each_connection_is_decided_anew() -> None:
    public = Public([PUBLIC], ["169.254.169.254"])
    assert (await public.fetch("https://shop.test/v1/x")).ok
    with pytest.raises(GatedFetchDenied) as caught:
        await public.fetch("https://shop.test/v1/x")
    assert caught.value.code == "address"
    assert public.network.connections == [(PUBLIC, 443)]
    assert public.names.asked == [("shop.test", 443)] * 2


async def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    public = Public(["1.1.1.1", "9.9.9.9", PUBLIC], refused=frozenset({"1.1.1.1", "9.9.9.9"}))
    assert (await public.fetch("http://shop.test:8080/v1/x")).ok
    assert [host for host, _ in public.network.connections] == ["1.1.1.1", "9.9.9.9", PUBLIC]
    assert public.network.sent[0].host == PUBLIC


async def test_where_no_address_answers_the_upstream_is_unreachable() -> None:
    public = Public(["1.1.1.1", PUBLIC], refused=frozenset({"1.1.1.1", PUBLIC}))
    with pytest.raises(FetchError) as caught:
        await public.fetch("https://shop.test/v1/x")
    assert caught.value.code == "unreachable"
    assert public.denials == []


async def test_a_name_without_addresses_is_unreachable() -> None:
    with pytest.raises(FetchError) as caught:
        await Public([]).fetch("https://shop.test/v1/x")
    assert caught.value.code == "unreachable"


async def test_a_name_that_does_not_resolve_is_unreachable() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    gate = Gate(ENTRIES, public_only=True, network=RecordingNetwork(), resolve=resolve)
    with pytest.raises(FetchError) as caught:
        await gate.fetch(lambda denied: None)("https://shop.test/v1/x")
    assert caught.value.code == "unreachable"


@pytest.mark.parametrize(
    ("url", "host"),
    [("http://127.0.0.1:8080/v1/x", "127.0.0.1"), ("http://[::1]:8080/v1/x", "::1")],
)
async def test_a_declared_address_is_let_through(url: str, host: str) -> None:
    public = Public()
    assert (await public.fetch(url)).ok
    assert public.network.connections == [(host, 8080)]
    assert public.names.asked == []


async def test_the_system_resolves_names_where_no_test_does() -> None:
    assert set(await resolve_host("localhost", 80)) <= {"127.0.0.1", "::1"}
    gate = Gate([AllowEntry("http://localhost:9", "GET", "/v1/*")], public_only=True)
    with pytest.raises(GatedFetchDenied) as caught:
        await gate.fetch(lambda denied: None)("http://localhost:9/v1/x")
    assert caught.value.code == "address"
    await gate.aclose()


async def test_without_the_option_names_are_left_to_the_system() -> None:
    network = RecordingNetwork()
    gate = Gate(ENTRIES, network=network)
    await gate.fetch(lambda denied: None)("https://shop.test/v1/x")
    assert network.connections == [("shop.test", 443)]
