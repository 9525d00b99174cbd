"""Parity: the contract against everything that repeats it, in both directions."""
