"""The policy file, and how counterparties are spelled."""

from __future__ import annotations

import json
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haia_trace_mcp.policy import (
    Counterparty,
    CounterpartyError,
    PolicyError,
    SpendLimit,
    default_policy,
    load_policy,
    read_counterparty,
    read_policy,
)
from haia_trace_mcp.policy.reading import KEYS

USDC = "eip155:8453/0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
ADDRESS = "0xB0B0000000000000000000000000000000000002"
WHOLE: dict[str, Any] = {
    "allowlist": [ADDRESS, "https://API.example.test.:8443/v1?x=1"],
    "denylist": ["bücher.example"],
    "perCounterpartyLimit": {"amount": "7.50", "windowHours": 12},
    "windowLimit": {"amount": "20", "windowHours": 48},
    "maxOpenPartialPerCounterparty": 2,
    "reviewAbove": "0.000001",
    "duplicateWindowMinutes": 5,
    "reservationSeconds": 90,
    "defaultAsset": "base/0xAbC0000000000000000000000000000000000001",
    "assets": {"base/0xabc0000000000000000000000000000000000001": {"symbol": "T", "decimals": 6}},
}


def read(policy: object) -> Any:
    return read_policy(json.dumps(policy).encode())


def faults(text: str) -> dict[str, str]:
    with pytest.raises(PolicyError) as refusal:
        read_policy(text.encode(), "policy.json")
    found = {fault.pointer: fault.reason for fault in refusal.value.faults}
    for pointer, reason in found.items():
        assert f"policy.json#{pointer}: {reason}" in str(refusal.value)
    return found


def test_without_a_file_the_defaults_hold() -> None:
    policy = load_policy(None)
    assert policy.asset.key == USDC
    assert (policy.allowlist, policy.denylist) == (frozenset(), frozenset())
    assert policy.per_counterparty == SpendLimit(5_000_000, 24)
    assert (policy.max_open, policy.review_above) == (0, 1_000_000)
    assert policy.window is policy.duplicate_minutes is policy.reservation_seconds is None


def test_every_key_is_read() -> None:
    policy = read(WHOLE)
    assert set(WHOLE) == set(KEYS)
    assert policy.allowlist == {ADDRESS.lower(), "api.example.test"}
    assert policy.denylist == {"xn--bcher-kva.example"}
    assert policy.per_counterparty == SpendLimit(7_500_000, 12)
    assert policy.window == SpendLimit(20_000_000, 48)
    assert (policy.max_open, policy.review_above) == (2, 1)
    assert (policy.duplicate_minutes, policy.reservation_seconds) == (5, 90)
    assert policy.asset.key == "eip155:8453/0xabc0000000000000000000000000000000000001"


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_optional(key: str) -> None:
    without = {name: value for name, value in WHOLE.items() if name not in (key, "defaultAsset")}
    assert read(without) is not None


def test_known_assets_stay_when_others_are_named() -> None:
    policy = read(WHOLE)
    assert {asset.symbol for asset in policy.assets} == {"T", "USDC"}
    assert policy.assets.of_key(USDC) is not None


def test_all_that_is_wrong_is_told_at_once_and_where() -> None:
    found = faults(
        """{"allowlist": ["ok.example", 3, "a b", "u@h.example"], "denylist": "evil.example",
        "perCounterpartyLimit": {"amount": 5.00, "windowHours": 0, "per": "day"},
        "windowLimit": {"amount": "1.0000001"}, "maxOpenPartialPerCounterparty": -1,
        "reviewAbove": "1e3", "reviewBelow": "1", "duplicateWindowMinutes": true,
        "reservationSeconds": 1.5, "defaultAsset": "USDC",
        "assets": {"nowhere/0xabc": {"symbol": "", "decimals": "6", "name": "x"}}}"""
    )
    assert set(found) == {
        "/allowlist/1",
        "/allowlist/2",
        "/allowlist/3",
        "/denylist",
        "/perCounterpartyLimit/amount",
        "/perCounterpartyLimit/windowHours",
        "/perCounterpartyLimit/per",
        "/windowLimit/windowHours",
        "/maxOpenPartialPerCounterparty",
        "/reviewAbove",
        "/reviewBelow",
        "/duplicateWindowMinutes",
        "/reservationSeconds",
        "/defaultAsset",
        "/assets/nowhere~10xabc",
        "/assets/nowhere~10xabc/symbol",
        "/assets/nowhere~10xabc/decimals",
        "/assets/nowhere~10xabc/name",
    }


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("", ""),
        ("[]", ""),
        ("null", ""),
        ('{"reviewAbove": NaN}', ""),
        ("[" * 100_000, ""),
        ('{"reviewAbove": "1", "reviewAbove": "2"}', "/reviewAbove"),
        ('{"reviewAbove": null}', "/reviewAbove"),
        ('{"reviewAbove": 1}', "/reviewAbove"),
        ('{"reviewAbove": "1.0000001"}', "/reviewAbove"),
        ('{"perCounterpartyLimit": null}', "/perCounterpartyLimit"),
        ('{"perCounterpartyLimit": {}}', "/perCounterpartyLimit/amount"),
        (
            '{"perCounterpartyLimit": {"amount": "1", "windowHours": 24.0}}',
            "/perCounterpartyLimit/windowHours",
        ),
        (
            '{"maxOpenPartialPerCounterparty": 99999999999999999999}',
            "/maxOpenPartialPerCounterparty",
        ),
        ('{"allowlist": ["*.example.test"]}', "/allowlist/0"),
        ('{"denylist": ["faß.example"]}', "/denylist/0"),
        (
            f'{{"assets": {{"{USDC}": {{"symbol": "USDC", "decimals": 18}}}}}}',
            f"/assets/{USDC.replace('/', '~1')}/decimals",
        ),
        ('{"\\u202e\\u0007": 1}', "/\\u202e\\u0007"),
    ],
)
def test_a_policy_that_is_not_understood_is_refused(text: str, pointer: str) -> None:
    assert pointer in faults(text)


