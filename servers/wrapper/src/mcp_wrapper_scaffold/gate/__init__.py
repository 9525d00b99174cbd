"""The gate between a wrapper's handlers and the network."""

from mcp_wrapper_scaffold.gate.fetch import (
    DEFAULT_MAX_RESPONSE_BYTES,
    DEFAULT_TIMEOUT,
    Fetch,
    Gate,
)
from mcp_wrapper_scaffold.gate.response import AnswerHeaders, FetchResponse

__all__ = [
    "DEFAULT_MAX_RESPONSE_BYTES",
    "DEFAULT_TIMEOUT",
    "AnswerHeaders",
    "Fetch",
    "FetchResponse",
    "Gate",
]
