"""The contract: reading it, its grammar, and its parts by name."""
