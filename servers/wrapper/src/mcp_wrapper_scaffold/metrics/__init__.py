"""One data point for each call of a tool, and where it goes.

``OpenTelemetrySink`` needs the extra ``otel``, ``PrometheusSink`` the extra ``prometheus``; without
it, importing the one raises ``ImportError``, and nothing else does.
"""

import importlib as _importlib
import typing as _typing

from mcp_wrapper_scaffold.metrics.points import DenialSink, MetricsPage, MetricsSink

if _typing.TYPE_CHECKING:
    from mcp_wrapper_scaffold.metrics.open_telemetry import OpenTelemetrySink
    from mcp_wrapper_scaffold.metrics.prometheus import PrometheusSink

__all__ = ["DenialSink", "MetricsPage", "MetricsSink", "OpenTelemetrySink", "PrometheusSink"]

_HOMES = {"OpenTelemetrySink": "open_telemetry", "PrometheusSink": "prometheus"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(_importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
