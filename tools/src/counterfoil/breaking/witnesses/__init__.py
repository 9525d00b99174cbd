"""Concrete calls and results that show what a change breaks."""

from counterfoil.breaking.witnesses.witness import Direction, Witness

__all__ = ["Direction", "Witness"]
