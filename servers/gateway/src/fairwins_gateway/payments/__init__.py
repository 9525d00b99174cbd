"""Paying for single calls, in the dialect of x402 that the Member API speaks."""
