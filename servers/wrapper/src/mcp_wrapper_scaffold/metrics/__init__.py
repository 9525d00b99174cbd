"""One data point for each call of a tool, and where it goes."""

from mcp_wrapper_scaffold.metrics.points import DenialSink, MetricsPage, MetricsSink

__all__ = ["DenialSink", "MetricsPage", "MetricsSink"]
