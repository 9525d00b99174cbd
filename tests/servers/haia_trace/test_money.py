"""Amounts, networks and assets."""

from __future__ import annotations

import ast
from decimal import Decimal, localcontext
from pathlib import Path
from runpy import run_path

import pytest
import x402
from hypothesis import given
from hypothesis import strategies as st

import haia_trace_mcp
from haia_trace_mcp.money import (
    KNOWN,
    V1_NAMES,
    AmountError,
    Asset,
    Assets,
    asset_key,
    format_amount,
    network_key,
    parse_amount,
    shortest,
)
from haia_trace_mcp.money.amounts import ATOMIC_LIMIT

# Releases of x402 give these names to different chains.
DISPUTED = {"educhain", "skale-base-sepolia", "story"}
USDC = KNOWN[0]

decimals = st.integers(0, 36)
units = st.integers(0, ATOMIC_LIMIT - 1)


def exact(text: str) -> Decimal:
    with localcontext() as context:
        context.prec = 200
        return Decimal(text)


@given(units, decimals)
def test_amounts_survive_the_way_to_text_and_back(atomic: int, scale: int) -> None:
    text = format_amount(atomic, scale)
    assert parse_amount(text, scale) == atomic
    assert shortest(text) == text


@given(units, decimals)
def test_text_of_an_amount_means_what_decimal_arithmetic_says(atomic: int, scale: int) -> None:
    with localcontext() as context:
        context.prec = 200
        assert exact(format_amount(atomic, scale)) == Decimal(atomic).scaleb(-scale)


@given(st.from_regex(r"(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?", fullmatch=True), decimals)
def test_amounts_are_read_exactly_or_not_at_all(text: str, scale: int) -> None:
    with localcontext() as context:
        context.prec = 200
        scaled = Decimal(text).scaleb(scale)
        is_whole = scaled == scaled.to_integral_value()
        if is_whole and scaled < ATOMIC_LIMIT:
            assert parse_amount(text, scale) == int(scaled)
        else:
            with pytest.raises(AmountError):
                parse_amount(text, scale)
    assert exact(shortest(text)) == exact(text)


@given(st.text(max_size=12), decimals)
def test_any_text_is_an_amount_or_refused(text: str, scale: int) -> None:
    try:
        atomic = parse_amount(text, scale)
    except AmountError as error:
        said, atomic = str(error), None
    else:
        said = ""
    assert said.isprintable()
    assert (atomic is None) == bool(said)
    assert atomic is None or set(text) <= set("0123456789.")


@pytest.mark.parametrize(
    "text",
    ["", "-1", "+1", "1e3", ".5", "1.", "01", "1_0", "1,5", " 1", "1 ", "NaN", "١", "0x1", "1\n"],
)
def test_other_spellings_of_numbers_are_refused(text: str) -> None:
    with pytest.raises(AmountError):
        parse_amount(text, 6)


def test_zeros_beyond_the_decimals_mean_nothing() -> None:
    assert parse_amount("0.2500000000", 6) == 250_000
    with pytest.raises(AmountError, match="finer than 6 decimals"):
        parse_amount("0.2500001", 6)


def test_amounts_of_any_length_are_refused_before_they_are_counted() -> None:
    with pytest.raises(AmountError):
        parse_amount("9" * 100_000, 6)
    with pytest.raises(AmountError, match="more than any token has"):
        parse_amount("9" * 78, 6)


def test_networks_of_v1_are_those_of_the_x402_package_but_the_disputed_ones() -> None:
    # The packages around these modules want web3 and solders.
    mechanisms = Path(x402.__file__).parent / "mechanisms"
    chains = run_path(str(mechanisms / "evm/v1/constants.py"))["V1_NETWORK_CHAIN_IDS"]
    theirs = {name: f"eip155:{chain}" for name, chain in chains.items()}
    theirs |= run_path(str(mechanisms / "svm/constants.py"))["V1_TO_V2_NETWORK_MAP"]
    assert {name: theirs.get(name) for name in V1_NAMES} == dict(V1_NAMES)
    assert theirs.keys() - V1_NAMES.keys() == DISPUTED


def test_both_names_of_a_network_are_one() -> None:
    assert network_key("base") == network_key("eip155:8453") == "eip155:8453"
    assert network_key("base-sepolia") == "eip155:84532"


@pytest.mark.parametrize(
    "text", ["", "Base", "eip155:08453", "eip155:", "eip155:0x1", "story", "a:b", "eip155:1/x"]
)
def test_networks_that_nobody_knows_have_no_key(text: str) -> None:
    assert network_key(text) is None


def test_an_asset_has_one_key_in_whatever_spelling() -> None:
    upper = USDC.address.upper().replace("0X", "0x")
    assert asset_key(f"base/{upper}") == asset_key(f"eip155:8453/{upper}") == USDC.key
    assert Assets().of_terms("base", upper) == Assets().of_terms("eip155:8453", upper) == USDC
    assert Assets().of_terms("polygon", upper) is None


def test_addresses_that_are_not_hexadecimal_keep_their_letter_case() -> None:
    mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
    coin = Asset(network_key("solana") or "", mint, "USDC", 6)
    assets = Assets([coin])
    assert assets.of_terms("solana", mint) == coin
    assert assets.of_terms("solana", mint.lower()) is None


def test_a_symbol_and_an_address_name_every_asset_that_has_them() -> None:
    assert Assets().named("usdc") == KNOWN
    assert Assets().named(USDC.address) == (USDC,)
    assert Assets().named(USDC.key) == (USDC,)
    assert Assets().named("EUR") == ()


def sources() -> list[Path]:
    package = Path(haia_trace_mcp.__file__).parent
    rooms = ("money", "policy", "guard", "reviews")
    return [path for room in rooms for path in sorted((package / room).glob("*.py"))]


@pytest.mark.parametrize("path", sources(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_module_that_meets_money_has_a_float(path: Path) -> None:
    # The one thing that is counted in fractions: how long to wait for a lock.
    allowed = {"_PAUSE", "patience", "seconds"} if path.name in ("locking.py", "log.py") else set()
    tree = ast.parse(path.read_text("utf-8"))
    spared = {
        id(each)
        for node in ast.walk(tree)
        if (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) in allowed)
        or (
            isinstance(node, ast.arguments)
            and {argument.arg for argument in (*node.args, *node.kwonlyargs)} & allowed
        )
        for each in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in spared:
            continue
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.Name) and node.id in ("float", "round"))
        assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
