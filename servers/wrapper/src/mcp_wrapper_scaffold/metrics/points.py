"""Data points: written for each call, never able to fail one."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, runtime_checkable

LOG = logging.getLogger(__name__)
# Stands for every name that is no tool's: callers must not be able to invent labels. No tool can
# have this name.
UNKNOWN_TOOL: Final = "(unknown)"
OTHER_ORIGIN: Final = "(other)"


class MetricsSink(Protocol):
    """Take one data point for each ``tools/call``, in the shape of Cloudflare's analytics."""

    def write_data_point(
        self, *, blobs: Sequence[str], doubles: Sequence[float], indexes: Sequence[str]
    ) -> None:
        """Take a point without waiting for anything.

        Args:
            blobs: the tool, and ``ok`` or ``error``.
            doubles: how long the call took in milliseconds, and when it ended in milliseconds
                since 1970.
            indexes: the tool.
        """
        ...


@runtime_checkable
class DenialSink(Protocol):
    """Count the requests that the gate refused; a sink may be one of these too."""

    def count_denial(self, *, tool: str, code: str, origin: str) -> None:
        """Count one, without waiting for anything.

        Args:
            tool: the tool whose handler asked.
            code: why, one of a fixed list.
            origin: an origin of the allowlist, or ``(other)``.
        """
        ...


@runtime_checkable
class MetricsPage(Protocol):
    """Show metrics as a page that is fetched; a sink may be one of these too."""

    def render(self) -> tuple[str, bytes]:
        """Return the content type and the page as it is now."""
        ...


class Meter:
    """Write to every sink; what a sink raises is logged and goes no further.

    Args:
        sinks: where points go.
        is_tool: tells the names that may become labels.
        origins: the origins that may become labels.
        wall_clock: seconds since 1970.
    """

    def __init__(
        self,
        sinks: Sequence[MetricsSink],
        is_tool: Callable[[str], bool],
        origins: Iterable[str],
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._sinks = tuple(sinks)
        self._is_tool = is_tool
        self._origins = frozenset(origins)
        self._wall_clock = wall_clock

    def call(self, tool: str, is_ok: bool, seconds: float) -> None:
        """Write the point of a call that has ended."""
        name = tool if self._is_tool(tool) else UNKNOWN_TOOL
        timestamp = float(int(self._wall_clock() * 1000))
        for sink in self._sinks:
            try:
                sink.write_data_point(
                    blobs=[name, "ok" if is_ok else "error"],
                    doubles=[seconds * 1000, timestamp],
                    indexes=[name],
                )
            except Exception:  # a sink is not ours, and no call fails for it
                LOG.exception("a metrics sink failed: %s", type(sink).__name__)

    def denial(self, tool: str, code: str, origin: str) -> None:
        """Count a denied request where a sink can."""
        name = tool if self._is_tool(tool) else UNKNOWN_TOOL
        place = origin if origin in self._origins else OTHER_ORIGIN
        for sink in self._sinks:
            if not isinstance(sink, DenialSink):
                continue
            try:
                sink.count_denial(tool=name, code=code, origin=place)
            except Exception:  # a sink is not ours, and no call fails for it
                LOG.exception("a metrics sink failed: %s", type(sink).__name__)
