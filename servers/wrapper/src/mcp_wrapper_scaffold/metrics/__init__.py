"""One data point for each call of a tool, and where it goes.

``OpenTelemetrySink`` needs the extra ``otel``, ``PrometheusSink`` the extra ``prometheus``; without
it, importing the one raises ``ImportError``, and nothing else does.
"""

from typing import TYPE_CHECKING

from mcp_wrapper_scaffold.metrics.points import DenialSink, MetricsPage, MetricsSink

if TYPE_CHECKING:
    from mcp_wrapper_scaffold.metrics.open_telemetry import OpenTelemetrySink
    from mcp_wrapper_scaffold.metrics.prometheus import PrometheusSink

__all__ = ["DenialSink", "MetricsPage", "MetricsSink", "OpenTelemetrySink", "PrometheusSink"]


def __getattr__(name: str) -> object:
    if name == "OpenTelemetrySink":
        from mcp_wrapper_scaffold.metrics.open_telemetry import OpenTelemetrySink

        return OpenTelemetrySink
    if name == "PrometheusSink":
        from mcp_wrapper_scaffold.metrics.prometheus import PrometheusSink

        return PrometheusSink
    raise AttributeError(name)
