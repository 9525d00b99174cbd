"""The index over all runs of a Trace root."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from itertools import islice
from threading import RLock
from typing import Final

from haia_trace_mcp.ecmascript import Json
from haia_trace_mcp.errors import (
    AbsentError,
    RootError,
    RunError,
    RunsError,
    UnknownOperationError,
    UnknownRunError,
)
from haia_trace_mcp.index.account import Account
from haia_trace_mcp.index.evidence import read_events
from haia_trace_mcp.index.follower import Limits, follow, unusable
from haia_trace_mcp.index.operation import Operation, Run
from haia_trace_mcp.index.run_data import RunData
from haia_trace_mcp.index.store import IndexStore
from haia_trace_mcp.index.view import View
from haia_trace_mcp.receipts import Completeness, Receipt, make_receipt
from haia_trace_mcp.root import Folder, TraceRoot
from haia_trace_mcp.runs import RunFile, list_runs
from haia_trace_mcp.templates import Loaded, Templates

LATEST: Final = "latest"
_VIEWS_LIMIT: Final = 8


class TraceIndex:
    """Answers from what the run files hold, as of the last ``refresh``.

    All methods may be called from any thread.
    """

    def __init__(
        self,
        root: TraceRoot,
        templates: Templates,
        *,
        limits: Limits | None = None,
        store: IndexStore | None = None,
    ) -> None:
        """Begin with no runs. A ``store`` makes the first ``refresh`` faster."""
        self._root = root
        self._templates = templates
        self._limits = limits or Limits()
        self._store = store
        if store is not None:
            store.load()
        self._runs: dict[str, RunData] = {}
        self._names: list[str] = []
        self._files: list[RunFile] = []
        self._ambiguous: set[RunFile] = set()
        self._generation = 0
        self._views: OrderedDict[str, View] = OrderedDict()
        self._lock = RLock()

    def refresh(self) -> None:
        """Take in what is new in the run files.

        Raises:
            RootError: the folder of the runs may not be read. Its absence means no runs. What is
                wrong with single runs is in ``runs`` and is raised by what needs them.
        """
        with self._lock:
            try:
                with self._root.folder("events") as folder:
                    found = self._follow(folder)
            except AbsentError:
                found = {}
            if found.keys() != self._runs.keys():
                self._generation += 1
            self._runs = found

    def save(self) -> None:
        """Write the runs to the store, if there is one.

        Raises:
            RootError: it cannot be written.
        """
        if self._store is not None:
            with self._lock:
                self._store.save(self._runs.values())

    def runs(self) -> tuple[Run, ...]:
        """Return all runs, oldest first, those with problems too."""
        with self._lock:
            return tuple(map(_about, self._runs.values()))

    def run_count(self) -> int:
        """Return how many runs there are, usable or not."""
        with self._lock:
            return len(self._runs)

    def operations(
        self,
        template: str,
        run: str | None = None,
        completeness: Completeness | None = None,
        limit: int | None = None,
    ) -> tuple[Operation, ...]:
        """Return operations by the time of their last event, newest first.

        At one time, those of a later run come first, and in one run those that began later in the
        file. ``run`` is an id, or ``latest``.

        Raises:
            RunsError: a run in question cannot be used.
            UnknownRunError: there is no such run.
            TemplateError: there is no such template, or it cannot be used.
        """
        with self._lock:
            loaded = self._templates.load(template)
            chosen = self._usable(run)
            view = self._view(loaded)
            if run is not None and not chosen:  # the latest of none
                return ()
            places = view.places(None if run is None else chosen[0], completeness)
            return tuple(map(view.operation, islice(places, limit)))

    def operation(self, run_id: str, operation_id: str, template: str) -> Operation:
        """Return one operation; raises like ``receipt``."""
        with self._lock:
            loaded = self._templates.load(template)
            run = self._usable(run_id, may_be_latest=False)[0]
            number = _number(run, operation_id)
            return self._view(loaded).operation(("", run.order, number))

    def of_counterparty(self, template: str, key: str | None) -> Account:
        """Return what happened with a counterparty by its key, or with None, with all.

        Raises:
            RunsError: any run cannot be used.
            TemplateError: there is no such template, or it cannot be used.
        """
        with self._lock:
            loaded = self._templates.load(template)
            self._usable(None)
            return Account(self._view(loaded).books(key), self._lock)

    def receipt(self, run_id: str, operation_id: str, template: str) -> Receipt:
        """Return the receipt of an operation, from its events as the file has them now.

        Raises:
            RunsError: the run cannot be used.
            UnknownRunError: there is no such run; ``latest`` is not understood here.
            UnknownOperationError: the run has no such operation.
            TemplateError: there is no such template, or it cannot be used.
        """
        with self._lock:
            loaded = self._templates.load(template)
            events = self._events(run_id, operation_id)
            if events is None:
                # The file was changed where it had been read. Read all of it again, once.
                self._forget(run_id)
                self.refresh()
                events = self._events(run_id, operation_id)
            if events is None:
                reason = "was changed each time it was read"
                raise RunsError([RunError(run_id, reason, code="unreadable")])
            return make_receipt(operation_id, events, loaded.template)

    def _events(self, run_id: str, operation_id: str) -> list[dict[str, Json]] | None:
        run = self._usable(run_id, may_be_latest=False)[0]
        return read_events(self._root, run, _number(run, operation_id))

    def _forget(self, run_id: str) -> None:
        self._runs = {name: run for name, run in self._runs.items() if run.run_id != run_id}

    def _follow(self, folder: Folder) -> dict[str, RunData]:
        names = folder.names()
        if names != self._names:  # sorting takes longer than looking at the files
            self._names, self._files = names, list_runs(names)
            namesakes = Counter(file.run_id for file in self._files)
            self._ambiguous = {file for file in self._files if namesakes[file.run_id] > 1}
            for file in self._ambiguous:
                self._runs.pop(file.name, None)
        found: dict[str, RunData] = {}
        for file in self._files:
            run = self._runs.get(file.name)
            try:
                if run is None or run.entry is None or run.entry != folder.entry(file.name):
                    run = self._read(folder, file, run)
            except AbsentError:  # gone since it was listed
                continue
            except RootError:
                run = self._read(folder, file, None)
            found[file.name] = run
        return found

    def _read(self, folder: Folder, file: RunFile, known: RunData | None) -> RunData:
        self._generation += 1
        if file in self._ambiguous:
            return unusable(file, "ambiguous", "several files are called so")
        return follow(folder, file, known, self._limits, self._store)

    def _usable(self, run: str | None, *, may_be_latest: bool = True) -> Sequence[RunData]:
        """Return the runs that an answer needs."""
        chosen = list(self._runs.values())
        if may_be_latest and run == LATEST:
            chosen = chosen[-1:]
        elif run is not None:
            chosen = [each for each in chosen if each.run_id == run]
            if not chosen:
                raise UnknownRunError(run)
        if problems := [each.problem for each in chosen if each.problem]:
            raise RunsError(problems)
        return chosen

    def _view(self, loaded: Loaded) -> View:
        view = self._views.get(loaded.name)
        if view is None or view.loaded != loaded:
            view = self._views[loaded.name] = View(loaded)
            if len(self._views) > _VIEWS_LIMIT:
                self._views.popitem(last=False)
        self._views.move_to_end(loaded.name)
        view.update(self._runs.values(), self._generation)
        return view


def _number(run: RunData, operation_id: str) -> int:
    number = run.columns.operations.get(operation_id)
    if number is None:
        raise UnknownOperationError(run.run_id, operation_id)
    return number


def _about(run: RunData) -> Run:
    links = run.entry.links if run.entry else 1
    if run.problem:
        return Run(run.run_id, 0, 0, run.problem, links)
    return Run(run.run_id, run.events, len(run.columns.last), None, links)
