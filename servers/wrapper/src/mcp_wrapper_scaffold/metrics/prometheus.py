"""Data points as a page in Prometheus' text format (extra ``prometheus``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import generate_latest

_BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class PrometheusSink:
    """Keep ``mcp_tool_call_duration_seconds`` and ``mcp_fetch_denials_total``.

    The registry is the sink's own, so that two wrappers in one process do not mix. A wrapper that
    is given this sink serves the page at ``/metrics``, to whoever has its token.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._duration = Histogram(
            "mcp_tool_call_duration_seconds",
            "How long calls of a tool took",
            ("tool", "outcome"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._denials = Counter(
            "mcp_fetch_denials",
            "Requests of handlers that the gate did not let through",
            ("tool", "code", "origin"),
            registry=self._registry,
        )

    def write_data_point(
        self, *, blobs: Sequence[str], doubles: Sequence[float], indexes: Sequence[str]
    ) -> None:
        """Keep the duration of one call."""
        tool, outcome = blobs
        self._duration.labels(tool, outcome).observe(doubles[0] / 1000)

    def count_denial(self, *, tool: str, code: str, origin: str) -> None:
        """Count one request that the gate refused."""
        self._denials.labels(tool, code, origin).inc()

    def render(self) -> tuple[str, bytes]:
        """Return the content type and the page as it is now."""
        return CONTENT_TYPE_LATEST, generate_latest(self._registry)
