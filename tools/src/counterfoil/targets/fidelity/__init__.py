"""Target ``fidelity``: where the models and the schemas that they are made from part."""

from counterfoil.targets.fidelity.target import TARGET

__all__ = ["TARGET"]
