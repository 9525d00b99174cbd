"""All runs, read through one template."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Final

from haia_trace_mcp.index.account import Books
from haia_trace_mcp.index.folding import Reading
from haia_trace_mcp.index.operation import Operation
from haia_trace_mcp.index.ranking import Place, Verdicts
from haia_trace_mcp.index.run_data import RunData
from haia_trace_mcp.index.run_view import RunView
from haia_trace_mcp.receipts import Completeness
from haia_trace_mcp.templates import Loaded

_BOOKS_LIMIT: Final = 256


class View:
    """The operations of all runs that can be used, in order, and by counterparty."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self._reading = Reading(loaded)
        self._runs: dict[str, RunView] = {}
        self._verdicts = Verdicts()
        self._books: OrderedDict[str | None, Books] = OrderedDict()
        self._generation = -1

    def update(self, runs: Iterable[RunData], generation: int) -> None:
        """Take in what runs hold now; ``generation`` differs from the last one if any changed."""
        if generation == self._generation:
            return
        usable = {run.order: run for run in runs if run.problem is None}
        for order, view in list(self._runs.items()):
            if usable.get(order) is not view.run:
                self._drop(view)
        for order, run in usable.items():
            known = self._runs.get(order)
            if known is None:
                known = self._runs[order] = RunView(run, self._reading, self._verdicts)
            self._follow(known)
        self._generation = generation

    def places(self, run: RunData | None, completeness: Completeness | None) -> Iterator[Place]:
        """Yield the places of operations, newest first."""
        verdicts = self._verdicts if run is None else self._runs[run.order].verdicts
        return verdicts.newest(completeness)

    def operation(self, place: Place) -> Operation:
        """Return the operation at a place."""
        return self._runs[place[1]].operation(place[2])

    def books(self, key: str | None) -> Books:
        """Return the books of a counterparty, or with None of all."""
        books = self._books.get(key)
        if books is None:
            books = self._books[key] = Books(key)
            for view in self._runs.values():
                run = view.run
                named = range(len(run.columns.last)) if key is None else run.parties.operations(key)
                books.begin(view, named)
            if len(self._books) > _BOOKS_LIMIT:
                self._books.popitem(last=False)
        self._books.move_to_end(key)
        return books

    def _follow(self, view: RunView) -> None:
        touched = view.update()
        if not self._books:
            return
        for operation in touched:
            for key in (None, *view.former_parties(operation)):
                books = self._books.get(key)
                if books is not None:
                    books.update(view, operation)

    def _drop(self, view: RunView) -> None:
        """Forget a run. The books are made again when they are asked for."""
        view.leave()
        del self._runs[view.run.order]
        self._books.clear()
