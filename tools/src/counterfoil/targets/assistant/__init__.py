"""Target ``assistant``: what a program needs that offers a server's tools to a model itself."""

from counterfoil.targets.assistant.target import TARGET

__all__ = ["TARGET"]
