"""A payment that nobody answers, seen by the agent that made it. Only the money is simulated.

It needs the extra ``demo``: x402 and eth-account.
"""
