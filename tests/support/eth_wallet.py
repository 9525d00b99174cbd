"""A wallet in a process of its own: it signs typed data of EIP-712, and tells who signed some.

Usage: ``python eth_wallet.py < REQUEST``. REQUEST is a JSON object: ``key`` alone asks for its
address, with ``typed``, the whole typed data, for a signature as well; ``typed`` and ``signature``
ask for the address of the signer.

The library that does it raises the interpreter's limit on recursion to where the stack does not
reach, so it must not be loaded where other tests run.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from eth_account import Account
from eth_account.messages import encode_typed_data


def answer(request: dict[str, Any]) -> dict[str, str]:
    """Say what was asked for."""
    if "signature" in request:
        message = encode_typed_data(full_message=request["typed"])
        return {"address": Account.recover_message(message, signature=request["signature"])}
    account = Account.from_key(request["key"])
    told = {"address": account.address}
    if "typed" in request:
        message = encode_typed_data(full_message=request["typed"])
        told["signature"] = f"0x{account.sign_message(message).signature.hex()}"
    return told


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin))))
