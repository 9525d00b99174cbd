"""Events of one run, as the event contract has them, in the order in which they happened."""

from __future__ import annotations

import json
import logging
import re
import threading
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from haia_trace_mcp.clock import Clock, system_clock, time_text
from haia_trace_mcp.recorder.buyer import Buyer, HttpHooks, McpHooks, PaymentHooks
from haia_trace_mcp.recorder.operations import Operations
from haia_trace_mcp.recorder.run_file import RunFile
from haia_trace_mcp.root import TraceRoot

LOG = logging.getLogger(__name__)
ADAPTER: Final = "trace-x402"
LINE_BYTES: Final = 64 * 1024
_SURROGATE = re.compile("[\ud800-\udfff]")


class Recorder:
    """Record the payments of a process, from any thread and any event loop.

    Nothing here fails in the middle of a payment: what cannot be recorded is told in the log, is
    counted in ``lost``, and leaves ``trace.capture_failed`` in the run where that can be written.

    Attributes:
        lost: how many events could not be recorded.
    """

    def __init__(
        self,
        file: RunFile,
        *,
        clock: Clock = system_clock,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self.lost = 0
        self._file = file
        self._clock = clock
        self._new_id = new_id
        self._lock = threading.Lock()
        self._seq = 0
        self._latest = 0
        self._operations = Operations(new_id)

    @classmethod
    def start(cls, folder: str | Path = ".trace", *, clock: Clock = system_clock) -> Self:
        """Begin a run below a Trace root, which is made where it is not there.

        Raises:
            RootError: the file of the run cannot be made, so that nothing would be recorded.
        """
        return cls(RunFile.create(TraceRoot(Path(folder)), clock), clock=clock)

    @property
    def run_id(self) -> str:
        """Return the run's id."""
        return self._file.run_id

    def attach(
        self, client: PaymentHooks, http: HttpHooks | None = None, mcp: McpHooks | None = None
    ) -> Self:
        """Record what a client of the ``x402`` package pays.

        Args:
            client: an ``x402Client`` or ``x402ClientSync``.
            http: an ``x402HTTPClient`` around it, for the offers that it is made. Without one, a
                payment's events begin with its creation.
            mcp: an ``x402MCPClient`` around it, for tools that cost money: their settlements come
                through it alone.
        """
        Buyer(self).attach(client, http, mcp)
        return self

    def record(
        self, event_type: str, role: str, payload: Mapping[str, Any], operation: str | None = None
    ) -> bool:
        """Append an event; tell whether that worked."""
        try:
            with self._lock:
                self._append(event_type, role, payload, operation)
        except (OSError, TypeError, ValueError, RecursionError) as error:
            self.lost += 1
            LOG.warning("%s is not recorded: %s", event_type, type(error).__name__)
            return False
        return True

    def take(
        self, hook: str, role: str, make: Callable[[Operations], tuple[str, Any, str | None]]
    ) -> None:
        """Record what a hook makes of what it was given, whatever that is.

        Args:
            hook: its name in x402.
            role: the side that observes.
            make: returns the event's type, its payload and its operation.
        """
        try:
            with self._lock:
                self._append_made(role, make)
        except Exception as error:  # noqa: BLE001 - a foreign object's attributes; never into a payment
            self.lost += 1
            LOG.warning("%s is not recorded: %s", hook, type(error).__name__)
            self.record("trace.capture_failed", role, {"hook": hook})

    def close(self) -> None:
        """End the run; what comes later is lost."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _append_made(
        self, role: str, make: Callable[[Operations], tuple[str, Any, str | None]]
    ) -> None:
        event_type, payload, operation = make(self._operations)
        self._append(event_type, role, payload, operation)

    def _append(
        self, event_type: str, role: str, payload: Mapping[str, Any], operation: str | None
    ) -> None:
        # A clock that goes back must not put an effect before its cause.
        self._latest = max(self._latest, self._clock())
        event = {
            "event_id": self._new_id(),
            "event_type": event_type,
            "occurred_at": time_text(self._latest),
            **({} if operation is None else {"context_id": operation}),
            "seq": self._seq,
            "adapter": ADAPTER,
            "role": role,
            "payload": payload,
        }
        line = _line(event)
        if len(line) > LINE_BYTES:
            raise ValueError("the event is too large")
        self._file.append(line)
        self._seq += 1


def _line(event: Mapping[str, Any]) -> bytes:
    """Return an event as ``JSON.stringify`` writes it, with a line's end."""
    text = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Half of a pair is no text that UTF-8 could hold.
    text = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text.encode("utf-8") + b"\n"
