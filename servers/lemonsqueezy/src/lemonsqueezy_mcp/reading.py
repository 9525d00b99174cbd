"""One request to LemonSqueezy, and what its answer means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn, cast

from pydantic import BaseModel, ValidationError

from counterfoil_bindings.runtime import ToolFailure
from lemonsqueezy_mcp.links import withhold_links
from mcp_wrapper_scaffold import Context, FetchError, FetchResponse, describe_refusal

API_KEY: Final = "LEMONSQUEEZY_API_KEY"
_MEDIA: Final = "application/vnd.api+json"
_VISIBLE = re.compile(r"[!-~]+")
_PLACES = 4
_HINTS: Final[Mapping[int, str]] = {
    401: "LemonSqueezy does not take this server's API key.",
    404: "There is no such record for this API key; test and live keys see different records.",
    429: "LemonSqueezy answers 300 calls a minute.",
}
_UNKNOWN: Final = "Nothing was read, so nothing is known: do not report it as none or zero."


async def read(ctx: Context, url: str, shape: type[BaseModel]) -> Mapping[str, object]:
    """Return LemonSqueezy's answer to a GET, without signed links.

    Args:
        ctx: of the call.
        url: what to read.
        shape: the model of the tool's answer.

    Raises:
        ToolFailure: the API refused, or answered something that has not this shape.
        FetchError: it could not be reached, or did not answer in JSON.
        SecretUnavailable: there is no API key.
    """
    key = await ctx.secret(API_KEY)
    fault = find_key_fault(key)
    if fault is not None:
        raise ToolFailure(f"This server's {API_KEY} cannot be sent: {fault}. {_UNKNOWN}")
    headers = {"Accept": _MEDIA, "Content-Type": _MEDIA, "Authorization": f"Bearer {key}"}
    response = await ctx.fetch(url, headers=headers)
    if response.status != 200:
        _refuse(response)
    body: object = response.json()
    try:
        shape.model_validate(body)
        return cast("Mapping[str, object]", withhold_links(body))
    except ValidationError as error:
        _misread(response, _places(error))
    except RecursionError:
        _misread(response, ["it is nested too deeply"])


def find_key_fault(key: str) -> str | None:
    """Return why a text cannot be sent as an API key, or None."""
    return None if _VISIBLE.fullmatch(key) else "it is not visible ASCII without spaces"


def check_record(answer: Mapping[str, Any], kind: str, record_id: str) -> Mapping[str, object]:
    """Return an answer that is about the record that was asked for.

    Raises:
        ToolFailure: it is about another one.
    """
    record = answer["data"]
    if (record["type"], record["id"]) != (kind, record_id):
        raise ToolFailure(
            f"LemonSqueezy was asked for {kind}/{record_id} and answered with another record. "
            f"{_UNKNOWN}"
        )
    return answer


def _refuse(response: FetchResponse) -> NoReturn:
    title, detail = _read_error(response)
    refusal = describe_refusal(response, code=title, message=detail)
    hint = _HINTS.get(response.status, "")
    text = " ".join(filter(None, ("LemonSqueezy refused.", refusal.text, hint, _UNKNOWN)))
    raise ToolFailure(text, refusal.details)


def _misread(response: FetchResponse, places: list[str]) -> NoReturn:
    request = f"{response.method} {response.origin}{response.path}"
    found = "; ".join(places)
    text = f"LemonSqueezy's answer to {request} is not in its documented form: {found}. {_UNKNOWN}"
    # Not chained: the cause would carry the answer along.
    raise ToolFailure(text, {"request": request, "status": response.status}) from None


def _places(error: ValidationError) -> list[str]:
    """Return ``place: sentence`` of the first faults, without the values."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults[:_PLACES]]
    return lines if len(faults) <= _PLACES else [*lines, "and more"]


def _read_error(response: FetchResponse) -> tuple[str, str]:
    """Return title and detail of the first error object (JSON:API 1.0, "Errors")."""
    try:
        body = response.json()
    except FetchError:  # a page of a proxy, or of a server that is down
        return "", ""
    match body:
        case {"errors": [{"title": str(title), "detail": str(detail)}, *_]}:
            return title, detail
        case {"errors": [{"title": str(title)}, *_]}:
            return title, ""
        case {"errors": [{"detail": str(detail)}, *_]}:
            return "", detail
        case {"message": str(message)}:
            return "", message
        case _:
            return "", ""
