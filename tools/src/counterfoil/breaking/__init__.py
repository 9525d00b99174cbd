"""What a change of a surface breaks, for whom, and a call that shows it. No input or output."""

from counterfoil.breaking.changes import Change, Klass, Level, Spot
from counterfoil.breaking.comparison import compare, steps, uncompared
from counterfoil.breaking.semver import VersionVerdict
from counterfoil.breaking.surface import Surface, of_contract, of_listing
from counterfoil.breaking.witnesses import Witness

__all__ = [
    "Change",
    "Klass",
    "Level",
    "Spot",
    "Surface",
    "VersionVerdict",
    "Witness",
    "compare",
    "of_contract",
    "of_listing",
    "steps",
    "uncompared",
]
