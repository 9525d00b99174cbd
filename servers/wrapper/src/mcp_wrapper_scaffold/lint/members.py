"""Attributes and built-ins, judged by their names alone."""

from __future__ import annotations

from mcp_wrapper_scaffold.lint.interpreter import (
    ACCESSORS,
    CONNECTING,
    OPENERS,
    OPENING,
    PARTS,
    PLAIN_ATTRIBUTES,
    PLAIN_NAMES,
    RECORD_ATTRIBUTES,
    REVEALING,
    RUNNERS,
    is_giveaway,
    is_special,
)
from mcp_wrapper_scaffold.lint.policy import Fault

_SET_BY_WRITERS = frozenset({"__doc__", "__name__", "__qualname__"})


def builtin_fault(name: str) -> Fault | None:
    """Return why a built-in may not be used, or passed around."""
    if name in RUNNERS:
        return Fault("MW110", f"{name} runs text as code or hands out a namespace")
    if name in OPENERS:
        return Fault("MW111", f"{name} opens a file")
    if name in ACCESSORS:
        return Fault("MW114", f"{name} is passed around, and takes any name then")
    return None


def name_fault(name: str) -> Fault | None:
    """Return why a name may not be read or set, whatever it is bound to."""
    if is_special(name) and name not in PLAIN_NAMES and name not in RUNNERS:
        return Fault("MW112", f"{name} is of the interpreter's inside")
    return None


def member_fault(name: str, *, changed: bool = False, is_me: bool = False) -> Fault | None:
    """Return why an attribute may not be used, whatever it is asked of.

    Args:
        name: the attribute.
        changed: whether it is set or deleted.
        is_me: whether it is asked of a method's own object or class, or of an own module.
    """
    if is_special(name):
        plain = name in (_SET_BY_WRITERS if changed else PLAIN_ATTRIBUTES)
        return None if plain else Fault("MW112", f".{name} is of the interpreter's inside")
    if name in REVEALING:
        return Fault("MW112", f".{name} is of the interpreter's inside")
    if name in CONNECTING:
        return Fault("MW113", f".{name} opens connections or starts processes")
    if name in OPENING:
        return Fault("MW111", f".{name} leads from a stream to files")
    if name in PARTS:
        return Fault("MW115", f".{name} is what the library calls a part of its gate")
    if is_giveaway(name):
        return Fault("MW103", f".{name} goes by the name of a module that leads everywhere")
    if name.startswith("_") and not is_me and name not in RECORD_ATTRIBUTES:
        return Fault("MW115", f".{name} is private, and not of the method's own object")
    return None
