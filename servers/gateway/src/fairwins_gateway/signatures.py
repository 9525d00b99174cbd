"""Sandbox signatures: keyed hashes in the place of the wallet's elliptic curve.

The Member API checks ECDSA signatures. A sandbox has no wallets, so here an account's key is
derived from the seed, and a signature is a keyed hash of a text in the 65 bytes that a wallet's
would take. Whoever knows the seed can sign for every account: that is the point of it, and the
reason why such a signature is worth nothing elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac

LENGTH = 65
_RECOVERY_BYTE = b"\x1b"


class Signer:
    """Sign for accounts, and check what was signed, under one seed."""

    def __init__(self, seed: str) -> None:
        self._key = hashlib.sha256(f"fairwins-gateway sandbox\n{seed}".encode()).digest()

    def sign(self, account: str, text: str) -> bytes:
        """Return an account's signature of a text; the account's spelling does not count."""
        key = hmac.digest(self._key, account.lower().encode(), "sha256")
        return hmac.digest(key, text.encode(), "sha512") + _RECOVERY_BYTE

    def accepts(self, account: str, text: str, signature: bytes) -> bool:
        """Tell whether a signature is an account's own of a text."""
        return hmac.compare_digest(self.sign(account, text), signature)
