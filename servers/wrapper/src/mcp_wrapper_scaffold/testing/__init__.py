"""What wrappers are tested with: a client in the process, a recorded upstream, a closed network.

The fixtures of ``mcp_wrapper_scaffold.testing.plugin`` are there wherever pytest is.
"""

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
