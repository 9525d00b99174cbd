"""The long list of dimensions and metrics: complete where it was asked for, narrowed by a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ga4_mcp.reading import misread

# Every property has some of them. Comparisons are left out by Google where there are none.
_ALWAYS: Final = frozenset({"dimensions", "metrics"})
LISTS: Final = ("comparisons", "dimensions", "metrics")


def check_parts(answer: Mapping[str, Any], parts: Sequence[str], place: str) -> None:
    """Refuse an answer that lacks a list which was asked for.

    Raises:
        ToolFailure: it is not there; that is not the same as an empty one.
    """
    lost = [name for name in parts if name in _ALWAYS and not answer.get(name)]
    if lost:
        misread("GET", place, [f"{name}: it is missing" for name in lost])


def narrow(answer: Mapping[str, Any], search: str | None) -> dict[str, Any]:
    """Return an answer with the entries whose apiName or uiName holds a text, in any case."""
    if search is None:
        return dict(answer)
    wanted = search.casefold()
    return {
        name: [entry for entry in value if _holds(entry, wanted)] if name in LISTS else value
        for name, value in answer.items()
    }


def _holds(entry: Mapping[str, Any], wanted: str) -> bool:
    names = (entry.get("apiName", ""), entry.get("uiName", ""))
    return any(wanted in name.casefold() for name in names)
