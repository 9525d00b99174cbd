"""What an operation of an OpenAPI document answers."""

from __future__ import annotations

from typing import Any

from counterfoil.contract.model import Part, Server
from counterfoil.contract.values import members
from counterfoil.targets.openapi.components import Components

PRICED = frozenset({"assistant", "build", "read"})
_PRICE_STATUS = "402"
_MEANINGS = {
    "400": "The call is wrong.",
    "401": "The credential is not accepted.",
    _PRICE_STATUS: "A price, not a failure: the same call with a payment is carried out.",
    "403": "A decision: the caller may not do this.",
    "404": "There is no such thing.",
    "409": "The call and the present state do not go together.",
    "413": "The call is too large.",
    "429": "Too many calls; try again after as many seconds as Retry-After says.",
}
_CLIENT = "The call was not carried out."
_UNKNOWN = "Could not be established: this is an unknown, neither a refusal nor an empty answer."
_RETRY_AFTER = {
    "description": "Seconds to wait before the next call.",
    "required": True,
    "schema": {"type": "integer", "minimum": 0},
}
# What holds a code where the contract does not name an errorBody of its own.
_ENVELOPE = {
    "type": "object",
    "description": "Why a call was not carried out.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "title": "Error",
            "required": ["code", "reason"],
            "properties": {
                "code": {"type": "string", "description": "For machines."},
                "reason": {"type": "string", "description": "For people: one short sentence."},
            },
        }
    },
}
_PRICE = {
    "type": "object",
    "description": "What the call costs and how to pay, as the API's payment protocol puts it.",
}


def responses(server: Server, route: Part, components: Components) -> dict[str, Any]:
    """Return the answers of a route by status: the successful one first, then its errors.

    A route of a priced class answers 402 too, whether its errors name that status or not.
    """
    errors: dict[str, list[str]] = dict(route.data.get("errors", {}))
    if route.data["class"] in PRICED:
        errors.setdefault(_PRICE_STATUS, [])
    made = {"200": _success(route, components)}
    for status in sorted(errors):
        made[status] = _failure(server, status, errors[status], components)
    return made


def _success(route: Part, components: Components) -> dict[str, Any]:
    description = "The call was carried out."
    if "unreadable" in route.data:
        description += " A place that could not be read says so, as x-unreadable lists."
    made: dict[str, Any] = {"description": description}
    if "response" in route.data:
        pointer = f"{route.pointer}/response"
        schema = components.placed(route.data["response"], f"{route.name}.response", pointer)
        made["content"] = {"application/json": {"schema": schema}}
    return made


def _failure(
    server: Server, status: str, codes: list[str], components: Components
) -> dict[str, Any]:
    meaning = _MEANINGS.get(status) or (_UNKNOWN if status.startswith("5") else _CLIENT)
    made: dict[str, Any] = {"description": meaning}
    if codes:
        made["description"] += f" Codes: {', '.join(f'`{code}`' for code in codes)}."
    if status == "429":
        made["headers"] = {"Retry-After": _RETRY_AFTER}
    forms = [_coded(server, codes, components)] if codes else []
    if status == _PRICE_STATUS:
        forms.append(_offer(server, components))
    schema = forms[0] if len(forms) == 1 else {"anyOf": forms}
    made["content"] = {"application/json": {"schema": schema}}
    return made


def _coded(server: Server, codes: list[str], components: Components) -> dict[str, Any]:
    """Return the body of an error, narrowed to the codes where its form says where they stand."""
    if "errorBody" in server.data:
        given = server.data["errorBody"]
        body = components.placed(given, "errorBody", f"{server.pointer}/errorBody")
        form = components.resolved(given)
    else:
        body, form = components.own("errorEnvelope", _ENVELOPE), _ENVELOPE
    error = components.resolved(members(members(form).get("properties")).get("error"))
    if "code" not in members(members(error).get("properties")):
        return dict(body)
    narrowed = {"properties": {"error": {"properties": {"code": {"enum": list(codes)}}}}}
    return {"allOf": [body, narrowed]}


def _offer(server: Server, components: Components) -> dict[str, Any]:
    payment = members(server.data.get("payment"))
    if "offer" not in payment:
        return components.own("price", _PRICE)
    pointer = f"{server.pointer}/payment/offer"
    return dict(components.placed(payment["offer"], "paymentOffer", pointer))
