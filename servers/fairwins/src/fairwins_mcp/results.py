"""Results of a tool call: data passed whole, failures in words, prices as offers."""

from __future__ import annotations

from fairwins_mcp.payments import META_RECEIPT, read_receipt, restate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairwins_mcp.answers import Answer
    from fairwins_mcp.revisions import Revision
    from fairwins_mcp.shapes import Fault, HeaderField, JsonObject

MAX_FAULTS = 20  # faults that a result names one by one


def show_data(answer: Answer, revision: Revision) -> JsonObject:
    """Pass an answer on: the text as it came, and as an object where the revision has it."""
    result: JsonObject = {"content": [_text(answer.text)], "isError": False}
    if revision.structured:
        result["structuredContent"] = answer.write()
    return result


def show_offer(what: str, answer: Answer, price: str, revision: Revision) -> JsonObject:
    """Surface a payment offer whole, in the form that x402 clients look for.

    The first text is the offer and nothing else; the prose follows in a second one. It is not a
    failure to read anything, so it does not carry the sentence about unknowns.
    """
    content = [_text(answer.text), _text(f"{what} has a price. {price}")]
    result: JsonObject = {"content": content, "isError": True}
    if revision.structured:
        result["structuredContent"] = answer.write()
    return result


def show_failure(sentence: str, unknown: str) -> JsonObject:
    """Report a failed call, ending with the sentence that an unknown is not an empty result.

    ``unknown`` is that sentence; empty where nothing was read.
    """
    return {"content": [_text(f"{sentence} {unknown}".rstrip())], "isError": True}


def show_faults(tool: str, faults: list[Fault]) -> JsonObject:
    """Report arguments that do not fit, each by its place. Nothing was sent."""
    lines = [f"- {pointer or '(arguments)'}: {text}" for pointer, text in faults[:MAX_FAULTS]]
    if len(faults) > MAX_FAULTS:
        lines.append(f"- and {len(faults) - MAX_FAULTS} more")
    heading = f"{tool} was not called, because its arguments do not fit:"
    return {"content": [_text("\n".join([heading, *lines]))], "isError": True}


def show_refusal(sentence: str) -> JsonObject:
    """Report a call that this server does not make."""
    return {"content": [_text(sentence)], "isError": True}


def add_receipt(
    result: JsonObject, receipts: Sequence[HeaderField], refused: JsonObject | None = None
) -> JsonObject:
    """Say in a last text what became of the payment, and where x402 clients look for it.

    ``refused`` is the offer with which the API answered a payment.
    """
    result["content"].append(_text(restate(receipts, refused)))
    receipt = read_receipt(receipts)
    if receipt is not None:
        result["_meta"] = {META_RECEIPT: receipt}
    return result


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}
