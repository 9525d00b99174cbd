"""One gateway: its parts, and how a failure on request enters the course of an answer."""

from __future__ import annotations

from collections.abc import Mapping

from fairwins_gateway.clock import Clock
from fairwins_gateway.database import Database
from fairwins_gateway.document import Operation, document_bytes, read_operations
from fairwins_gateway.errors import Refusal
from fairwins_gateway.faults import FAILURES, Faults
from fairwins_gateway.memberships import Memberships
from fairwins_gateway.quotas import Quotas
from fairwins_gateway.seeding import fill
from fairwins_gateway.settings import Settings
from fairwins_gateway.signatures import Signer


class Gateway:
    """Hold the parts that answers are made with. Safe for use by many threads."""

    def __init__(
        self, settings: Settings, clock: Clock | None = None, faults: Faults | None = None
    ) -> None:
        """Open the database, filling a new one.

        Raises:
            StartError: the database cannot be used.
        """
        self.settings = settings
        self.clock = clock or Clock()
        self.faults = faults or Faults()
        self.document = document_bytes()
        self.operations: Mapping[str, Operation] = read_operations(self.document)
        self.signer = Signer(settings.seed)
        self.quotas = Quotas(self.clock)
        now = self.clock.seconds()
        self.database = Database(
            settings.database,
            settings.seed,
            lambda connection: fill(connection, settings.seed, now),
        )
        self.memberships = Memberships(self.database, self.clock, self.faults)

    def fail_at(self, step: str, operation: Operation) -> None:
        """Fail where a failure on request belongs, if the route knows such a failure.

        Raises:
            Refusal: the fault ``failure`` names one for this step.
        """
        for code in (self.faults.value("failure") or "").split(","):
            status, where = FAILURES.get(code, (0, ""))
            if where == step and operation.lists(status, code):
                raise Refusal(status, code, f"the sandbox was told to fail with {code}")

    def close(self) -> None:
        """Close the database."""
        self.database.close()
