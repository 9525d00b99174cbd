"""Prompt templates: messages with the caller's arguments filled in."""

from __future__ import annotations

import re

from fairwins_mcp.errors import INVALID_PARAMS, RpcError, shorten
from fairwins_mcp.values import is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.shapes import JsonObject, PromptEntry

MAX_ARGUMENT_LENGTH = 64  # code points; the values are identifiers, not documents
_PLACEHOLDER = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")


class Prompts:
    """Answer ``prompts/get`` from the snapshot's templates."""

    def __init__(self, entries: list[PromptEntry]) -> None:
        self._entries = {entry["name"]: entry for entry in entries}

    def get(self, params: JsonObject) -> JsonObject:
        """Return description and messages of one prompt.

        Raises:
            RpcError: -32602 for an unknown prompt or argument, a missing required argument, or a
                value that is not one printable line of at most 64 characters. It goes into a text
                that a model obeys, so a line break could add an order of its own.
        """
        name: object = params.get("name")
        entry = self._entries.get(name) if isinstance(name, str) else None
        if entry is None:
            shown = shorten(name) if isinstance(name, str) else "(no name)"
            available = ", ".join(self._entries)
            raise RpcError(INVALID_PARAMS, f"Unknown prompt: {shown}. Available: {available}")
        values = _read_arguments(entry, params.get("arguments"))
        messages = [
            {"role": m["role"], "content": {"type": "text", "text": _fill(m["text"], values)}}
            for m in entry["messages"]
        ]
        return {"description": entry["description"], "messages": messages}


def _read_arguments(entry: PromptEntry, given: object) -> dict[str, str]:
    arguments: object = {} if given is None else given
    if not is_object(arguments):
        raise RpcError(INVALID_PARAMS, "Invalid params: arguments is not an object")
    declared = entry.get("arguments", [])
    unknown = [key for key in arguments if key not in [item["name"] for item in declared]]
    if unknown:
        raise RpcError(INVALID_PARAMS, f"Unknown prompt argument: {shorten(unknown[0])}")
    values: dict[str, str] = {}
    for item in declared:
        value: object = arguments.get(item["name"], "")
        if not isinstance(value, str) or not _is_line(value):
            limit = f"one printable line of at most {MAX_ARGUMENT_LENGTH} characters"
            raise RpcError(INVALID_PARAMS, f"Prompt argument {item['name']} is not {limit}")
        # Forms in clients send an empty field as an empty string: it was not filled in.
        if not value and item.get("required", False):
            raise RpcError(INVALID_PARAMS, f"Missing prompt argument: {item['name']}")
        values[item["name"]] = value or item.get("whenAbsent", "")
    return values


def _is_line(value: str) -> bool:
    return len(value) <= MAX_ARGUMENT_LENGTH and value.isprintable()


def _fill(template: str, values: dict[str, str]) -> str:
    """Replace placeholders of declared arguments, once: a value is never read as a template."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)
