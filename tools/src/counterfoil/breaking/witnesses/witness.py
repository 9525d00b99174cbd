"""A witness: one concrete call or result that two versions of a schema judge differently."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Direction: TypeAlias = Literal["input", "output"]


@dataclass(frozen=True)
class Witness:
    """Show a breaking verdict about a schema.

    Attributes:
        tool: name of what is called.
        direction: ``input`` for arguments that worked before; ``output`` for a result that could
            not come before.
        value: the arguments or the result.
        reason: why the other version refuses the value, or what it does with it instead.
        refused: whether the other version refuses it; ``False`` where it is taken, and a part
            of it has lost its meaning.
    """

    tool: str
    direction: Direction
    value: Any
    reason: str
    refused: bool = True

    @property
    def call(self) -> str:
        """Return the call, or the tool and what it may now return, on one line."""
        value = json.dumps(self.value, ensure_ascii=False)
        if self.direction == "input":
            return f"{self.tool}({value})"
        return f"{self.tool}(…) -> {value}"
