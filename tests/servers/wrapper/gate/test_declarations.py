"""What an allowlist may declare, and how a refusal says so."""

from __future__ import annotations

import dataclasses
import json
import pickle
from types import SimpleNamespace
from typing import Any

import hostile_vectors
import pytest
from gate_rows import DECLARED, UNDECLARED
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.contract.reading import read_contract_bytes
from counterfoil.lint import lint_contract
from counterfoil_bindings.ga4.allowlist import ALLOWLIST as GENERATED
from mcp_wrapper_scaffold.allowlist import AllowEntry, Allowlist
from mcp_wrapper_scaffold.errors import DeclarationError
from mcp_wrapper_scaffold.gate.transport import URL, origin_of


@pytest.mark.parametrize(("origin", "method", "pattern"), DECLARED)
def test_an_entry_that_can_be_read_in_one_way_is_declared(
    origin: str, method: Any, pattern: str
) -> None:
    entry = AllowEntry(origin, method, pattern)
    assert (entry.origin, entry.method, entry.path_pattern) == (origin, method, pattern)


@pytest.mark.parametrize(("origin", "method", "pattern", "field"), UNDECLARED)
def test_any_other_entry_is_refused_and_its_field_named(
    origin: Any, method: Any, pattern: Any, field: str
) -> None:
    with pytest.raises(DeclarationError) as caught:
        AllowEntry(origin, method, pattern)
    assert caught.value.reason.startswith(f"{field} ")
    assert str(caught.value).startswith("allowlist entry (")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("row", hostile_vectors.rows("declarations"))
def test_the_recorded_declarations_are_decided_as_recorded(row: dict[str, Any]) -> None:
    try:
        AllowEntry(row["origin"], row["method"], row["path"])
    except DeclarationError:
        assert not row["accept"]
    else:
        assert row["accept"]


def test_an_error_in_a_list_names_the_place_the_entry_and_the_reason() -> None:
    entries = [
        SimpleNamespace(origin="https://a.test", method="GET", path_pattern="/v1/*"),
        SimpleNamespace(origin="https://a.test", method="GET", path_pattern="/v1/**"),
    ]
    with pytest.raises(DeclarationError) as caught:
        Allowlist(entries)
    assert str(caught.value) == (
        "allowlist entry 2 (GET https://a.test /v1/**): "
        'path_pattern has "**"; "*" stays within one segment'
    )
    assert caught.value.number == 2
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)


@pytest.mark.parametrize("entries", [["https://a.test"], [("https://a.test", "GET", "/")], [None]])
def test_an_entry_without_the_three_attributes_is_an_error(entries: Any) -> None:
    with pytest.raises(DeclarationError, match=r"allowlist entry 1 .* path_pattern are needed"):
        Allowlist(entries)


def test_a_declared_entry_does_not_change() -> None:
    entry = AllowEntry("https://a.test", "GET", "/v1/*")
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry.origin = "https://b.test"  # type: ignore[misc] # what is tried here
    entries = [entry]
    allowlist = Allowlist(entries)
    entries.append(AllowEntry("https://b.test", "GET", "/*"))
    assert allowlist.entries == (entry,)
    assert allowlist.methods("https://b.test", "/x") is None


def test_a_generated_allowlist_is_taken_as_it_is() -> None:
    allowlist = Allowlist(GENERATED)
    assert len(allowlist.entries) == len(GENERATED)
    assert set(allowlist.origins) == {entry.origin for entry in GENERATED}
    assert allowlist.methods("https://oauth2.googleapis.com", "/token") == {"POST"}


def test_an_empty_allowlist_permits_nothing() -> None:
    assert Allowlist([]).origins == ()
    assert Allowlist([]).methods("https://a.test", "/") is None


def test_methods_of_one_path_come_together_from_all_entries() -> None:
    allowlist = Allowlist(
        [
            AllowEntry("https://a.test", "GET", "/v1/x"),
            AllowEntry("https://a.test", "HEAD", "/v1/*"),
            AllowEntry("https://a.test", "POST", "/*/x"),
            AllowEntry("https://b.test", "GET", "/v1/y"),
        ]
    )
    assert allowlist.methods("https://a.test", "/v1/x") == {"GET", "HEAD", "POST"}
    assert allowlist.methods("https://a.test", "/v1/y") == {"HEAD"}
    assert allowlist.methods("https://a.test", "/") == frozenset()


@pytest.mark.parametrize(("origin", "method", "pattern"), DECLARED)
def test_a_declared_origin_is_what_the_client_makes_of_it(
    origin: str, method: str, pattern: str
) -> None:
    assert origin_of(URL(f"{origin}/x")) == origin


_HOSTS = st.one_of(
    st.from_regex(r"[a-z0-9.\-]{1,20}", fullmatch=True),
    st.ip_addresses().map(lambda address: f"[{address}]" if address.version == 6 else str(address)),
    st.text(max_size=8),
)
_ORIGINS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["https://", "http://", "HTTPS://", "//", "https:", ""]),
    _HOSTS,
    st.sampled_from(["", ":", ":80", ":443", ":8443", ":0", ":70000", "/", "?", "#", "@x"]),
)
_PATTERNS = st.lists(
    st.sampled_from(
        ["/", "*", "**", "a", "..", ".", ";", ":", "%2e", "%", "?", "#", "é", "\\", "[", "~", "\n"]
    ),
    max_size=6,
).map("".join)


@settings(deadline=None)
@given(origin=_ORIGINS, pattern=_PATTERNS)
def test_the_contract_and_the_gate_refuse_the_same_declarations(origin: str, pattern: str) -> None:
    assert _is_declared(origin, "GET", pattern) is _is_in_contract(origin, "GET", pattern)


@pytest.mark.parametrize("row", [*DECLARED, *UNDECLARED])
def test_the_contract_and_the_gate_agree_about_every_row(row: tuple[Any, ...]) -> None:
    assert _is_declared(*row[:3]) is _is_in_contract(*row[:3])


def _is_declared(origin: Any, method: Any, pattern: Any) -> bool:
    try:
        AllowEntry(origin, method, pattern)
    except DeclarationError:
        return False
    return True


def _is_in_contract(origin: Any, method: Any, pattern: Any) -> bool:
    server = {
        "binding": "wrapper",
        "name": "wrap",
        "outbound": [{"origin": origin, "method": method, "pathPattern": pattern}],
        "title": "Wrap",
        "tools": [],
        "version": "1.0.0",
    }
    data = {"counterfoil": 1, "servers": {"wrap": server}}
    reading = read_contract_bytes(json.dumps(data).encode(), "contract.json")
    findings = [each.code for each in reading.findings]
    if reading.contract is not None:
        findings += [each.code for each in lint_contract(reading.contract)]
    # CF105 is about the order of keys, CF172 a warning.
    return set(findings) <= {"CF105", "CF172"}
