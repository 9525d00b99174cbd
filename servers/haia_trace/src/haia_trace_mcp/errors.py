"""The root of this distribution's exceptions, and those of reading receipts.

Fields are for machines, sentences for people. Text from files is shown cut short and with control
characters escaped, so that a message may go to a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from haia_trace_mcp.wording import quoted


class HaiaTraceError(Exception):
    """Stand for every failure that this distribution raises on purpose."""


class RootError(HaiaTraceError):
    """Say that something below the Trace root may not or cannot be read: ``place`` says what."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{quoted(place)}: {reason}")
        self.place = place
        self.reason = reason


class AbsentError(RootError):
    """Say that a file or folder is not there, which some callers expect."""


class PresentError(RootError):
    """Say that a file that was to be made is there already."""


class TornReadError(RootError):
    """Say that a file changed in a way other than growing while it was being read."""


RunFault: TypeAlias = Literal["ambiguous", "envelope", "malformed", "too_large", "unreadable"]


class RunError(HaiaTraceError):
    """Say why a run cannot be used.

    ``line`` counts from one and blank lines too; ``field`` is the member of the event at fault.
    Either is None where the fault is not in one line or one member.
    """

    def __init__(
        self,
        run_id: str,
        reason: str,
        *,
        code: RunFault,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        place = f"run {quoted(run_id)}"
        if line is not None:
            place += f", line {line}"
        if field is not None:
            place += f", field {field}"
        super().__init__(f"{place}: {reason}")
        self.run_id = run_id
        self.reason = reason
        self.code = code
        self.line = line
        self.field = field


class RunsError(HaiaTraceError):
    """Say that runs which an answer needs cannot be used: ``problems`` holds one for each."""

    def __init__(self, problems: Sequence[RunError]) -> None:
        first = str(problems[0])
        rest = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first + rest)
        self.problems = tuple(problems)


class UnknownRunError(HaiaTraceError):
    """Say that no run has this id."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"no run is called {quoted(run_id)}")
        self.run_id = run_id


class UnknownOperationError(HaiaTraceError):
    """Say that a run holds no operation of this id."""

    def __init__(self, run_id: str, operation_id: str) -> None:
        super().__init__(f"run {quoted(run_id)} holds no operation {quoted(operation_id)}")
        self.run_id = run_id
        self.operation_id = operation_id


class TemplateError(HaiaTraceError):
    """Say why a template cannot be used, in the words of the original where it has some."""


class UnknownTemplateError(TemplateError):
    """Say that neither the project nor this distribution has a template of this name."""


class TemplateUnreadableError(TemplateError):
    """Say that a template is there and cannot be read; no shipped one takes its place."""
