"""A wallet with a key that is made up here, for x402's scheme "exact" on EVM chains.

The package has a scheme of its own, which brings web3 along; none of that is needed to sign.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from typing import Any, Final

from eth_account import Account
from eth_account.messages import encode_typed_data
from x402 import PaymentRequirements

_NUMBERS: Final = ("value", "validAfter", "validBefore")
_TYPES: Final = {
    "EIP712Domain": {
        "name": "string",
        "version": "string",
        "chainId": "uint256",
        "verifyingContract": "address",
    },
    "TransferWithAuthorization": {
        "from": "address",
        "to": "address",
        "value": "uint256",
        "validAfter": "uint256",
        "validBefore": "uint256",
        "nonce": "bytes32",
    },
}


class Wallet:
    """Sign transfers of EIP-3009 with a key that is forgotten with the process."""

    scheme = "exact"

    def __init__(self) -> None:
        self._key = f"0x{secrets.token_hex(32)}"
        self.address: str = Account.from_key(self._key).address

    def create_payment_payload(self, requirements: PaymentRequirements) -> dict[str, Any]:
        """Return a signed transfer of what is asked for."""
        authorization = {
            "from": self.address,
            "to": requirements.pay_to,
            "value": requirements.amount,
            "validAfter": "0",
            "validBefore": str(int(time.time()) + requirements.max_timeout_seconds),
            "nonce": f"0x{secrets.token_hex(32)}",
        }
        message = encode_typed_data(full_message=_typed(requirements, authorization))
        signed = Account.sign_message(message, self._key)
        return {"signature": f"0x{signed.signature.hex()}", "authorization": authorization}


def signer_of(requirements: PaymentRequirements, payload: Mapping[str, Any]) -> str:
    """Return the address whose key signed a payload for these terms.

    Raises:
        Exception: it is signed by nobody, in the library's own words.
    """
    message = encode_typed_data(full_message=_typed(requirements, payload["authorization"]))
    signer: str = Account.recover_message(message, signature=payload["signature"])
    return signer


def _typed(requirements: PaymentRequirements, authorization: Mapping[str, str]) -> dict[str, Any]:
    """Return the typed data of EIP-712 that is signed, under the domain that the offer names."""
    return {
        "primaryType": "TransferWithAuthorization",
        "types": {
            name: [{"name": key, "type": kind} for key, kind in fields.items()]
            for name, fields in _TYPES.items()
        },
        "domain": {
            "name": requirements.extra["name"],
            "version": requirements.extra["version"],
            "chainId": int(requirements.network.partition(":")[2]),
            "verifyingContract": requirements.asset,
        },
        "message": {k: int(v) if k in _NUMBERS else v for k, v in authorization.items()},
    }
