"""``fairwins-gateway wallet``: sign what a member would sign, for the sandbox only."""

from __future__ import annotations

import argparse
import json
import re
import secrets
from typing import Any

from fairwins_gateway.commands.arguments import (
    PROGRAM,
    Commands,
    add_command,
    add_now,
    add_seed,
    matching,
    read_address,
    read_key_id,
)
from fairwins_gateway.console import read_input
from fairwins_gateway.errors import StartError
from fairwins_gateway.jsontext import parse
from fairwins_gateway.seeding.members import ALICE
from fairwins_gateway.wallet import Wallet

MAX_INPUT_BYTES = 1 << 20
_NONCE = re.compile("[0-9a-f]{64}")


def add_wallet(commands: Commands) -> None:
    """Add the command with its three commands."""
    about = "Sign payments, intents and revocations. Worth nothing outside of the sandbox."
    examples = [f"wallet pay --payer {ALICE} < offer.json", "wallet sign < intent.json"]
    parser = add_command(commands, "wallet", "sign what a member would", about, examples)
    below = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    summary = "pay an offer"
    about = (
        "Read an offer on standard input, the body of an answer with status 402, and print the "
        "value of the header X-PAYMENT that pays it."
    )
    pay = add_command(below, "wallet pay", summary, about, examples[:1])
    _add_address(pay, "--payer", "who pays")
    _add_nonce(pay)
    _finish(pay, run_pay)
    about = "Read a built intent on standard input, and print the request for the relay as JSON."
    sign = add_command(below, "wallet sign", "sign an intent", about, examples[1:])
    _add_nonce(sign)
    _finish(sign, run_sign)
    about = "Print the request that withdraws a key as JSON."
    examples = [f"wallet revoke --account {ALICE} --key-id 0x{'0f' * 32}"]
    revoke = add_command(below, "wallet revoke", "sign a revocation", about, examples)
    _add_address(revoke, "--account", "whose key it is")
    revoke.add_argument(
        "--key-id",
        metavar="KEY",
        type=read_key_id,
        required=True,
        help="0x and 64 hexadecimal digits",
    )
    _finish(revoke, run_revoke)


def _add_address(parser: argparse.ArgumentParser, option: str, what: str) -> None:
    parser.add_argument(
        option,
        metavar="ADDRESS",
        type=read_address,
        required=True,
        help=f"{what}: 0x and 40 hexadecimal digits",
    )


def run_pay(arguments: argparse.Namespace) -> int:
    """Print a payment."""
    print(_wallet(arguments).pay(_read_input(), arguments.payer, _nonce(arguments)))
    return 0


def run_sign(arguments: argparse.Namespace) -> int:
    """Print a signed intent."""
    print(json.dumps(_wallet(arguments).sign_intent(_read_input(), _nonce(arguments))))
    return 0


def run_revoke(arguments: argparse.Namespace) -> int:
    """Print a signed revocation."""
    print(json.dumps(_wallet(arguments).revoke(arguments.account, arguments.key_id)))
    return 0


def _finish(parser: argparse.ArgumentParser, run: object) -> None:
    add_seed(parser)
    add_now(parser)
    parser.set_defaults(run=run)


def _add_nonce(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--nonce",
        metavar="DIGITS",
        type=matching(_NONCE, "64 hexadecimal digits in lower case"),
        help="64 hexadecimal digits in lower case; default: random ones",
    )


def _nonce(arguments: argparse.Namespace) -> str:
    return arguments.nonce or secrets.token_hex(32)


def _wallet(arguments: argparse.Namespace) -> Wallet:
    return Wallet(arguments.seed, arguments.now)


def _read_input() -> Any:
    try:
        return parse(read_input(PROGRAM, MAX_INPUT_BYTES))
    except ValueError as error:
        raise StartError(
            f"standard input holds no JSON: {error}; pipe in what the gateway answered"
        ) from error
