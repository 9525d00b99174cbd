"""Settlements: a payment is taken once, and the payer gets a receipt."""

from __future__ import annotations

import base64
import hashlib
import sqlite3

from fairwins_gateway.document import Operation
from fairwins_gateway.errors import PaymentRefusal
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.jsontext import dump
from fairwins_gateway.payments.payloads import Payment

# What a payer has before the first payment, when the seed says nothing else: 100 USDC.
DEFAULT_BALANCE = 100_000_000


def require_unspent(gateway: Gateway, payment: Payment) -> None:
    """Refuse early what could not be settled anyway, before any work is done for it.

    Raises:
        PaymentRefusal: it was settled before, or the payer has too little.
    """
    with gateway.database.transaction() as connection:
        _check(connection, payment)


def settle(gateway: Gateway, operation: Operation, payment: Payment) -> str:
    """Take a payment and return the value of its receipt header.

    Looking and taking are one transaction: of any number of requests with the same payment, one
    settles.

    Raises:
        PaymentRefusal: it was settled before, or the payer has too little.
        Refusal: ``settlement_unavailable``; nothing was taken.
    """
    gateway.fail_at("settlement", operation)
    payer = payment.payer.lower()
    with gateway.database.transaction() as connection:
        _check(connection, payment)
        (number,) = connection.execute("SELECT count(*) + 1 FROM settlements").fetchone()
        connection.execute(
            "INSERT INTO settlements VALUES (?, ?, ?, ?, ?, ?)",
            (
                payer,
                payment.nonce,
                number,
                str(payment.amount),
                operation.id,
                gateway.clock.seconds(),
            ),
        )
    return _receipt(payment, number)


def _check(connection: sqlite3.Connection, payment: Payment) -> None:
    payer = payment.payer.lower()
    known = "SELECT 1 FROM settlements WHERE payer = ? AND nonce = ?"
    if connection.execute(known, (payer, payment.nonce)).fetchone() is not None:
        raise PaymentRefusal("payment_replayed", "this payment was used before; sign another one")
    spent = connection.execute("SELECT amount FROM settlements WHERE payer = ?", (payer,))
    left = _balance(connection, payer) - sum(int(row["amount"]) for row in spent)
    if left < payment.amount:
        raise PaymentRefusal("payment_insufficient_balance", "the payer has too little")


def _balance(connection: sqlite3.Connection, payer: str) -> int:
    row = connection.execute("SELECT amount FROM balances WHERE account = ?", (payer,)).fetchone()
    return DEFAULT_BALANCE if row is None else int(row["amount"])


def _receipt(payment: Payment, number: int) -> str:
    digest = hashlib.sha256(f"{payment.payer.lower()} {payment.nonce}".encode()).hexdigest()
    receipt = {
        "success": True,
        "transaction": f"0x{digest}",
        "transactionId": f"sandbox-{number:04d}",
        "network": payment.network,
        "payer": payment.payer,
        "amount": str(payment.amount),
        "settlement": "broadcast",
    }
    return base64.b64encode(dump(receipt)).decode("ascii")
