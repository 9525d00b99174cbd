"""Access tokens of Google service accounts, by signed assertion (RFC 7523).

The exchange goes through the gated fetch of a call, like every other request of a wrapper, to one
fixed address: the ``token_uri`` of a service account's JSON is compared with it and never used,
since whoever writes that JSON would choose who gets the assertion.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from mcp_wrapper_scaffold.errors import FetchError
from mcp_wrapper_scaffold.gate import Fetch, FetchResponse
from mcp_wrapper_scaffold.google_tokens import AccessToken, GoogleTokenError, tokens_of
from mcp_wrapper_scaffold.service_account import TOKEN_URL, ServiceAccount
from mcp_wrapper_scaffold.upstream import describe_refusal

_GRANT: Final = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
_SCOPE = re.compile(r"[!#-\[\]-~]{1,512}")  # RFC 6749, section 3.3
_CODE = re.compile(r"[a-zA-Z0-9_]{1,64}")
_TOKEN = re.compile(r"[!-~]{1,8192}")
_LONGEST_SECONDS: Final = 3600
_SHORTEST_SECONDS: Final = 60


def get_google_access_token(
    sa_json: str,
    scopes: Sequence[str],
    ctx_fetch: Fetch,
    *,
    clock: Callable[[], float] = time.time,
) -> Coroutine[Any, Any, AccessToken]:
    """Return an access token of a service account, from this wrapper's cache or from Google.

    Tokens are kept by wrapper, client_email, private_key_id, key and scopes, up to 60 seconds
    before they expire. Calls that want the same token at the same time share one exchange, and what
    became of it; a failure is not kept, and nothing is tried again.

    Args:
        sa_json: the service account's JSON, as Google hands it out.
        scopes: at least one OAuth scope; order and repetition do not matter.
        ctx_fetch: the gated fetch of the call.
        clock: seconds since 1970.

    Raises:
        GatedFetchDenied: the allowlist lacks ``POST https://oauth2.googleapis.com/token``. It is
            raised by the call itself, before anything is read, signed or sent.
        ValueError: a scope is none; also by the call itself.
        GoogleTokenError: while awaiting: the JSON cannot be used, or Google refuses.
        FetchError: while awaiting: Google could not be reached.
    """
    _ask_gate(ctx_fetch)
    return _get(sa_json, _read_scopes(scopes), ctx_fetch, clock)


def _ask_gate(ctx_fetch: Fetch) -> None:
    """Let the gate refuse the request while there is no assertion yet; nothing is sent."""
    ctx_fetch(TOKEN_URL, method="POST", headers=_FORM).close()


async def _get(
    sa_json: str, scopes: tuple[str, ...], ctx_fetch: Fetch, clock: Callable[[], float]
) -> AccessToken:
    account = ServiceAccount.read(sa_json)

    async def exchange() -> AccessToken:
        now = clock()
        assertion = account.sign(scopes, now=int(now))
        form = urlencode({"grant_type": _GRANT, "assertion": assertion})
        response = await ctx_fetch(TOKEN_URL, method="POST", headers=_FORM, content=form)
        return _read_answer(response, assertion, now)

    key = (*account.identity, *scopes)
    return await tokens_of(ctx_fetch).get(key, exchange, clock)


def _read_scopes(scopes: Sequence[str]) -> tuple[str, ...]:
    if isinstance(scopes, str):
        raise ValueError("scopes is a sequence of scopes, not one text")
    unique = tuple(sorted(set(scopes)))
    if not unique or not all(map(_SCOPE.fullmatch, unique)):
        raise ValueError("scopes are visible ASCII without spaces, and at least one is needed")
    return unique


def _read_answer(response: FetchResponse, assertion: str, now: float) -> AccessToken:
    if response.status != 200:
        raise _refusal(response, assertion, now)
    answer: object = response.json()
    match answer:
        case {"access_token": str(token), "token_type": str(kind), "expires_in": int(seconds)} if (
            kind.lower() == "bearer"
            and _TOKEN.fullmatch(token)
            and type(seconds) is int  # True is an int too
            and seconds > _SHORTEST_SECONDS
        ):
            return AccessToken(token, now + min(seconds, _LONGEST_SECONDS))
        case _:
            raise GoogleTokenError(
                "bad_answer", "Google's token endpoint answered something that is no access token."
            )


def _refusal(response: FetchResponse, assertion: str, now: float) -> GoogleTokenError:
    """Say what Google said, if it is in the form of RFC 6749, section 5.2, and no echo."""
    code, description = _read_error(response)
    if any(part and part in description for part in assertion.split(".")):
        description = ""
    if code == "invalid_grant":
        description += " A key that was deleted, or a clock here that is wrong, is the usual cause."
    refusal = describe_refusal(response, code=code, message=description, now=now)
    return GoogleTokenError(
        code or "refused",
        f"No access token from Google: {refusal.text}",
        status=response.status,
        retry_after=refusal.retry_after,
    )


def _read_error(response: FetchResponse) -> tuple[str, str]:
    try:
        answer: object = response.json()
    except FetchError:  # a page of a proxy, or of a server that is down
        return "", ""
    match answer:
        case {"error": str(code), "error_description": str(description)} if _CODE.fullmatch(code):
            return code, description
        case {"error": str(code)} if _CODE.fullmatch(code):
            return code, ""
        case _:
            return "", ""
