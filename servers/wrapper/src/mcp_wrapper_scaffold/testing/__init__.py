"""What wrappers are tested with: a client in the process, a recorded upstream, a closed network.

The fixtures of ``mcp_wrapper_scaffold.testing.plugin`` are there wherever pytest is.
"""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from mcp_wrapper_scaffold.testing.client import Answer, CallRefused, WrapperClient, exchange
    from mcp_wrapper_scaffold.testing.guard import Attempt, Guard, OutsideGate
    from mcp_wrapper_scaffold.testing.recorded import RecordedUpstream, SentRequest, UpstreamFault
    from mcp_wrapper_scaffold.testing.wire import LoopbackNetwork

__all__ = [
    "Answer",
    "Attempt",
    "CallRefused",
    "Guard",
    "LoopbackNetwork",
    "OutsideGate",
    "RecordedUpstream",
    "SentRequest",
    "UpstreamFault",
    "WrapperClient",
    "exchange",
]

# Imported when asked for: the plugin is loaded wherever pytest is, and mostly for nothing.
_HOMES = {
    "Answer": "client",
    "Attempt": "guard",
    "CallRefused": "client",
    "Guard": "guard",
    "LoopbackNetwork": "wire",
    "OutsideGate": "guard",
    "RecordedUpstream": "recorded",
    "SentRequest": "recorded",
    "UpstreamFault": "recorded",
    "WrapperClient": "client",
    "exchange": "client",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(_importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
