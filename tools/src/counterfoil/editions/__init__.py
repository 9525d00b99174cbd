"""Editions: one state of a contract, or of what a server lists, from wherever it is.

A file, a revision of git, a recorded list or a running server is read into an
:class:`Edition`; two of them are compared. Nothing here changes the working tree.
"""

from counterfoil.editions.edition import Edition
from counterfoil.editions.reading import read_edition
from counterfoil.editions.sources import (
    FORMS,
    AbsentFile,
    Room,
    default_base,
    open_edition,
    open_target,
)

__all__ = [
    "FORMS",
    "AbsentFile",
    "Edition",
    "Room",
    "default_base",
    "open_edition",
    "open_target",
    "read_edition",
]
