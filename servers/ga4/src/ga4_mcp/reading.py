"""One request to Google Analytics, and what its answer means."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn, cast

from pydantic import BaseModel, ValidationError

from counterfoil_bindings.runtime import ToolFailure
from mcp_wrapper_scaffold import (
    AccessToken,
    Context,
    FetchError,
    FetchResponse,
    GoogleTokenError,
    describe_refusal,
    get_google_access_token,
)

SERVICE_ACCOUNT: Final = "GA4_SERVICE_ACCOUNT"
SCOPE: Final = "https://www.googleapis.com/auth/analytics.readonly"
UNKNOWN: Final = "Nothing was read, so nothing is known: do not report it as none or zero."
_PLACES = 4
_DELAY = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)s")  # google.protobuf.Duration in JSON
_HINTS: Final[Mapping[str, str]] = {
    "NOT_FOUND": "list_account_summaries lists what the service account can see.",
    "PERMISSION_DENIED": (
        "Somebody who administers the property can add the service account's address as a viewer."
    ),
    "RESOURCE_EXHAUSTED": (
        "A quota of the property is used up; returnPropertyQuota shows how much there is of each."
    ),
    "UNAUTHENTICATED": "Google did not take the access token; the next call gets a new one.",
}


@dataclass(frozen=True)
class Read:
    """A request that reads.

    Attributes:
        url: where it goes.
        body: what to POST as JSON; None for a GET.
    """

    url: str
    body: Mapping[str, object] | None = None


async def read(ctx: Context, request: Read, shape: type[BaseModel]) -> dict[str, Any]:
    """Return Google's answer.

    Args:
        ctx: of the call.
        request: what to read.
        shape: the model of the tool's answer.

    Raises:
        ToolFailure: Google refused, or answered something that has not this shape.
        FetchError: it could not be reached, or did not answer in JSON.
        SecretUnavailable: there is no service account.
    """
    token = await _authorize(ctx)
    headers = {"Accept": "application/json", "Authorization": f"Bearer {token.access_token}"}
    if request.body is None:
        response = await ctx.fetch(request.url, headers=headers)
    else:
        response = await ctx.fetch(request.url, method="POST", headers=headers, json=request.body)
    if response.status == 401:
        token.discard()
    if response.status != 200:
        _refuse(response)
    body = response.json()
    try:
        shape.model_validate(body)
    except ValidationError as error:
        misread(response.method, response.origin + response.path, _places(error))
    return cast("dict[str, Any]", body)


async def _authorize(ctx: Context) -> AccessToken:
    account = await ctx.secret(SERVICE_ACCOUNT)
    try:
        return await get_google_access_token(account, [SCOPE], ctx.fetch)
    except GoogleTokenError as error:
        details = {"code": error.code, "status": error.status, "retryAfter": error.retry_after}
        known = {name: value for name, value in details.items() if value is not None}
        raise ToolFailure(f"{error.text} {UNKNOWN}", known) from None


def misread(method: str, place: str, faults: list[str]) -> NoReturn:
    """Say that an answer is not what Google documents.

    Args:
        method: of the request.
        place: its URL without a query.
        faults: what is wrong, without values.

    Raises:
        ToolFailure: always.
    """
    request = f"{method} {place}"
    found = "; ".join(faults)
    text = f"Google's answer to {request} is not in its documented form: {found}. {UNKNOWN}"
    # Not chained: the cause would carry the answer along.
    raise ToolFailure(text, {"request": request}) from None


def _refuse(response: FetchResponse) -> NoReturn:
    code, message, wait = _read_error(response)
    refusal = describe_refusal(response, code=code, message=message, wait=wait)
    hint = _HINTS.get(code, "")
    text = " ".join(filter(None, ("Google refused.", refusal.text, hint, UNKNOWN)))
    raise ToolFailure(text, refusal.details)


def _read_error(response: FetchResponse) -> tuple[str, str, int | None]:
    """Return code, message and delay of a google.rpc.Status in JSON."""
    try:
        body = response.json()
    except FetchError:  # a page of a proxy, or of a server that is down
        return "", "", None
    match body:
        case {"error": {"status": str(code), "message": str(message), **rest}}:
            return code, message, _delay(rest.get("details"))
        case {"error": {"status": str(code)}}:
            return code, "", None
        case {"error": {"message": str(message)}}:
            return "", message, None
        case _:
            return "", "", None


def _delay(details: object) -> int | None:
    """Return the seconds of a google.rpc.RetryInfo, rounded up."""
    if not isinstance(details, list):
        return None
    for detail in cast("list[object]", details):
        match detail:
            case {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": str(text)}:
                found = _DELAY.fullmatch(text)
                return math.ceil(float(found[1])) if found else None
            case _:
                continue
    return None


def _places(error: ValidationError) -> list[str]:
    """Return ``place: sentence`` of the first faults, without the values."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults[:_PLACES]]
    return lines if len(faults) <= _PLACES else [*lines, "and more"]
