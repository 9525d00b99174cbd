"""Two versions of one thing, and the changes that are reported about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.breaking.changes import Change, Klass, Level, Spot
from counterfoil.breaking.surface import Entry, ServerSurface
from counterfoil.breaking.witnesses import Witness
from counterfoil.contract.values import is_object
from counterfoil.schema.refs import unescape


@dataclass(frozen=True)
class Pair:
    """One thing in the base and in the target.

    Attributes:
        server: id of its server.
        kind: as in :class:`Spot`.
        name: its name in the base.
        base, target: its JSON on both sides.
        base_pointer, target_pointer: where it stands.
        whole: whether both sides know all fields.
    """

    server: str
    kind: str
    name: str
    base: Mapping[str, Any]
    target: Mapping[str, Any]
    base_pointer: str
    target_pointer: str
    whole: bool = True

    def change(
        self,
        code: str,
        klass: Klass,
        levels: frozenset[Level],
        sentence: str,
        *,
        at: str = "",
        path: str = "",
        hint: str = "",
        delta: Any = None,
        witness: Witness | None = None,
    ) -> Change:
        """Return a change of this thing.

        Args:
            code, klass, levels, sentence, hint, delta, witness: as in :class:`Change`.
            at: pointer inside the thing, the same on both sides.
            path: as in :class:`Spot`; default: ``at`` with blanks.
        """
        spot = Spot(self.server, self.kind, self.name, path or at.strip("/").replace("/", " "))
        base = self.base_pointer + _existing(self.base, at)
        target = self.target_pointer + _existing(self.target, at)
        return Change(code, klass, levels, spot, base, target, sentence, hint, witness, delta)


def of_entries(server: ServerSurface, base: Entry, target: Entry) -> Pair:
    """Return the pair of two entries of a server of the base."""
    return Pair(
        server.id, base.kind, base.name, base.data, target.data, base.pointer, target.pointer,
        server.whole,
    )  # fmt: skip


def _existing(data: Mapping[str, Any], at: str) -> str:
    """Return as much of a pointer as leads somewhere."""
    node: Any = dict(data)
    found = ""
    for token in at.split("/")[1:]:
        key = unescape(token)
        if not is_object(node) or key not in node:
            break
        node = node[key]
        found += f"/{token}"
    return found
