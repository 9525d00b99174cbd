"""Whether a prompt's text and its arguments agree."""

from __future__ import annotations

from counterfoil.contract.model import Contract, Part
from counterfoil.contract.placeholders import named
from counterfoil.contract.report import Report
from counterfoil.contract.values import items

# Other braces are text, so that a prompt can show JSON.


def judge_prompts(contract: Contract, report: Report) -> None:
    """Report placeholders without an argument, the reverse, and text for absent arguments."""
    for server in contract.servers:
        for prompt in server.parts("prompts"):
            _judge(prompt, report)


def _judge(prompt: Part, report: Report) -> None:
    if "messages" not in prompt.data:
        return  # a handler has the text
    arguments = items(prompt.data.get("arguments"))
    names = {argument["name"] for argument in arguments}
    used: set[str] = set()
    for index, message in enumerate(prompt.data["messages"]):
        found = named(message["text"])
        used.update(found)
        for name in sorted(set(found) - names):
            pointer = f"{prompt.pointer}/messages/{index}/text"
            report.add("CF161", pointer, f"{{{name}}} is no argument of the prompt")
    for index, argument in enumerate(arguments):
        pointer = f"{prompt.pointer}/arguments/{index}"
        name = argument["name"]
        if name not in used:
            report.add("CF162", f"{pointer}/name", f'"{name}" stands nowhere in the messages')
        if argument.get("required", False):
            if "whenAbsent" in argument:
                message = f'"{name}" is required, so whenAbsent is never used'
                report.add("CF163", f"{pointer}/whenAbsent", message)
        elif "whenAbsent" not in argument:
            report.add("CF163", pointer, f'"{name}" is optional and has no whenAbsent')
