"""Access tokens of service accounts, against Google's side of the exchange."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import anyio
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from google_service import READ, TOKEN_URL, TokenEndpoint, account, failed, private_key, replied

from mcp_wrapper_scaffold.errors import FetchError, GatedFetchDenied
from mcp_wrapper_scaffold.gate import AnswerHeaders, Fetch, FetchResponse
from mcp_wrapper_scaffold.google import get_google_access_token
from mcp_wrapper_scaffold.google_tokens import (
    AccessToken,
    AccessTokens,
    GoogleTokenError,
    keep_tokens,
)

TOKEN = {"access_token": "ya29.x", "expires_in": 3599, "token_type": "Bearer"}


class Wrapper:
    """Stand in for a wrapper: its fetches reach the endpoint, or are denied or held up."""

    def __init__(self, endpoint: TokenEndpoint | None = None) -> None:
        self.endpoint = endpoint or TokenEndpoint()
        self.tokens = AccessTokens()
        self.is_denied = False
        self.hold: asyncio.Event | None = None
        self.waiting = 0
        self.unreachable = 0

    def fetch(self) -> Fetch:
        """Return the fetch of one call."""

        def fetch(
            url: str,
            *,
            method: str = "GET",
            headers: Any = None,
            content: bytes | str | None = None,
            json: object = ...,
            timeout: float | None = None,
        ) -> Coroutine[Any, Any, FetchResponse]:
            if self.is_denied or (method, url) != ("POST", TOKEN_URL):
                raise GatedFetchDenied(
                    "path", method=method, origin="https://x.test", path="/token"
                )
            return self._exchange(dict(headers), str(content))

        keep_tokens(fetch, self.tokens)
        return fetch

    async def _exchange(self, headers: dict[str, str], content: str) -> FetchResponse:
        self.waiting += 1
        if self.hold is not None:
            await self.hold.wait()
        place = {"method": "POST", "origin": "https://oauth2.googleapis.com", "path": "/token"}
        if self.unreachable:
            self.unreachable -= 1
            raise FetchError("unreachable", **place)
        status, fields, body = self.endpoint.answer(headers["Content-Type"], content.encode())
        return FetchResponse(status, AnswerHeaders(fields.items()), body, **place)

    def get(self, text: str | None = None, *scopes: str) -> Coroutine[Any, Any, AccessToken]:
        """Ask for a token in a call of its own."""
        return get_google_access_token(
            account() if text is None else text,
            scopes or (READ,),
            self.fetch(),
            clock=lambda: self.endpoint.now,
        )


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    async def bounded() -> Any:
        with anyio.fail_after(60):
            return await work()

    return anyio.run(bounded)


def refused(wrapper: Wrapper, text: str | None = None, *scopes: str) -> GoogleTokenError:
    with pytest.raises(GoogleTokenError) as caught:
        run(lambda: wrapper.get(text, *scopes))
    return caught.value


def test_an_assertion_has_the_claims_and_the_key_id_that_google_asks_for() -> None:
    wrapper = Wrapper()
    token = run(wrapper.get)
    now = int(wrapper.endpoint.now)
    assert wrapper.endpoint.given == {token.access_token: READ}
    [(header, claims)] = wrapper.endpoint.assertions
    assert header == {"alg": "RS256", "kid": "0123456789abcdef", "typ": "JWT"}
    assert claims == {
        "iss": "reader@shop.iam.gserviceaccount.example",
        "scope": READ,
        "aud": TOKEN_URL,
        "iat": now,
        "exp": now + 3600,
    }
    assert token.authorization == f"Bearer {token.access_token}"
    assert token.expires_at == now + 3599


def test_a_token_is_no_part_of_a_repr() -> None:
    token = run(Wrapper().get)
    assert token.access_token not in repr(token)
    assert str(token.expires_at) in repr(token)


def test_a_token_is_used_again_until_sixty_seconds_before_its_end() -> None:
    wrapper = Wrapper()
    first = run(wrapper.get)
    wrapper.endpoint.now += 3599 - 60 - 1
    assert run(wrapper.get) is first
    assert wrapper.endpoint.requests == 1
    wrapper.endpoint.now += 1
    assert run(wrapper.get) is not first
    assert wrapper.endpoint.requests == 2


def test_a_token_that_was_discarded_is_not_handed_out_again() -> None:
    wrapper = Wrapper()
    first = run(wrapper.get)
    first.discard()
    second = run(wrapper.get)
    assert second.access_token != first.access_token
    assert run(wrapper.get) is second


def test_order_and_repetition_of_scopes_do_not_matter() -> None:
    wrapper = Wrapper(TokenEndpoint(scopes=frozenset({"a", "b"})))
    first = run(lambda: wrapper.get(None, "b", "a", "b"))
    assert run(lambda: wrapper.get(None, "a", "b")) is first
    assert wrapper.endpoint.given == {first.access_token: "a b"}


@pytest.mark.parametrize(
    "members",
    [
        {"private_key_id": "fedcba9876543210"},
        {"client_email": "other@shop.iam.gserviceaccount.example"},
        {"private_key": private_key(number=1)},
    ],
    ids=["another key id", "another account", "another key under the same names"],
)
def test_another_identity_gets_no_token_of_the_first(members: dict[str, object]) -> None:
    wrapper = Wrapper()
    run(wrapper.get)
    with pytest.raises(GoogleTokenError):
        run(lambda: wrapper.get(account(**members)))
    assert wrapper.endpoint.requests == 2


def test_a_rotated_key_makes_an_exchange_of_its_own() -> None:
    wrapper = Wrapper()
    first = run(wrapper.get)
    wrapper.endpoint.keys = {"new1": private_key(number=2)}
    rotated = account(private_key_id="new1", private_key=private_key(number=2))
    assert run(lambda: wrapper.get(rotated)).access_token != first.access_token


def test_two_wrappers_share_no_tokens() -> None:
    endpoint = TokenEndpoint()
    first, second = run(Wrapper(endpoint).get), run(Wrapper(endpoint).get)
    assert first.access_token != second.access_token
    assert endpoint.requests == 2


def test_a_fetch_of_no_wrapper_keeps_its_own_tokens() -> None:
    wrapper = Wrapper()
    lone = wrapper.fetch()
    del wrapper.tokens

    async def twice() -> tuple[AccessToken, AccessToken]:
        first = await get_google_access_token(account(), [READ], lone, clock=lambda: 1_780_000_000)
        return first, await get_google_access_token(
            account(), [READ], lone, clock=lambda: 1_780_000_000
        )

    first, second = run(twice)
    assert first is second


def test_calls_at_the_same_time_share_one_exchange() -> None:
    wrapper = Wrapper()

    async def together() -> list[AccessToken]:
        wrapper.hold = asyncio.Event()
        calls = [asyncio.create_task(wrapper.get()) for _ in range(50)]
        await anyio.wait_all_tasks_blocked()
        wrapper.hold.set()
        return await asyncio.gather(*calls)

    tokens = run(together)
    assert len({token.access_token for token in tokens}) == 1
    assert wrapper.endpoint.requests == wrapper.waiting == 1


def test_calls_for_different_tokens_do_not_wait_for_one_another() -> None:
    wrapper = Wrapper(TokenEndpoint(scopes=frozenset({"a", "b"})))

    async def together() -> int:
        wrapper.hold = asyncio.Event()
        calls = [asyncio.create_task(wrapper.get(None, scope)) for scope in ("a", "b")]
        await anyio.wait_all_tasks_blocked()
        waiting = wrapper.waiting
        wrapper.hold.set()
        await asyncio.gather(*calls)
        return waiting

    assert run(together) == 2


def test_the_next_call_makes_the_exchange_when_the_first_is_cancelled() -> None:
    wrapper = Wrapper()

    async def cancelled() -> list[AccessToken]:
        wrapper.hold = asyncio.Event()
        first, *others = [asyncio.create_task(wrapper.get()) for _ in range(4)]
        await anyio.wait_all_tasks_blocked()
        first.cancel()
        await anyio.wait_all_tasks_blocked()
        assert first.cancelled()
        wrapper.hold.set()
        return await asyncio.gather(*others)

    assert len({token.access_token for token in run(cancelled)}) == 1
    assert (wrapper.waiting, wrapper.endpoint.requests) == (2, 1)


def test_a_call_that_is_cancelled_while_it_waits_disturbs_no_other() -> None:
    wrapper = Wrapper()

    async def cancelled() -> list[AccessToken]:
        wrapper.hold = asyncio.Event()
        first, second, third = [asyncio.create_task(wrapper.get()) for _ in range(3)]
        await anyio.wait_all_tasks_blocked()
        second.cancel()
        await anyio.wait_all_tasks_blocked()
        assert second.cancelled()
        wrapper.hold.set()
        return await asyncio.gather(first, third)

    first, third = run(cancelled)
    assert first is third
    assert wrapper.waiting == 1


def test_calls_that_wait_share_a_failure_and_the_next_one_tries_anew() -> None:
    wrapper = Wrapper()
    wrapper.unreachable = 1

    async def together() -> list[object]:
        wrapper.hold = asyncio.Event()
        calls = [asyncio.create_task(wrapper.get()) for _ in range(10)]
        await anyio.wait_all_tasks_blocked()
        wrapper.hold.set()
        return await asyncio.gather(*calls, return_exceptions=True)

    assert [type(outcome) for outcome in run(together)] == [FetchError] * 10
    assert (wrapper.waiting, wrapper.endpoint.requests) == (1, 0)
    assert run(wrapper.get).access_token in wrapper.endpoint.given


def test_a_refusal_is_not_kept() -> None:
    wrapper = Wrapper()
    wrapper.endpoint.scripted = [failed(400, "invalid_grant", "Invalid JWT Signature.")]
    refused(wrapper)
    assert run(wrapper.get).access_token in wrapper.endpoint.given
    assert wrapper.endpoint.requests == 2


def test_the_gate_denies_at_the_call_before_the_json_is_looked_at() -> None:
    wrapper = Wrapper()
    wrapper.is_denied = True
    with pytest.raises(GatedFetchDenied):
        get_google_access_token("no JSON at all", [READ], wrapper.fetch())
    assert wrapper.waiting == 0


def test_a_denial_while_sending_is_each_calls_own() -> None:
    wrapper = Wrapper()
    endpoint, denials = wrapper.endpoint, 0

    async def deny(headers: dict[str, str], content: str) -> FetchResponse:
        nonlocal denials
        await asyncio.sleep(0)
        denials += 1
        raise GatedFetchDenied("address", method="POST", origin="https://x.test", path="/token")

    wrapper._exchange = deny  # type: ignore[method-assign] # the seam of this stand-in

    async def together() -> list[object]:
        return await asyncio.gather(*(wrapper.get() for _ in range(3)), return_exceptions=True)

    assert [type(outcome) for outcome in run(together)] == [GatedFetchDenied] * 3
    assert (denials, endpoint.requests) == (3, 0)


@pytest.mark.parametrize("scopes", [[], "", READ, ["a b"], ["a\n"], [""], ['a"'], ["ä"]])
def test_scopes_that_are_none_are_refused_at_the_call(scopes: Any) -> None:
    with pytest.raises(ValueError, match="scope"):
        get_google_access_token(account(), scopes, Wrapper().fetch())


def _pem(key: Any, password: bytes | None = None) -> str:
    encryption: Any = serialization.NoEncryption()
    if password:
        encryption = serialization.BestAvailableEncryption(password)
    form = serialization.PrivateFormat.PKCS8
    return str(key.private_bytes(serialization.Encoding.PEM, form, encryption).decode())


def _public_pem() -> str:
    key = serialization.load_pem_private_key(private_key().encode(), None).public_key()
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_bytes(serialization.Encoding.PEM, form).decode()


ENCRYPTED = _pem(rsa.generate_private_key(public_exponent=65537, key_size=2048), b"secret")
EDWARDS = _pem(ed25519.Ed25519PrivateKey.generate())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON"),
        ("[]", "no JSON object"),
        ("[" * 100_000, "no JSON"),
        (account(type="authorized_user"), '"type"'),
        (account(type="absent"), '"type"'),
        (account(token_uri="https://oauth2.googleapis.com.evil.test/token"), '"token_uri"'),
        (account(token_uri="https://oauth2.googleapis.com/token?x"), '"token_uri"'),
        (account(token_uri=None), '"token_uri"'),
        (account(universe_domain="evil.test"), '"universe_domain"'),
        (account(client_email="absent"), '"client_email"'),
        (account(client_email="reader"), '"client_email"'),
        (account(client_email="a@b\n"), '"client_email"'),
        (account(private_key_id="absent"), '"private_key_id"'),
        (account(private_key_id=7), '"private_key_id"'),
        (account(private_key="absent"), '"private_key"'),
        (account(private_key="key"), "no PEM of a private key"),
        (account(private_key="\ud800"), "no PEM of a private key"),
        (account(private_key=_public_pem()), "no PEM of a private key"),
        (account(private_key=ENCRYPTED), "encrypted"),
        (account(private_key=EDWARDS), "no RSA key"),
        (account(private_key=private_key(1024)), "1024 bits"),
        (account(private_key=private_key(2047)), "2047 bits"),
        (account(private_key=private_key().replace("\n", "\\n")), "escaped once too often"),
        (account().replace("\\n", "\n"), "line ends inside a text"),
    ],
)
def test_an_account_that_cannot_be_used_is_refused_without_a_request(
    text: str, reason: str
) -> None:
    wrapper = Wrapper()
    error = refused(wrapper, text)
    assert (error.code, error.status) == ("service_account", None)
    assert reason in error.text
    assert wrapper.waiting == 0
    assert "PRIVATE KEY" not in error.text
    assert "evil.test" not in error.text


def test_a_key_of_2048_bits_without_the_optional_members_is_taken() -> None:
    bare = account(
        token_uri="absent", universe_domain="absent", project_id="absent", client_id="absent"
    )
    assert run(lambda: Wrapper().get(bare)).access_token


@pytest.mark.parametrize(
    ("scripted", "code", "words"),
    [
        (failed(400, "invalid_grant", "Invalid JWT Signature."), "invalid_grant", "a clock here"),
        (failed(400, "invalid_scope", "Bad scope."), "invalid_scope", "Bad scope."),
        (failed(401, "invalid_client", "No client."), "invalid_client", "status 401"),
        (replied({"error": "unauthorized_client"}, 401), "unauthorized_client", "status 401"),
        ((503, {"content-type": "text/html"}, b"<h1>busy</h1>"), "refused", "status 503"),
        ((500, {}, b""), "refused", "status 500"),
        ((302, {"location": "https://evil.test/"}, b""), "refused", "status 302"),
        (replied({"error": {"code": 500}}, 500), "refused", "status 500"),
        (replied({"error": "not a code!"}, 400), "refused", "status 400"),
        (replied([], 400), "refused", "status 400"),
    ],
)
def test_a_refusal_names_the_request_the_status_and_googles_code(
    scripted: Any, code: str, words: str
) -> None:
    wrapper = Wrapper()
    wrapper.endpoint.scripted = [scripted]
    error = refused(wrapper)
    assert (error.code, error.status, error.retry_after) == (code, scripted[0], None)
    assert words in error.text
    assert "POST https://oauth2.googleapis.com/token" in error.text
    assert not any(part in error.text for part in ("h1", "evil.test", "not a code"))


def test_a_refusal_says_when_google_wants_to_be_asked_again() -> None:
    wrapper = Wrapper()
    wrapper.endpoint.scripted = [
        replied({"error": "rate_limit_exceeded"}, 429, **{"retry-after": "17"})
    ]
    error = refused(wrapper)
    assert error.retry_after == 17
    assert "17 seconds" in error.text


def test_a_refusal_repeats_no_assertion_and_no_long_text() -> None:
    wrapper = Wrapper()
    sent: list[str] = []

    def echo(content_type: str, body: bytes) -> Any:
        sent.append(body.decode().rpartition("=")[2])
        return failed(400, "invalid_grant", f"Bad assertion {sent[0]}")

    wrapper.endpoint.answer = echo  # type: ignore[method-assign] # another endpoint
    text = refused(wrapper).text
    assert all(part not in text for part in sent[0].split("."))
    wrapper = Wrapper()
    wrapper.endpoint.scripted = [failed(400, "invalid_grant", "\x1b[31m" + "long " * 1000)]
    text = refused(wrapper).text
    assert len(text) < 500
    assert text.isprintable()


@pytest.mark.parametrize(
    "answer",
    [
        TOKEN | {"token_type": "mac"},
        TOKEN | {"access_token": ""},
        TOKEN | {"access_token": "two words"},
        TOKEN | {"access_token": "line\r\nX: y"},
        TOKEN | {"access_token": "ä"},
        TOKEN | {"access_token": 7},
        TOKEN | {"expires_in": 60},
        TOKEN | {"expires_in": "3599"},
        TOKEN | {"expires_in": True},
        TOKEN | {"expires_in": 3599.0},
        {"access_token": "ya29.x", "token_type": "Bearer"},
        {"id_token": "x"},
        [],
        None,
    ],
)
def test_an_answer_that_is_no_token_is_none(answer: object) -> None:
    wrapper = Wrapper()
    wrapper.endpoint.scripted = [replied(answer)]
    error = refused(wrapper)
    assert error.code == "bad_answer"
    assert "ya29" not in error.text


def test_an_answer_that_is_no_json_is_a_failed_read() -> None:
    wrapper = Wrapper()
    wrapper.endpoint.scripted = [(200, {"content-type": "text/html"}, b"<p>hello</p>")]
    with pytest.raises(FetchError) as caught:
        run(wrapper.get)
    assert caught.value.code == "not_json"


def test_the_kind_of_a_token_is_read_in_any_case_and_its_life_is_bounded() -> None:
    wrapper = Wrapper()
    wrapper.endpoint.scripted = [replied(TOKEN | {"token_type": "bearer", "expires_in": 10**30})]
    assert run(wrapper.get).expires_at == wrapper.endpoint.now + 3600


def test_a_wrapper_keeps_a_bounded_number_of_tokens() -> None:
    scopes = [f"s{number}" for number in range(70)]
    wrapper = Wrapper(TokenEndpoint(scopes=frozenset(scopes)))

    async def many() -> None:
        for scope in [*scopes, scopes[-1], scopes[0]]:
            await wrapper.get(None, scope)

    run(many)
    assert wrapper.endpoint.requests == 71  # the last was kept, the first was not


def test_the_fixture_is_what_google_hands_out() -> None:
    assert json.loads(account())["token_uri"] == TOKEN_URL
