"""Which runs there are, in the order that decides which one is the latest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from haia_trace_mcp.ecmascript import text_key

SUFFIX: Final = ".ndjson"


@dataclass(frozen=True, slots=True)
class RunFile:
    """The name of a run's file, and the run's id."""

    name: str
    run_id: str


def list_runs(names: Iterable[str]) -> list[RunFile]:
    """Pick the run files from a listing, oldest first.

    The order is that of the whole file names by UTF-16 code unit, so ``9`` comes after ``10``.
    A file called exactly ``.ndjson`` is a run of that id, as it is upstream.
    """
    found = sorted((name for name in names if name.endswith(SUFFIX)), key=text_key)
    return [RunFile(name, run_id_of(name)) for name in found]


def run_id_of(name: str) -> str:
    """Return the run id of a file name in a folder."""
    return name if name == SUFFIX else name.removesuffix(SUFFIX)
