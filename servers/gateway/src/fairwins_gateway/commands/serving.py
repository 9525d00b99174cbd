"""``fairwins-gateway serve``."""

from __future__ import annotations

import argparse
import os
import sys

from fairwins_gateway.commands.arguments import (
    PROGRAM,
    Commands,
    add_command,
    add_database,
    add_now,
    add_seed,
    read_address,
)
from fairwins_gateway.console import is_terminal, tell
from fairwins_gateway.errors import StartError
from fairwins_gateway.faults import Faults, UnknownFaultError, list_faults
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.routes.table import HANDLERS
from fairwins_gateway.settings import DEFAULT_PAY_TO, DEFAULT_PRICES, Settings
from fairwins_gateway.web.admin import admin_app
from fairwins_gateway.web.public import public_app
from fairwins_gateway.web.serving import serve

ORIGIN_VARIABLE = "FAIRWINS_GATEWAY_ORIGIN_AUTH"
DEFAULT_PORT = 8780
_MAX_PRICE_DIGITS = 18


def add_serve(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "serve",
        "serve the Member API",
        "Serve the Member API on loopback until told to stop. Without --database, everything is "
        "forgotten then.",
        (
            "serve",
            "serve --database sandbox.sqlite --admin-port 8781",
            "serve --port 0 --fault slow=2000 --fault offer",
        ),
        faults=list_faults(),
        environment=(
            (ORIGIN_VARIABLE, "when set, requests have to repeat it in the header X-Origin-Auth"),
        ),
    )
    _add_places(parser)
    add_database(parser)
    add_seed(parser)
    add_now(parser)
    parser.add_argument(
        "--fault",
        metavar="NAME[=VALUE]",
        action="append",
        default=[],
        help="let something go wrong from the start; may be repeated",
    )
    _add_prices(parser)
    parser.set_defaults(run=run_serve)


def _add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="address to listen on; default: %(default)s",
    )
    parser.add_argument(
        "--port",
        metavar="PORT",
        type=_read_port,
        default=DEFAULT_PORT,
        help="0 for a free one; default: %(default)s",
    )
    parser.add_argument(
        "--admin-port",
        type=_read_port,
        metavar="PORT",
        help="also serve the admin routes, on this port of 127.0.0.1; 0 for a free one",
    )
    parser.add_argument(
        "--announce",
        action="store_true",
        help="say where it is served, in one JSON line on stdout; always done for port 0",
    )
    parser.add_argument(
        "--allowed-host",
        metavar="NAME",
        action="append",
        default=[],
        help="another name that requests may call this gateway by; may be repeated",
    )


def _add_prices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--price",
        metavar="CLASS=AMOUNT",
        type=_read_price,
        action="append",
        default=[],
        help="price of a class (read, build, assistant) in base units of USDC, a millionth each; 0 "
        "takes it off the market; may be repeated; default: "
        + ", ".join(f"{kind}={amount}" for kind, amount in DEFAULT_PRICES.items()),
    )
    parser.add_argument(
        "--pay-to", metavar="ADDRESS", type=read_address, default=DEFAULT_PAY_TO,
        help="who is paid; default: %(default)s",
    )  # fmt: skip


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve until told to stop.

    Raises:
        StartError: it cannot.
    """
    try:
        faults = Faults(arguments.fault)
    except UnknownFaultError as error:
        raise StartError(f"--fault: {error}") from error
    gateway = Gateway(_read_settings(arguments), arguments.now, faults)
    announces = arguments.announce or 0 in (arguments.port, arguments.admin_port)
    if not announces and is_terminal(sys.stderr):
        where = f"http://{arguments.host}:{arguments.port}"
        tell(f"{PROGRAM}: serving {where} until Ctrl-C; `{PROGRAM} token issue --help` for a token")
    try:
        serve(
            public_app(gateway, HANDLERS),
            admin_app(gateway),
            arguments.host,
            arguments.port,
            arguments.admin_port,
            announces,
        )
    finally:
        gateway.close()
    return 0


def _read_settings(arguments: argparse.Namespace) -> Settings:
    loopback = arguments.host in ("127.0.0.1", "localhost", "::1")
    known = Settings.hosts if loopback or arguments.allowed_host else frozenset[str]()
    return Settings(
        seed=arguments.seed,
        database=arguments.database,
        prices={**DEFAULT_PRICES, **dict(arguments.price)},
        pay_to=arguments.pay_to,
        hosts=known | {name.lower() for name in arguments.allowed_host},
        origin_auth=os.environ.get(ORIGIN_VARIABLE, ""),
    )


def _read_port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= 65535):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no port")
    return int(text)


def _read_price(text: str) -> tuple[str, int]:
    kind, _, amount = text.partition("=")
    fits = amount.isascii() and amount.isdigit() and len(amount) <= _MAX_PRICE_DIGITS
    if kind not in DEFAULT_PRICES or not fits:
        wanted = f"one of {', '.join(DEFAULT_PRICES)}, then = and base units"
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not {wanted}")
    return kind, int(amount)
