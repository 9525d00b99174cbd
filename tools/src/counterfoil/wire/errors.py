"""Why a server could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from counterfoil.errors import CounterfoilError
from counterfoil.wire.redaction import Redaction

Kind = Literal[
    "target",  # the target itself cannot be used
    "unreachable",  # not started, not connected, not trusted
    "timed-out",  # no answer in time
    "ended",  # the process or the stream ended before the answer
    "refused",  # a JSON-RPC error; see ``code``
    "status",  # an HTTP status without a JSON-RPC error; see ``status``
    "revision",  # the server offers other revisions; see ``offered``
    "malformed",  # not JSON, not JSON-RPC, or not what MCP says
    "too-large",  # a message over the limit
    "pages",  # a list that does not end
]

QUOTE_LIMIT = 300


class WireError(CounterfoilError):
    """Report that a server's surface could not be read.

    ``what`` and ``hint`` are the sentences of the base class: what happened, and the mend.
    Header values and secrets of the environment are in none of the fields.

    Args:
        what: what happened, in one sentence; lines of the server's stderr may follow it.
        mend: what to do about it.
        target: the command, or the URL without its query.
        revision: the MCP revision that was being spoken, or None before one was chosen.
        kind: the same for machines.
        code: the JSON-RPC error code.
        status: the HTTP status.
        offered: the revisions that the server named instead.
    """

    def __init__(
        self,
        what: str,
        *,
        mend: str,
        target: str,
        revision: str | None,
        kind: Kind,
        code: int | None = None,
        status: int | None = None,
        offered: tuple[str, ...] = (),
    ) -> None:
        place = f"{target} (MCP {revision})" if revision else target
        super().__init__(what, place=place, hint=mend)
        self.target = target
        self.revision = revision
        self.kind: Kind = kind
        self.code = code
        self.status = status
        self.offered = offered


@dataclass(frozen=True)
class Reporter:
    """Make the errors of one connection, with its secrets hidden."""

    target: str
    revision: str | None
    redaction: Redaction

    def error(
        self,
        kind: Kind,
        what: str,
        mend: str,
        *,
        code: int | None = None,
        status: int | None = None,
        offered: tuple[str, ...] = (),
    ) -> WireError:
        """Return a WireError about this connection."""
        return WireError(
            self.redaction.apply(what),
            mend=self.redaction.apply(mend),
            target=self.redaction.apply(self.target),
            revision=self.revision,
            kind=kind,
            code=code,
            status=status,
            offered=offered,
        )

    def quote(self, text: str, limit: int = QUOTE_LIMIT) -> str:
        """Return foreign text in quotes, on one line, bounded, without control characters."""
        # Hidden before it is cut or escaped, so that no half of a secret is left.
        shown = self.redaction.apply(text)
        return repr(shown) if len(shown) <= limit else repr(shown[:limit]) + "…"

    def lines(self, text: str, limit: int) -> str:
        """Return the last lines of foreign text, indented, without control characters."""
        shown = self.redaction.apply(text).strip()[-limit:]
        return "\n".join(f"  {_printable(line)}" for line in shown.splitlines())


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else repr(c)[1:-1] for c in line)
