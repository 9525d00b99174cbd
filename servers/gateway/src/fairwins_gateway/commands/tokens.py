"""``fairwins-gateway token``: issue, list and revoke tokens of the sandbox."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from pathlib import Path

from fairwins_gateway.clock import Clock, instant_of
from fairwins_gateway.commands.arguments import (
    add_database,
    add_now,
    add_seed,
    read_address,
    read_key_id,
)
from fairwins_gateway.database import Database
from fairwins_gateway.errors import StartError
from fairwins_gateway.revocations import revoke
from fairwins_gateway.seeding import fill
from fairwins_gateway.seeding.members import PEOPLE
from fairwins_gateway.signatures import Signer
from fairwins_gateway.tokens import MAX_LABEL, SCOPES, Grant, encode_token

DAY = 24 * 3600
MAX_DAYS = 90


def add_token(parser: argparse.ArgumentParser) -> None:
    """Add the three commands."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    people = "\n".join(f"  {account}  {what}" for account, what in PEOPLE.items())
    issue = commands.add_parser(
        "issue",
        help="print a token",
        description="Print a token for an account of the sandbox.",
        epilog=f"the sandbox's people:\n{people}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    issue.add_argument("--account", metavar="ADDRESS", type=read_address, required=True)
    issue.add_argument(
        "--scopes",
        type=_read_scopes,
        default=SCOPES,
        help=f"separated by commas; without it, all: {','.join(SCOPES)}",
    )
    issue.add_argument("--days", type=_read_days, default=30, help="1 to 90 (%(default)s)")
    issue.add_argument("--label", type=_read_label, help="a name, of at most 120 characters")
    issue.add_argument("--key-id", type=read_key_id, help="without it, a random one")
    add_database(issue)
    _finish(issue, run_issue)
    listing = commands.add_parser("list", help="list the tokens that a database knows")
    add_database(listing, required=True)
    _finish(listing, run_list)
    revoking = commands.add_parser("revoke", help="withdraw a key; works while the gateway runs")
    revoking.add_argument("--key-id", type=read_key_id, required=True)
    revoking.add_argument("--account", metavar="ADDRESS", type=read_address,
                          help="needed for a token that the database does not know")  # fmt: skip
    add_database(revoking, required=True)
    _finish(revoking, run_revoke)


def run_issue(arguments: argparse.Namespace) -> int:
    """Print a token; remember what it grants where there is a database."""
    now = arguments.now.seconds()
    grant = Grant(
        arguments.account,
        arguments.key_id or f"0x{secrets.token_hex(32)}",
        arguments.scopes,
        now,
        now + arguments.days * DAY,
        arguments.label,
    )
    if arguments.database is not None:
        database = _open(arguments.database, arguments.seed, arguments.now)
        try:
            _remember(database, grant)
        finally:
            database.close()
    if grant.account.lower() not in PEOPLE:
        sys.stderr.write("fairwins-gateway: this account is nobody's here: it is no member\n")
    signature = Signer(arguments.seed).sign(grant.account, grant.signed_text())
    print(encode_token(grant, signature))
    return 0


def run_list(arguments: argparse.Namespace) -> int:
    """Print a JSON line for each token."""
    database = _open_existing(arguments)
    try:
        rows = database.rows(
            "SELECT tokens.*, revocations.revoked_at FROM tokens LEFT JOIN revocations "
            "ON revocations.key_id = tokens.key_id AND revocations.account = tokens.account "
            "ORDER BY issued_at, tokens.key_id"
        )
    finally:
        database.close()
    for row in rows:
        shown = {
            "keyId": row["key_id"],
            "account": row["account"],
            "scopes": row["scopes"].split(),
            "issuedAt": instant_of(row["issued_at"] * 1000),
            "expiresAt": instant_of(row["expires_at"] * 1000),
            "label": row["label"],
            "revoked": row["revoked_at"] is not None,
        }
        print(json.dumps(shown))
    return 0


def run_revoke(arguments: argparse.Namespace) -> int:
    """Withdraw a key.

    Raises:
        StartError: nobody says whose key it is.
    """
    database = _open_existing(arguments)
    try:
        query = "SELECT account FROM tokens WHERE key_id = ?"
        known = database.row(query, (arguments.key_id.lower(),))
        account = arguments.account or (None if known is None else known["account"])
        if account is None:
            raise StartError("the database does not know this key; say whose it is: --account")
        revoke(database, account, arguments.key_id, arguments.now.seconds())
    finally:
        database.close()
    return 0


def _finish(parser: argparse.ArgumentParser, run: object) -> None:
    add_seed(parser)
    add_now(parser)
    parser.set_defaults(run=run)


def _open(path: Path, seed: str, clock: Clock) -> Database:
    now = clock.seconds()
    return Database(path, seed, lambda connection: fill(connection, seed, now))


def _open_existing(arguments: argparse.Namespace) -> Database:
    if not arguments.database.exists():
        raise StartError(f"there is no database {arguments.database}")
    return _open(arguments.database, arguments.seed, arguments.now)


def _remember(database: Database, grant: Grant) -> None:
    with database.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?, ?)",
            (
                grant.key_id.lower(),
                grant.account.lower(),
                " ".join(grant.scopes),
                grant.issued_at,
                grant.expires_at,
                grant.label,
            ),
        )


def _read_scopes(text: str) -> tuple[str, ...]:
    scopes = sorted({scope.strip() for scope in text.split(",") if scope.strip()})
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        named = ", ".join(unknown)[:80] or "nothing"
        raise argparse.ArgumentTypeError(f"{named}: the scopes are {', '.join(SCOPES)}")
    return tuple(scopes)


def _read_days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:3]) <= MAX_DAYS):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a number from 1 to {MAX_DAYS}")
    return int(text)


def _read_label(text: str) -> str:
    if len(text) > MAX_LABEL:
        raise argparse.ArgumentTypeError(f"a label has at most {MAX_LABEL} characters")
    return text
