"""The assistant's stand-in: it repeats, under the budget of the real one."""

from __future__ import annotations

from fairwins_gateway.errors import Refusal
from fairwins_gateway.messages import Reply, data
from fairwins_gateway.quotas import HOUR, Claim
from fairwins_gateway.routes.binding import Call

MODEL = "sandbox-echo"
MAX_ROUNDS = 6
ACCOUNT_BUDGET = 200_000
WHOLE_BUDGET = 2_000_000
CHARACTERS_PER_TOKEN = 4
MAX_QUOTE = 400


def answer_chat(call: Call) -> Reply:
    """Repeat the member's last words, and say that no model was asked.

    What a turn takes is counted by its characters, a fourth of which are tokens.

    Raises:
        Refusal: ``bad_request`` when it is not the member's turn, or
            ``assistant_budget_exhausted``.
    """
    messages = call.body()["messages"]
    if messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        reason = "the first and the last turn of a conversation are the member's"
        raise Refusal(400, "bad_request", reason)
    said = messages[-1]["content"]
    quoted = said if len(said) <= MAX_QUOTE else said[:MAX_QUOTE] + "…"
    reply = f"This is a sandbox, and no model was asked. You said: {quoted}"
    took = _tokens(sum(len(turn["content"]) for turn in messages))
    wrote = _tokens(len(reply))
    own = ("assistant tokens, by account", call.caller.account.lower())
    call.gateway.quotas.take(
        [
            Claim(own, ACCOUNT_BUDGET, HOUR, took + wrote),
            Claim(("assistant tokens, all accounts",), WHOLE_BUDGET, HOUR, took + wrote),
        ],
        "assistant_budget_exhausted",
    )
    usage = {"inputTokens": took, "outputTokens": wrote}
    return data({"reply": reply, "model": MODEL, "usage": usage})


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
