"""Target ``models``: Pydantic models of what each tool takes and answers."""

from counterfoil.targets.models.target import TARGET

__all__ = ["TARGET"]
