"""Target ``reference``: a page a server, for people."""

from counterfoil.targets.reference.target import TARGET

__all__ = ["TARGET"]
