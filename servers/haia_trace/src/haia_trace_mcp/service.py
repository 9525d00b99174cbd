"""One Trace root with all that is known of it, and the questions that may be asked of it.

Everything here is synchronous, reads files when it is asked, and may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from haia_trace_mcp.clock import Clock, system_clock
from haia_trace_mcp.errors import AbsentError, HaiaTraceError, RootError
from haia_trace_mcp.explain import explain_operation
from haia_trace_mcp.guard import DEFAULT_TEMPLATE, Decision, Guard
from haia_trace_mcp.index import IndexStore, Operation, Run, TraceIndex
from haia_trace_mcp.policy import Policy, load_policy
from haia_trace_mcp.receipts import Completeness, Receipt
from haia_trace_mcp.reviews import Review, ReviewLog, Reviews
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates

DEFAULT_FOLDER = ".trace"


class StartError(HaiaTraceError):
    """Say why nothing can be served: the words are for whoever started the program."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator decides.

    Attributes:
        folder: the Trace root.
        templates: where the project's templates are, if not in the Trace root.
        policy: the policy file; without one, its default values hold.
        keeps_index: keep the index in a file beside the review log, for a warm start.
    """

    folder: Path = Path(DEFAULT_FOLDER)
    templates: Path | None = None
    policy: Path | None = None
    keeps_index: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Operations, newest first, and how many runs were looked through for them."""

    operations: Sequence[Operation]
    runs: int


class TraceService:
    """Answers what the tools ask. The policy is read once, and stays as it is."""

    def __init__(
        self,
        root: TraceRoot,
        templates: Templates,
        policy: Policy,
        *,
        store: IndexStore | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self.policy = policy
        self.reviews = Reviews(ReviewLog(root), clock=clock)
        self._root = root
        self._templates = templates
        self._index = TraceIndex(root, templates, store=store)
        self._guard = Guard(self._index, templates, policy, self.reviews, clock=clock)
        self._listing = Lock()

    @classmethod
    def start(cls, settings: Settings, *, clock: Clock = system_clock) -> TraceService:
        """Return the service of a Trace root.

        Raises:
            StartError: the Trace root or the folder of the templates is not there, or may not be
                opened.
            PolicyError: the policy cannot be read, or is not valid.
        """
        root = open_root(settings.folder, "--dir")
        if settings.templates is None:
            templates = Templates(root)
        else:
            templates = Templates(open_root(settings.templates, "--templates-dir"), None)
        policy = load_policy(settings.policy)
        store = IndexStore(root) if settings.keeps_index else None
        return cls(root, templates, policy, store=store, clock=clock)

    def warm(self) -> None:
        """Take in what is recorded so far, so that the first question need not wait for it.

        What goes wrong is told to whoever asks a question.
        """
        try:
            self._refresh()
        except HaiaTraceError:
            return

    def save(self) -> None:
        """Write the index to its file, if it is kept.

        Raises:
            RootError: it cannot be written.
        """
        self._index.save()

    def has_runs_folder(self) -> bool:
        """Tell whether anything was ever recorded here, as far as a folder shows it."""
        try:
            with self._root.folder("events"):
                return True
        except AbsentError:
            return False
        except RootError:  # whoever asks a question is told
            return True

    def runs(self) -> tuple[Run, ...]:
        """Return all runs, those that cannot be used too.

        Raises:
            RootError: the Trace root or its runs may not be read.
        """
        with self._listing:
            self._refresh()
            return self._index.runs()

    def list_operations(
        self,
        template: str = DEFAULT_TEMPLATE,
        run: str | None = None,
        completeness: Completeness | None = None,
        limit: int = 50,
    ) -> Listing:
        """Return the newest operations of a run, of the latest one, or of all.

        Raises:
            RootError: the Trace root or its runs may not be read.
            RunsError: a run in question cannot be used.
            UnknownRunError: there is no such run.
            TemplateError: there is no such template, or it cannot be used.
        """
        with self._listing:
            self._refresh()
            found = self._index.operations(template, run, completeness, limit)
            count = self._index.run_count()
        return Listing(found, count if run is None else min(count, 1))

    def receipt(self, run_id: str, operation_id: str, template: str = DEFAULT_TEMPLATE) -> Receipt:
        """Return the receipt of an operation.

        Raises:
            RootError: the Trace root or its runs may not be read.
            RunsError: the run cannot be used.
            UnknownRunError: there is no such run.
            UnknownOperationError: the run has no such operation.
            TemplateError: there is no such template, or it cannot be used.
        """
        self._refresh()
        return self._index.receipt(run_id, operation_id, template)

    def explain(
        self, run_id: str, operation_id: str, template: str = DEFAULT_TEMPLATE
    ) -> dict[str, object]:
        """Return what a receipt proves, in sentences; raises like ``receipt``."""
        self._refresh()
        return explain_operation(
            self._index,
            self._templates,
            self.policy.assets,
            run_id=run_id,
            operation_id=operation_id,
            template=template,
        )

    def check(
        self,
        counterparty: str,
        amount: str,
        asset: str | None = None,
        template: str = DEFAULT_TEMPLATE,
    ) -> Decision:
        """Judge an intended payment; raises like ``Guard.check``, and RootError without a root."""
        self._look()
        return self._guard.check(counterparty, amount, asset, template)

    def review(self, review_id: str) -> Review:
        """Return a review as it stands.

        Raises:
            RootError: the Trace root is not there any more.
            UnknownReviewError: there is none of this id.
            ReviewLogError: the log cannot be read.
        """
        self._look()
        return self.reviews.show(review_id)

    def _refresh(self) -> None:
        self._look()
        self._index.refresh()

    def _look(self) -> None:
        """Fail when the root went away: no folder of runs is no runs, and no root is no answer."""
        with self._root.folder():
            return


def open_root(path: Path, option: str) -> TraceRoot:
    """Return a folder as a root, if it is there.

    Raises:
        StartError: it is not, or may not be opened; the words name the option.
    """
    root = TraceRoot(path)
    try:
        with root.folder():
            return root
    except AbsentError as error:
        raise StartError(
            f"{error}. {option} names a folder that exists: a wrong one would look as if nothing "
            "had ever been recorded."
        ) from error
    except RootError as error:
        raise StartError(f"{error} ({option})") from error
