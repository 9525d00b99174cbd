"""Why a model and its schema part, a sentence for each known class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of difference, as the report says it.

    Attributes:
        title: what a model does, in a cell of a table.
        meaning: what that means for whoever uses the model.
    """

    title: str
    meaning: str


KINDS: Mapping[str, Kind] = {
    "accepts": Kind(
        "accepts what the schema refuses",
        "harmless behind a judge of the schema, as in the generated stubs; by itself the model "
        "lets such a value pass.",
    ),
    "refuses": Kind(
        "refuses what the schema accepts",
        "a caller who keeps the contract is turned away.",
    ),
    "changes": Kind(
        "changes the value",
        "what the model gives back is not what was sent, though the schema allows it.",
    ),
}
MODES: Mapping[str, str] = {
    "json": "strict `model_validate_json`",
    "python": "`model_validate`",
}

_ENDLESS = (
    "A condition on a value that may contain itself, or that uses a dynamic reference, cannot be "
    "written out as a rule of the model."
)
_REASONS: Mapping[tuple[str, str], str] = {
    ("accepts", "pattern"): (
        "The pattern uses what Pydantic's engine does not know and what has no form in Python."
    ),
    ("refuses", "pattern"): "The engines read the pattern differently.",
    ("refuses", "maxLength"): "The engines count the characters of a text differently.",
    ("refuses", "minLength"): "The engines count the characters of a text differently.",
    ("refuses", "multipleOf"): "The one compares fractions in binary, the other by decimals.",
    ("refuses", "type"): "The type of the model is narrower than what the schema says.",
    ("changes", "type"): "The type of the model cannot hold the value as it was sent.",
}
_OTHERS: Mapping[str, str] = {
    "accepts": _ENDLESS,
    "refuses": "The model has a narrower form of the keyword than the schema.",
    "changes": "The model writes the value in another form.",
}


def reason(kind: str, keyword: str) -> str:
    """Return why a model does that with a keyword."""
    return _REASONS.get((kind, keyword), _OTHERS[kind])
