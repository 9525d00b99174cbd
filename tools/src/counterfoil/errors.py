"""What ends a command before it could do its work."""

from __future__ import annotations


class CounterfoilError(Exception):
    """Report that a check or a generation could not run.

    A finding is what a check exists to report; this is the other case, and the
    command line ends with 2 on it.

    Args:
        what: one sentence for people, without secrets.
        place: the file, key or target it is about.
        hint: what to do about it.
    """

    def __init__(self, what: str, *, place: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.place}: {self.what}" if self.place else self.what


class ConfigError(CounterfoilError):
    """Report a fault in ``[tool.counterfoil]``."""


class GenerationError(CounterfoilError):
    """Report that a target cannot represent what the contract says."""
