"""A recorder for Python buyers: x402 payments as events of a Trace run.

``Recorder.start(".trace").attach(client)`` before the first payment is all of it. The events are
those that the original's recorder, which is TypeScript, writes of a buyer.
"""

from __future__ import annotations

from haia_trace_mcp.recorder.recorder import Recorder

__all__ = ["Recorder"]
