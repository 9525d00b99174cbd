"""``fairwins-gateway token``: issue, list and revoke tokens of the sandbox."""

from __future__ import annotations

import argparse
import json
import secrets
from pathlib import Path

from fairwins_gateway.clock import Clock, instant_of
from fairwins_gateway.commands.arguments import (
    PROGRAM,
    Commands,
    add_command,
    add_database,
    add_now,
    add_seed,
    read_address,
    read_key_id,
)
from fairwins_gateway.console import tell
from fairwins_gateway.database import Database
from fairwins_gateway.errors import StartError
from fairwins_gateway.revocations import revoke
from fairwins_gateway.seeding import fill
from fairwins_gateway.seeding.members import ALICE, BOB, PEOPLE
from fairwins_gateway.signatures import Signer
from fairwins_gateway.tokens import MAX_LABEL, SCOPES, Grant, encode_token

DAY = 24 * 3600
MAX_DAYS = 90


def add_token(commands: Commands) -> None:
    """Add the command with its three commands."""
    summary = "issue, list and revoke tokens"
    about = "Issue, list and revoke tokens of the sandbox."
    examples = [f"token issue --account {ALICE}", "token list --database sandbox.sqlite"]
    parser = add_command(commands, "token", summary, about, examples)
    below = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_issue(below)
    summary = "list the tokens of a database"
    about = "List the tokens that a database knows, a JSON object a line, the oldest first."
    listing = add_command(below, "token list", summary, about, examples[1:])
    add_database(listing, required=True)
    _finish(listing, run_list)
    about = "Withdraw a key; a gateway that runs on the database refuses its tokens from then on."
    examples = [f"token revoke --key-id 0x{'0f' * 32} --database sandbox.sqlite"]
    revoking = add_command(below, "token revoke", "withdraw a key", about, examples)
    _add_key_id(revoking, required=True)
    revoking.add_argument("--account", metavar="ADDRESS", type=read_address,
                          help="needed for a token that the database does not know")  # fmt: skip
    add_database(revoking, required=True)
    _finish(revoking, run_revoke)


def _add_issue(commands: Commands) -> None:
    parser = add_command(
        commands,
        "token issue",
        "print a token",
        "Print a token for an account of the sandbox, and remember it where there is a database.",
        (
            f"token issue --account {ALICE}",
            f"token issue --account {BOB} --scopes read:profile --days 1",
        ),
        accounts=tuple(PEOPLE.items()),
    )
    parser.add_argument(
        "--account",
        metavar="ADDRESS",
        type=read_address,
        required=True,
        help="whose it is: 0x and 40 hexadecimal digits",
    )
    parser.add_argument(
        "--scopes",
        metavar="SCOPES",
        type=_read_scopes,
        default=SCOPES,
        help=f"separated by commas; default: all, which are {', '.join(SCOPES)}",
    )
    parser.add_argument(
        "--days",
        metavar="DAYS",
        type=_read_days,
        default=30,
        help=f"days that it is good for, 1 to {MAX_DAYS}; default: %(default)s",
    )
    parser.add_argument(
        "--label",
        metavar="TEXT",
        type=_read_label,
        help=f"a name, of at most {MAX_LABEL} characters; default: none",
    )
    _add_key_id(parser, required=False)
    add_database(parser)
    _finish(parser, run_issue)


def _add_key_id(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "--key-id",
        metavar="KEY",
        type=read_key_id,
        required=required,
        help="0x and 64 hexadecimal digits" + ("" if required else "; default: random ones"),
    )


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
        tell(
            f"{PROGRAM}: this account is nobody's here: it is no member. "
            f"`{PROGRAM} token issue --help` lists who is"
        )
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
            raise StartError("the database does not know this key; say whose it is with --account")
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
        raise StartError(
            f"there is no database {arguments.database}; `{PROGRAM} serve --database FILE` and "
            f"`{PROGRAM} token issue --database FILE` make one"
        )
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
