"""Names of classes, functions and packages."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.names import class_name, collision_keys, function_name, package_name

NAMES = st.from_regex(r"[A-Za-z0-9_.\-]{1,40}", fullmatch=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("get_wagers", ("GetWagers", "get_wagers")),
        ("getWagers", ("GetWagers", "get_wagers")),
        ("a.b-c", ("ABC", "a_b_c")),
        ("HTTPServer", ("HTTPServer", "http_server")),
        ("2fa", ("N2fa", "n2_fa")),
        ("class", ("Class", "class_")),
        ("_", ("N", "n")),
    ],
)
def test_names_are_made_as_people_expect(name: str, expected: tuple[str, str]) -> None:
    assert (class_name(name), function_name(name)) == expected


@given(NAMES)
def test_every_name_gives_identifiers(name: str) -> None:
    for made in (class_name(name), function_name(name)):
        assert made.isidentifier()
        assert not keyword.iskeyword(made)


@pytest.mark.parametrize(("left", "right"), [("search", "Search"), ("foo.bar", "foo_bar")])
def test_names_that_look_alike_collide(left: str, right: str) -> None:
    assert collision_keys(left) & collision_keys(right)


def test_different_names_do_not_collide() -> None:
    assert not collision_keys("get_fee") & collision_keys("get_fees")


def test_a_server_id_gives_a_package_name() -> None:
    assert package_name("haia-trace") == "haia_trace"
    assert package_name("ga4") == "ga4"
