"""Which operations of a run named a counterparty."""

from __future__ import annotations

from itertools import islice

from haia_trace_mcp.index.columns import NONE, Columns
from haia_trace_mcp.index.counterparties import address_key


class Parties:
    """Operations by the keys of the addresses and hosts that their events name.

    Some stand there more than once, and those whose terms changed stand with all that they named.
    """

    def __init__(self) -> None:
        self._operations: dict[str, list[int]] = {}
        self._by_terms: list[list[int]] = []
        self._by_host: list[list[int]] = []
        self._nobody = [NONE]
        """Gathers operations under terms that name no address, and is never asked."""

    def operations(self, key: str) -> dict[int, None]:
        """Return the operations that named a counterparty, each once, in order."""
        return dict.fromkeys(islice(self._operations.get(key, ()), 1, None))

    def extend(self, columns: Columns, first: int) -> None:
        """Take in the rows from ``first`` on."""
        self._meet(columns)
        by_terms, by_host, offers = self._by_terms, self._by_host, columns.offers.values_in_order
        for operation, terms, offered, host in zip(
            columns.operation[first:],
            columns.terms[first:],
            columns.offered[first:],
            columns.host[first:],
            strict=True,
        ):
            if terms != NONE and by_terms[terms][-1] != operation:
                by_terms[terms].append(operation)
            if host != NONE and by_host[host][-1] != operation:
                by_host[host].append(operation)
            if offered != NONE:
                for number in offers[offered]:
                    if by_terms[number][-1] != operation:
                        by_terms[number].append(operation)

    def _meet(self, columns: Columns) -> None:
        """Make lists for the terms and hosts that are new. A list begins with no operation."""
        for terms in columns.all_terms.values_in_order[len(self._by_terms) :]:
            address = terms[-1]
            self._by_terms.append(self._list(address_key(address)) if address else self._nobody)
        for host in columns.hosts.values_in_order[len(self._by_host) :]:
            self._by_host.append(self._list(host))

    def _list(self, key: str) -> list[int]:
        return self._operations.setdefault(key, [NONE])
