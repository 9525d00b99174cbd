"""What a comparison finds. It is read more often than made, and needs neither judge nor model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["accepts", "refuses", "changes"]
Mode: TypeAlias = Literal["python", "json"]

MODES: tuple[Mode, ...] = ("python", "json")


@dataclass(frozen=True)
class Difference:
    """One way in which a model and its schema part.

    Attributes:
        kind: what the model does that the schema does not.
        keyword: the keyword of the schema that it is about; ``type`` if none is to blame.
        place: pointer into the value; ``*`` stands for any index.
        modes: ``python`` for ``model_validate``, ``json`` for a strict ``model_validate_json``.
        example: the value that showed it, the shortest one.
        became: for a change, what the value became.
    """

    kind: Kind
    keyword: str
    place: str
    modes: tuple[Mode, ...]
    example: Any
    became: Any = None


@dataclass(frozen=True)
class Comparison:
    """What came of comparing.

    Attributes:
        probes: how many values were tried.
        accepted: how many of them the schema accepts.
        differences: sorted, each kind, keyword and place once.
    """

    probes: int
    accepted: int
    differences: tuple[Difference, ...]
