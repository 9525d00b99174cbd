"""The recorded vectors for outbound gates, where they are at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mcp_wrapper_scaffold.allowlist import AllowEntry

_ROOT = Path(__file__).parents[2]
_VARIABLE = "COUNTERFOIL_SHARED"
PATH = Path(os.environ.get(_VARIABLE, _ROOT.parent / "shared")) / "data/hostile_urls.json"
REASON = "the shared folder with hostile_urls.json is not here"


def load() -> dict[str, Any]:
    """Return all vectors; fail where a folder is named that does not have them."""
    if not PATH.is_file() and _VARIABLE not in os.environ:
        pytest.skip(REASON)
    data: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    return data


def rows(name: str) -> list[Any]:
    """Return parameters for the rows of one table; one that is skipped where there is none."""
    if not PATH.is_file() and _VARIABLE not in os.environ:
        return [pytest.param({}, marks=pytest.mark.skip(reason=REASON))]
    return [pytest.param(row, id=_name(row)) for row in load()[name]]


def allowlist() -> list[AllowEntry]:
    """Return the allowlist that the verdicts are about."""
    return [AllowEntry(row["origin"], row["method"], row["path"]) for row in load()["allowlist"]]


def url_of(row: dict[str, Any]) -> str:
    """Return the URL of a row; a very long one is not written out in the file."""
    return str(row["url"] or "https://api.example.com/v1/" + "a" * 70_000)


def _name(row: dict[str, Any]) -> str:
    if "id" in row:
        return str(row["id"])
    if "ip" in row:
        return str(row["ip"])
    return f"{row['method']} {ascii(row['origin'])[1:-1]} {row['path']}"
