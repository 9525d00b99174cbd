"""Everything that is looked at, in the order in which people can mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from counterfoil.config import Config, find_project, read_config
from counterfoil.diagnosis.bindings import examine_bindings
from counterfoil.diagnosis.contract import (
    examine_configuration,
    examine_contract,
    examine_outputs,
)
from counterfoil.diagnosis.diagnosis import SKIPPED, Diagnosis, guarded
from counterfoil.diagnosis.environment import examine_cache, examine_command, examine_versions
from counterfoil.diagnosis.history import examine_accepted, examine_history
from counterfoil.diagnosis.locks import examine_locks
from counterfoil.diagnosis.secrets import examine_secrets
from counterfoil.diagnosis.servers import (
    Answer,
    ask_servers,
    examine_allowlists,
    examine_servers,
    unasked,
)
from counterfoil.errors import CounterfoilError
from counterfoil.project import Project

_BEHIND = ("contract", "outputs", "history", "secrets", "servers", "locks")


@dataclass(frozen=True)
class Examination:
    """How to examine.

    Attributes:
        folder: the project's folder, or one below it.
        is_root: whether the folder is the project's itself.
        cached: whether the user's cache is used.
        offline: whether servers are left alone.
        seconds: how long each answer of a server may take.
    """

    folder: Path
    is_root: bool
    cached: bool = True
    offline: bool = False
    seconds: float = 10.0


def examine(how: Examination) -> Iterator[Diagnosis]:
    """Look at everything, and yield how it is as soon as it is known.

    What cannot be looked at is a diagnosis of its own, and hides nothing else.
    """
    yield from guarded("packages", examine_versions)
    yield from guarded("command", examine_command)
    yield from guarded("cache", partial(examine_cache, used=how.cached))
    try:
        root = how.folder if how.is_root else find_project(how.folder)
        config = read_config(root)
    except CounterfoilError as error:
        yield from guarded("configuration", partial(_raise, error))
        for subject in _BEHIND:
            yield Diagnosis(subject, SKIPPED, "the configuration has to be mended first")
        return
    yield from _examine_project(config, how)


def _examine_project(config: Config, how: Examination) -> Iterator[Diagnosis]:
    project = Project(config, cached=how.cached)
    looks: list[tuple[str, Callable[[], Iterator[Diagnosis]]]] = [
        ("configuration", partial(examine_configuration, project)),
        ("contract", partial(examine_contract, project)),
        ("outputs", partial(examine_outputs, project)),
        ("bindings", partial(examine_bindings, config)),
        ("history", partial(examine_history, config)),
        ("accepted", partial(examine_accepted, config)),
        ("secrets", partial(examine_secrets, config)),
        ("allowlists", partial(examine_allowlists, config)),
    ]
    for subject, look in looks:
        yield from guarded(subject, look)
    answers: list[Answer] = []
    if how.offline:
        yield from unasked(config)
    else:
        answers = ask_servers(config, how.seconds)
        yield from guarded("servers", partial(examine_servers, answers))
    yield from guarded("locks", partial(examine_locks, config.root, answers))


def _raise(error: CounterfoilError) -> Iterator[Diagnosis]:
    raise error
