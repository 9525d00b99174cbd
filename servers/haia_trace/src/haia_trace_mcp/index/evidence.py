"""Read an operation's events again from the run file, and see that they are what was indexed."""

from __future__ import annotations

from zlib import crc32

from haia_trace_mcp.ecmascript import Json
from haia_trace_mcp.errors import RootError, RunError
from haia_trace_mcp.index.run_data import RunData
from haia_trace_mcp.receipts import in_order
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.runs import check_envelope
from haia_trace_mcp.runs.lines import line_text, line_value


def read_events(root: TraceRoot, run: RunData, operation: int) -> list[dict[str, Json]] | None:
    """Return an operation's events in order; None if the file does not hold them any more."""
    columns = run.columns
    rows = list(columns.rows(operation))[::-1]
    lines: list[bytes] = []
    try:
        with root.folder("events") as folder, folder.open(run.name) as file:
            for row in rows:
                line = file.read(columns.offset[row], columns.length[row])
                if crc32(line) != columns.checksum[row]:
                    return None
                lines.append(line)
    except RootError:
        return None
    try:
        return _events(lines, run.run_id)
    except RunError:
        return None


def _events(lines: list[bytes], run_id: str) -> list[dict[str, Json]]:
    values = (line_value(line_text(line) or "", run_id, 0) for line in lines)
    return in_order([check_envelope(value, run_id, 0) for value in values])
