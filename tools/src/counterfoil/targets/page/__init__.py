"""Target ``page``: the whole contract as one HTML file, for people."""

from counterfoil.targets.page.target import TARGET

__all__ = ["TARGET"]
