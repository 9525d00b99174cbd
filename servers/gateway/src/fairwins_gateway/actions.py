"""Actions that can be built, and the EIP-712 messages that they become.

The structs are the sandbox's own; so are the addresses, on which there is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from fairwins_gateway.chains import INDEXED
from fairwins_gateway.errors import Refusal
from fairwins_gateway.jsontext import JsonObject
from fairwins_gateway.payments.offers import ASSET, ASSET_NAME, ASSET_VERSION
from fairwins_gateway.tokens import ADDRESS

REGISTRY = "FairWins Wagers"
POOLS = "FairWins Pools"
CALLSIGNS = "FairWins Callsigns"
# A contract that is not here on a chain is not pinned there, and nothing is built for it.
PINNED: Mapping[tuple[str, int], str] = MappingProxyType(
    {
        (REGISTRY, 137): "0x00000000000000000000000000000000000FA137",
        (REGISTRY, 63): "0x000000000000000000000000000000000000FA63",
        (POOLS, 137): "0x000000000000000000000000000000000900C137",
    }
)
# What a wallet adds before it signs.
WALLET_FIELDS = (("validAfter", "uint256"), ("validBefore", "uint256"), ("nonce", "bytes32"))
_NOTE = "The wallet adds validAfter, validBefore and nonce before it signs."
_UNSIGNED = re.compile(r"0|[1-9][0-9]{0,77}")


@dataclass(frozen=True)
class Action:
    """One action.

    Attributes:
        contract: whose struct it is.
        struct: name of the struct that is signed.
        actor: the struct's field with the account that acts.
        fields: its own fields with their Solidity types, in order; each is a parameter.
        kind: ``payment`` or ``signer-attributed``.
        approval: what else it takes; empty for nothing.
        token_only: whether the struct is the token's authorization, and no struct of ours.
    """

    contract: str
    struct: str
    actor: str
    fields: tuple[tuple[str, str], ...]
    kind: str
    approval: str = ""
    token_only: bool = False


_APPROVAL = "The stake's token has to be approved for the target first."
ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "createWager": Action(
            REGISTRY,
            "CreateWager",
            "creator",
            (
                ("opponent", "address"),
                ("token", "address"),
                ("creatorStake", "uint256"),
                ("opponentStake", "uint256"),
                ("resolutionType", "uint8"),
                ("acceptBefore", "uint256"),
            ),
            "payment",
            _APPROVAL,
        ),
        "acceptWager": Action(
            REGISTRY, "AcceptWager", "opponent", (("wagerId", "uint256"),), "payment", _APPROVAL
        ),
        "claimPayout": Action(
            REGISTRY, "ClaimPayout", "claimant", (("wagerId", "uint256"),), "signer-attributed"
        ),
        "poolJoin": Action(
            POOLS,
            "ReceiveWithAuthorization",
            "from",
            (("value", "uint256"),),
            "payment",
            token_only=True,
        ),
        "callsignCommit": Action(
            CALLSIGNS, "CallsignCommit", "owner", (("commitment", "bytes32"),), "signer-attributed"
        ),
    }
)


def find_action(name: str, chain: int) -> tuple[Action, str]:
    """Return an action and the address that it is pinned to on a chain.

    Raises:
        Refusal: there is no such action or chain, or no pinned contract.
    """
    if chain not in INDEXED:
        raise Refusal(400, "bad_request", f"chain {chain} is not served here")
    if name not in ACTIONS:
        known = ", ".join(ACTIONS)
        reason = f"{name} is no action that this gateway builds; it builds {known}"
        raise Refusal(400, "unsupported_action", reason)
    action = ACTIONS[name]
    if (action.contract, chain) not in PINNED:
        reason = f"no contract is pinned for {name} on chain {chain}"
        raise Refusal(400, "unsupported_action", reason)
    return action, PINNED[action.contract, chain]


def typed_data(
    action: Action, target: str, chain: int, account: str, params: JsonObject
) -> JsonObject:
    """Return an action's unsigned message; the actor is ``account``, whatever ``params`` say.

    Raises:
        Refusal: a parameter is missing, unknown or of another form; each is named.
    """
    own = dict(action.fields)
    unknown = params.keys() - own.keys() - {action.actor}
    if unknown:
        reason = f"there is no parameter {', '.join(sorted(unknown))}"
        raise Refusal(400, "bad_request", reason)
    missing = own.keys() - params.keys()
    if missing:
        reason = f"a parameter is missing: {', '.join(name for name in own if name in missing)}"
        raise Refusal(400, "bad_request", reason)
    values = {name: _value(name, kind, params[name]) for name, kind in own.items()}
    to = {"to": target} if action.token_only else {}
    return {
        "domain": domain(action, target, chain),
        "types": {action.struct: struct(action)},
        "primaryType": action.struct,
        "message": {action.actor: account, **to, **values},
    }


def domain(action: Action, target: str, chain: int) -> JsonObject:
    """Return the EIP-712 domain that an action's signature is bound to."""
    if action.token_only:
        name, version, contract = ASSET_NAME, ASSET_VERSION, ASSET
    else:
        name, version, contract = action.contract, "1", target
    return {"name": name, "version": version, "chainId": chain, "verifyingContract": contract}


def struct(action: Action) -> list[JsonObject]:
    """Return the fields of an action's struct."""
    recipient = (("to", "address"),) if action.token_only else ()
    fields = ((action.actor, "address"), *recipient, *action.fields, *WALLET_FIELDS)
    return [{"name": name, "type": kind} for name, kind in fields]


def built_intent(name: str, chain: int, account: str, params: JsonObject) -> JsonObject:
    """Return what the build route answers.

    Raises:
        Refusal: see ``find_action`` and ``typed_data``.
    """
    action, target = find_action(name, chain)
    return {
        "action": name,
        "chainId": chain,
        "authOnly": action.token_only,
        "typedData": typed_data(action, target, chain, account, params),
        "target": target,
        "actorField": action.actor,
        "intentClass": action.kind,
        "note": f"{_NOTE} {action.approval}".strip(),
        "submitVia": {
            "relay": "/v1/intents",
            "selfSubmit": "Send the transaction to the target from your own wallet.",
        },
    }


def _value(name: str, kind: str, value: Any) -> Any:
    """Return a parameter as EIP-712 takes it; whole numbers become decimal text."""
    text = str(value) if type(value) is int else value
    if not isinstance(text, str):
        raise Refusal(400, "bad_request", f"the parameter {name} is not text or a whole number")
    if kind == "address":
        fits = ADDRESS.fullmatch(text) is not None
    elif kind == "bytes32":
        fits = re.fullmatch(r"0x[0-9a-fA-F]{64}", text) is not None
    else:
        bits = int(kind.removeprefix("uint"))
        fits = _UNSIGNED.fullmatch(text) is not None and int(text) < 1 << bits
    if not fits:
        raise Refusal(400, "bad_request", f"the parameter {name} is not a {kind}")
    return text
