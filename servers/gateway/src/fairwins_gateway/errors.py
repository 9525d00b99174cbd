"""The exceptions of this distribution."""

from __future__ import annotations

from collections.abc import Iterable


class GatewayError(Exception):
    """Stand for every failure that this distribution raises on purpose."""


class StartError(GatewayError):
    """Say why a command cannot do its work: arguments, a port, a database."""


class BindingError(StartError):
    """Say which routes of the document have no handler, and which handlers no route."""

    def __init__(self, missing: Iterable[str], extra: Iterable[str]) -> None:
        self.missing = sorted(missing)
        self.extra = sorted(extra)
        faults = [
            f"{text}: {', '.join(names)}"
            for text, names in (
                ("routes without a handler", self.missing),
                ("handlers without a route", self.extra),
            )
            if names
        ]
        super().__init__("; ".join(faults))


class Refusal(GatewayError):
    """Answer a request with an error: HTTP ``status``, ``code``, ``reason``.

    ``retry_after`` counts seconds.
    """

    def __init__(self, status: int, code: str, reason: str, retry_after: int | None = None) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.reason = reason
        self.retry_after = retry_after


class PaymentRefusal(GatewayError):
    """Answer a request with a price, and say why the payment that came does not meet it."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(code)
        self.code = code
        self.reason = reason