def test_one_asset_under_two_spellings_is_refused() -> None:
    about = '{"symbol": "T", "decimals": 2}'
    token = "0xabc0000000000000000000000000000000000001"
    text = f'{{"assets": {{"base/{token}": {about}, "eip155:8453/{token.upper()}": {about}}}}}'
    assert list(faults(text.replace("0XABC", "0xABC")).values()) == [
        "is the same asset as another one here"
    ]


def test_the_place_of_a_fault_never_brings_control_characters_to_a_terminal() -> None:
    with pytest.raises(PolicyError) as refusal:
        read_policy(b'{"\\u001b[31m": 1, "allowlist": ["\\u202eevil"]}')
    assert all(line.isprintable() for line in str(refusal.value).splitlines())


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*KEYS, "amount", "windowHours", "x"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_policy_or_refused_in_words(value: object) -> None:
    said, policy = "", None
    try:
        policy = read(value)
    except PolicyError as error:
        said = str(error)
    assert (policy is None) == bool(said)


def test_a_policy_file_may_be_a_link_and_has_to_be_a_file(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text('{"reviewAbove": "2"}', "utf-8")
    link.symlink_to(real)
    assert load_policy(link).review_above == 2_000_000
    for path in (tmp_path, tmp_path / "absent.json"):
        with pytest.raises(PolicyError, match=path.name):
            load_policy(path)


def test_a_policy_is_never_read_again(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text('{"reviewAbove": "2"}', "utf-8")
    policy = load_policy(path)
    path.write_text('{"reviewAbove": "3"}', "utf-8")
    assert policy.review_above == 2_000_000
    assert default_policy().review_above == 1_000_000


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (ADDRESS, ADDRESS.lower()),
        ("0X" + ADDRESS[2:].upper(), ADDRESS.lower()),
        ("9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",) * 2,
        ("weather.example.test",) * 2,
        ("WEATHER.Example.test.", "weather.example.test"),
        ("weather.example.test:8443", "weather.example.test"),
        ("weather.example.test/v1", "weather.example.test"),
        ("https://weather.example.test/v1?to=https://evil.example#@x", "weather.example.test"),
        ("HTTPS://Weather.example.test", "weather.example.test"),
        ("wss://weather.example.test", "weather.example.test"),
        ("https://bücher.example", "xn--bcher-kva.example"),
        ("localhost:3000", "localhost"),
        ("127.0.0.1:3000", "127.0.0.1"),
        ("http://[::1]:3000/x", "::1"),
        ("[0:0:0:0:0:0:0:1]", "::1"),
        ("https://[2001:DB8:0::0A]/x", "2001:db8::a"),
        ("[::FFFF:127.0.0.1]:3000", "127.0.0.1"),
    ],
)
def test_a_counterparty_has_one_spelling(text: str, key: str) -> None:
    assert read_counterparty(text) == Counterparty(key, is_address=key[:2] in ("0x", "9x"))


@given(st.integers(0, 2**128 - 1))
def test_an_address_of_ipv6_has_one_key_in_all_its_spellings(number: int) -> None:
    address = IPv6Address(number)
    spellings = {str(address), address.exploded, address.exploded.upper()}
    keys = {read_counterparty(f"https://[{each}]:8443/x").key for each in spellings}
    assert len(keys) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0xB0B0…0002",
        "0x123",
        "https://",
        "https:///evil.example",
        "https:evil.example",
        "mcp://tool/weather",
        "file:///etc/passwd",
        "user@evil.example",
        "https://good.example@evil.example/",
        "https://evil.example\\@good.example/",
        "https://ev%69l.example/",
        "2130706433",
        "0x7f000001",
        "127.1",
        "evil.example.0x1",
        "a..example",
        "-.example",
        "evil.example:port",
        "evil example",
        "evil.example\n",
        "[::1",
        "[1.2.3.4]",
        "faß.example",
        "x" * 2049,
    ],
)
def test_what_others_could_take_for_another_host_is_no_counterparty(text: str) -> None:
    with pytest.raises(CounterpartyError):
        read_counterparty(text)


@given(st.text(max_size=40))
def test_a_key_is_its_own_key_and_a_refusal_can_be_printed(text: str) -> None:
    said, key = "", ""
    try:
        key = read_counterparty(text).key
    except CounterpartyError as error:
        said = str(error)
    assert bool(said) != bool(key)
    assert said.isprintable()
    if key:
        assert read_counterparty(f"[{key}]" if ":" in key else key).key == key
