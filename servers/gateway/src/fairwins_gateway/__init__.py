"""A sandbox of the FairWins Member API: invented members, real answers, nothing at stake."""

__version__ = "0.1.0"
