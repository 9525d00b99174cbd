"""Targets: what can be generated from a contract, one module each."""
