"""What the demo says, and what it insists on."""

from __future__ import annotations

from haia_trace_mcp.errors import HaiaTraceError


class DemoError(HaiaTraceError):
    """Say which expectation of the demo was not met."""


def narrate(text: str = "") -> None:
    """Say what happens next."""
    print(text, flush=True)


def quote(text: str) -> None:
    """Show what a program or a tool really said."""
    for line in text.rstrip("\n").split("\n"):
        print(f"    {line}", flush=True)


def insist(met: bool, expectation: str) -> None:
    """Go on only if an expectation is met.

    Raises:
        DemoError: it is not.
    """
    if not met:
        raise DemoError(f"it was expected that {expectation}")
