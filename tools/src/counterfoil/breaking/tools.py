"""What changed about a tool."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.breaking.changes import PROGRAMS, Change
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.surface import Entry
from counterfoil.breaking.witnesses import Witness
from counterfoil.contract.values import members, texts


def tool_changes(pair: Pair, base: Entry, target: Entry) -> Iterator[Change]:
    """Yield the changes of a tool that both sides have."""
    if base.data == target.data and base.shared == target.shared:
        return
    ours, theirs = members(base.data["inputSchema"]), members(target.data["inputSchema"])
    for name in sorted({*texts(theirs.get("required"))} - {*texts(ours.get("required"))}):
        yield pair.change(
            "CF410", "breaking", PROGRAMS, f'every call needs "{name}" now',
            at="/inputSchema/required", path=f"inputSchema {name} required", delta=name,
            hint="make it optional, with a default that keeps the old meaning",
            witness=Witness(base.name, "input", {}, f'lacks "{name}"'),
        )  # fmt: skip
