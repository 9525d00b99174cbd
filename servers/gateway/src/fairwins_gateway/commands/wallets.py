"""``fairwins-gateway wallet``: sign what a member would sign, for the sandbox only."""

from __future__ import annotations

import argparse
import json
import re
import secrets
import sys
from typing import Any

from fairwins_gateway.commands.arguments import (
    add_now,
    add_seed,
    matching,
    read_address,
    read_key_id,
)
from fairwins_gateway.errors import StartError
from fairwins_gateway.jsontext import parse
from fairwins_gateway.wallet import Wallet

MAX_INPUT_BYTES = 1 << 20
_NONCE = re.compile("[0-9a-f]{64}")


def add_wallet(parser: argparse.ArgumentParser) -> None:
    """Add the three commands."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    pay = commands.add_parser(
        "pay", help="read an offer (the body of a 402) on stdin, print an X-PAYMENT header's value"
    )
    pay.add_argument("--payer", metavar="ADDRESS", type=read_address, required=True)
    _add_nonce(pay)
    _finish(pay, run_pay)
    sign = commands.add_parser(
        "sign", help="read a built intent on stdin, print the relay's request"
    )
    _add_nonce(sign)
    _finish(sign, run_sign)
    revoke = commands.add_parser("revoke", help="print the request that withdraws a key")
    revoke.add_argument("--account", metavar="ADDRESS", type=read_address, required=True)
    revoke.add_argument("--key-id", type=read_key_id, required=True)
    _finish(revoke, run_revoke)


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
        type=matching(_NONCE, "64 hexadecimal digits in lower case"),
        help="64 hexadecimal digits; without it, random ones",
    )


def _nonce(arguments: argparse.Namespace) -> str:
    return arguments.nonce or secrets.token_hex(32)


def _wallet(arguments: argparse.Namespace) -> Wallet:
    return Wallet(arguments.seed, arguments.now)


def _read_input() -> Any:
    try:
        return parse(sys.stdin.buffer.read(MAX_INPUT_BYTES))
    except ValueError as error:
        raise StartError(f"stdin holds no JSON: {error}") from error
