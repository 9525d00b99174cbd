"""JSDoc: descriptions, and what a TypeScript type cannot say."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from counterfoil.contract.values import members, text
from counterfoil.schema.limits import default, limits
from counterfoil.schema.phrases import plain

_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
# A tag, or one of the compiler's directives, is read at the start of a line and after {.
_TAG = re.compile(r"^(\s*)@|(\{)@")
_WIDTH = 92


def comment(words: str, note: str = "", *, indent: str = "", deprecated: str = "") -> str:
    """Return a JSDoc block with a final newline, or nothing when there is nothing to say.

    Args:
        words: text of the contract; it is wrapped.
        note: a sentence that stands on a line of its own, since code in it must not be broken.
        indent: what each line begins with.
        deprecated: what to say of the thing's end; empty when it stays.
    """
    said = [part for line in _BREAKS.split(words) for part in _wrapped(line)] if words else []
    lines = [_safe(line) for line in (*said, *(_BREAKS.split(note) if note else ()))]
    if deprecated:
        lines.append(f"@deprecated {_safe(' '.join(_BREAKS.split(deprecated)))}")
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


def schema_comment(schema: Any) -> str:
    """Return the comment of a property: its description, limits and default."""
    known = members(schema)
    gone = "The schema says so." if known.get("deprecated") is True else ""
    return comment(text(known.get("description")), notes(schema), deprecated=gone)


def notes(schema: Any) -> str:
    """Return limits and default of a schema as one sentence, or nothing."""
    said = [plain(limit) for limit in limits(schema) if plain(limit) not in _SAID_BY_TYPE]
    if members(schema).get("type") == "integer":
        said.insert(0, "whole number")
    if default(schema):
        said.append(f"default {plain(default(schema))}")
    joined = "; ".join(said)
    return f"{joined[0].upper()}{joined[1:]}." if joined else ""


_SAID_BY_TYPE = frozenset({"no other members", "no members"})


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False) or [""]


def _safe(line: str) -> str:
    """Return a line that neither ends the comment or a script element nor reads as a tag."""
    inert = line.replace("*/", "*\\/").replace("</", "<\\/").replace("<!", "<\\!")
    return _TAG.sub(r"\1\2\\@", inert)
