"""Data points as OpenTelemetry metrics, by the conventions for MCP (extra ``otel``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from opentelemetry.metrics import MeterProvider, get_meter_provider

_SCOPE: Final = "mcp_wrapper_scaffold"
# The boundaries that the conventions ask for, in seconds.
_BOUNDARIES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class OpenTelemetrySink:
    """Record ``mcp.server.operation.duration``, and count ``mcp_wrapper.fetch.denials``.

    A sink only measures; exporting is for the provider that the process has set up.

    Args:
        provider: where instruments come from; the process' global one if left out.
    """

    def __init__(self, provider: MeterProvider | None = None) -> None:
        meter = (provider or get_meter_provider()).get_meter(_SCOPE)
        self._duration = meter.create_histogram(
            "mcp.server.operation.duration",
            unit="s",
            description="How long a call of a tool took",
            explicit_bucket_boundaries_advisory=_BOUNDARIES,
        )
        self._denials = meter.create_counter(
            "mcp_wrapper.fetch.denials",
            unit="{request}",
            description="Requests of handlers that the gate did not let through",
        )

    def write_data_point(
        self, *, blobs: Sequence[str], doubles: Sequence[float], indexes: Sequence[str]
    ) -> None:
        """Record the duration of one call; an error has ``error.type``."""
        tool, outcome = blobs
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "mcp.method.name": "tools/call",
        }
        if outcome == "error":
            attributes["error.type"] = "tool_error"
        self._duration.record(doubles[0] / 1000, attributes)

    def count_denial(self, *, tool: str, code: str, origin: str) -> None:
        """Count one request that the gate refused."""
        attributes = {"gen_ai.tool.name": tool, "error.type": code, "url.origin": origin}
        self._denials.add(1, attributes)
