"""One state of a contract, or of what a server lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from counterfoil.breaking.surface import Surface
from counterfoil.contract.model import Contract
from counterfoil.contract.source import Place, locate


@dataclass(frozen=True)
class Edition:
    """Hold a surface, and the text in which its pointers lead somewhere.

    Attributes:
        surface: what callers see.
        path: as findings show it: a file, ``REVISION:PATH``, or a server.
        about: where it is from, for people, when the path does not say it; may be empty.
        text: the JSON text, with line ends of one character; empty for a running server.
        contract: the contract; ``None`` for what a server lists.
        moved: pointers that a comparison gives of a recorded list, and where they lead here.
    """

    surface: Surface
    path: str
    about: str = ""
    text: str = field(default="", repr=False)
    contract: Contract | None = field(default=None, repr=False)
    moved: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @property
    def shown(self) -> str:
        """Name it for people."""
        return f"{self.path} ({self.about})" if self.about else self.path

    def places(self, pointers: Iterable[str]) -> Mapping[str, Place]:
        """Return 1-based line and column of each pointer; none for a running server."""
        wanted = set(pointers)
        return locate(self.text, wanted) if self.text and wanted else {}
