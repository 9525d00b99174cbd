"""The sandbox's wallet: it signs for every account, since none of them is anybody's."""

from __future__ import annotations

import base64
import copy
import hashlib
from typing import Any

from fairwins_gateway.clock import Clock
from fairwins_gateway.errors import StartError
from fairwins_gateway.jsontext import JsonObject, dump
from fairwins_gateway.revocations import signed_text as revocation_text
from fairwins_gateway.routes.relay import signed_text as intent_text
from fairwins_gateway.signatures import Signer


class Wallet:
    """Sign what a member would sign; ``nonce`` is 32 bytes in hexadecimal, without 0x."""

    def __init__(self, seed: str, clock: Clock) -> None:
        self._signer = Signer(seed)
        self._clock = clock

    def pay(self, offer: Any, payer: str, nonce: str) -> str:
        """Return a payment header that takes an offer, the body of an answer with status 402.

        Raises:
            StartError: it is no offer.
        """
        try:
            chosen = offer["accepts"][0]
            authorization = {
                "from": payer,
                "to": chosen["payTo"],
                "value": chosen["amount"],
                **self._window(chosen["maxTimeoutSeconds"]),
                "nonce": f"0x{nonce}",
            }
        except (KeyError, IndexError, TypeError) as error:
            raise StartError("this is no offer: it has no list of ways to pay") from error
        payment = {
            "x402Version": offer["x402Version"],
            "resource": offer.get("resource"),
            "accepted": chosen,
            "payload": {
                "signature": _shape(self._signer.sign(payer, dump(authorization).decode())),
                "authorization": authorization,
            },
        }
        return base64.b64encode(dump(payment)).decode("ascii")

    def sign_intent(self, built: Any, nonce: str) -> JsonObject:
        """Return the relay's request for what the build route answered.

        Raises:
            StartError: it is not such an answer.
        """
        try:
            typed = copy.deepcopy(built["typedData"])
            actor = typed["message"][built["actorField"]]
            typed["message"].update(self._window(300), nonce=f"0x{nonce}")
            request = {"action": built["action"], "chainId": built["chainId"]}
        except (KeyError, TypeError, AttributeError) as error:
            raise StartError("this is no built intent") from error
        signature = self._signer.sign(str(actor), intent_text(typed))
        return {**request, "typedData": typed, "signature": f"0x{signature.hex()}"}

    def revoke(self, account: str, key_id: str) -> JsonObject:
        """Return the request that withdraws a key."""
        moment = self._clock.seconds()
        signature = self._signer.sign(account, revocation_text(account, key_id, moment))
        return {
            "revocation": {"account": account, "keyId": key_id, "revokedAt": moment},
            "signature": f"0x{signature.hex()}",
        }

    def _window(self, seconds: int) -> JsonObject:
        now = self._clock.seconds()
        return {"validAfter": str(now - 1), "validBefore": str(now + seconds)}


def _shape(signature: bytes) -> str:
    """Give a sandbox signature the shape of an ECDSA one, with r and s in their ranges."""
    r, s = hashlib.sha256(signature).digest(), hashlib.sha256(signature[::-1]).digest()
    return f"0x{r.hex()}3f{s[1:].hex()}1b"
