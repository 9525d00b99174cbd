"""The lines of a run file.

Lines end with a line feed and nothing else. What stands after the last one is torn: not read, even
where it is whole. Bytes that are no UTF-8 become U+FFFD.
"""

from __future__ import annotations

from collections.abc import Iterator

from haia_trace_mcp.ecmascript import WHITE_SPACE, Json, MalformedJsonError, parse_json
from haia_trace_mcp.errors import RunError


def read_lines(data: bytes, run_id: str) -> Iterator[tuple[int, Json]]:
    """Yield the number of each line that is not blank, from one, and its value.

    Raises:
        RunError: a line is not JSON.
    """
    whole, _, _ = data.rpartition(b"\n")
    if not whole:
        return
    for number, line in enumerate(whole.split(b"\n"), 1):
        text = line_text(line)
        if text is not None:
            yield number, line_value(text, run_id, number)


def line_text(line: bytes) -> str | None:
    """Return a line as text; None for a blank one."""
    text = line.decode("utf-8", "replace")
    return text if text.strip(WHITE_SPACE) else None


def line_value(text: str, run_id: str, number: int) -> Json:
    """Return the value of a line.

    Raises:
        RunError: it is not JSON.
    """
    try:
        return parse_json(text)
    except MalformedJsonError as error:
        raise RunError(
            run_id, f"malformed event: {error}", code="malformed", line=number
        ) from error
