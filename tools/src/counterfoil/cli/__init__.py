"""The command ``counterfoil``."""

from counterfoil.cli.main import main

__all__ = ["main"]
