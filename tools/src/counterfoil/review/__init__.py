"""Review changes: weigh them, know those that people have accepted, and print all of it."""

from counterfoil.review.acceptances import Acceptance, Accepted, read_accepted, write_accepted
from counterfoil.review.scope import narrow
from counterfoil.review.weighing import Review, Verdict, Weighing, weigh

__all__ = [
    "Acceptance",
    "Accepted",
    "Review",
    "Verdict",
    "Weighing",
    "narrow",
    "read_accepted",
    "weigh",
    "write_accepted",
]
