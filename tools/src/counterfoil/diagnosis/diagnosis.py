"""One thing that was looked at, and how it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from counterfoil.errors import CounterfoilError

State: TypeAlias = Literal["ok", "warning", "failure", "skipped"]
OK: State = "ok"
WARNING: State = "warning"
FAILURE: State = "failure"
SKIPPED: State = "skipped"


@dataclass(frozen=True)
class Diagnosis:
    """Say how one thing is.

    Attributes:
        subject: what was looked at, such as ``cache`` or ``server notes``.
        state: a ``failure`` keeps a command from doing its work; a ``warning`` is something to
            know; ``skipped`` could not be looked at, because of another failure or an option.
        message: one clause.
        hint: what to do next; empty only where nothing has to be done.
        detail: lines that help to see it, such as the last words of a server.
    """

    subject: str
    state: State
    message: str
    hint: str = ""
    detail: str = ""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count} {noun}{'s' * (count != 1)}"


def guarded(
    subject: str, look: Callable[[], Iterable[Diagnosis]], hint: str = ""
) -> Iterator[Diagnosis]:
    """Yield what is found, and what keeps it from being looked at as a failure of the subject.

    Args:
        subject: what is looked at.
        look: looks, and yields how it is.
        hint: what to do about an error that does not say it.
    """
    try:
        yield from look()
    except CounterfoilError as error:
        message, _, detail = str(error).partition("\n")
        yield Diagnosis(subject, FAILURE, message, error.hint or hint, detail)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        mend = "check what is at that path, and its permissions"
        yield Diagnosis(subject, FAILURE, f"{place}{error.strerror or error}", mend)
