"""Which revisions a server claims to speak, and what it shows in them."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass, field

from counterfoil.wire.channels import open_channel
from counterfoil.wire.errors import WireError
from counterfoil.wire.messages import (
    HANDSHAKE_REVISIONS,
    MODERN_REVISIONS,
    REVISIONS,
    UNSUPPORTED_VERSION,
)
from counterfoil.wire.session import Session
from counterfoil.wire.surface import Surface, listed, read_surface
from counterfoil.wire.targets import Target

_INTERNAL_ERROR = -32603
# What only a modern server says, of a request that it should have understood.
_MODERN_CODES = frozenset({-32020, -32021})
# Not about the revision: no token, no right, a proxy, too many requests.
_BARRED = frozenset({401, 403, 407, 429})


@dataclass
class Survey:
    """What asking a server in every revision has shown.

    Attributes:
        claimed: the revisions it claims to speak, oldest first, also names unknown here.
        surfaces: what it lists, by revision.
        fault: why the lists of a claimed revision could not be read; those of others may then
            be missing, too.
    """

    claimed: tuple[str, ...] = ()
    surfaces: dict[str, Surface] = field(default_factory=dict[str, Surface])
    fault: WireError | None = None


def claimed_revisions(target: Target) -> tuple[str, ...]:
    """Ask a server for the revisions it speaks; return them oldest first.

    They are what ``server/discover`` names, also names unknown here, and each handshake
    revision that ``initialize`` confirms. Every probe has its own process or connection:
    the first request may decide for the rest of both.

    A server of the handshake era need not answer ``server/discover``: an error answer, a
    status of 4xx, silence, or its end are taken as "no" to it, provided that a handshake is
    accepted afterwards.

    Raises:
        WireError: when a probe failed for a reason that says nothing about the revision, or
            none is accepted.
    """
    return survey(target, ()).claimed


def survey(target: Target, wanted: Collection[str] = REVISIONS) -> Survey:
    """Ask a server for the revisions it speaks, as :func:`claimed_revisions`, and read its lists.

    The lists are read where the probe was answered: a server that takes its time to start is
    started once for each revision.

    Args:
        target: the server.
        wanted: the revisions whose lists are read, where the server claims them.

    Raises:
        WireError: as of :func:`claimed_revisions`. A list that could not be read is a ``fault``.
    """
    made = Survey()
    reader = _Reader(made, frozenset(wanted))
    claimed = set(reader.discovered(target))
    refusal: WireError | None = None
    for revision in reversed(HANDSHAKE_REVISIONS):
        try:
            reader.handshake(target, revision)
        except WireError as error:
            if not _declines(error):
                raise
            refusal = refusal or error
        else:
            claimed.add(revision)
    if not claimed and refusal is not None:
        raise _unaccepted(refusal) from refusal
    # Revisions are dates, so that their order as text is their order in time.
    made.claimed = tuple(sorted(claimed))
    for revision in made.claimed:
        reader.catch_up(target, revision)
    return made


def read_one(target: Target, preferred: str = "") -> Surface:
    """Read what a server shows in one revision, asking no more than that takes.

    Args:
        target: the server.
        preferred: the revision to read, if the server speaks it; else the newest that it and
            this client speak.

    Raises:
        WireError: when a part could not be read, or there is no common revision.
    """
    pending = sorted(REVISIONS, key=lambda revision: (revision == preferred, revision))
    refusals: list[WireError] = []
    while pending:
        try:
            return _read_or_decline(target, pending.pop())
        except _Declined as declined:
            refusals.append(declined.error)
            # What a server offers instead need not be guessed.
            offered = [each for each in pending if each in declined.error.offered]
            pending = offered or pending
    raise _unaccepted(refusals[0]) from refusals[0]


class _Declined(Exception):
    """Report that a server does not speak a revision."""

    def __init__(self, error: WireError) -> None:
        super().__init__(error.what)
        self.error = error


def _read_or_decline(target: Target, revision: str) -> Surface:
    with contextlib.closing(open_channel(target, revision)) as channel:
        session = Session(channel, revision)
        try:
            session.open()
        except WireError as error:
            if _declines(error) or (revision in MODERN_REVISIONS and _is_deaf(error)):
                raise _Declined(error) from error
            raise
        return listed(session, revision)


class _Reader:
    """Read lists along the way of a survey."""

    def __init__(self, made: Survey, wanted: frozenset[str]) -> None:
        self._made = made
        self._wanted = wanted

    def discovered(self, target: Target) -> tuple[str, ...]:
        """Return what ``server/discover`` names; nothing from a server that declines it."""
        revision = MODERN_REVISIONS[-1]
        try:
            with contextlib.closing(open_channel(target, revision)) as channel:
                session = Session(channel, revision)
                named = session.discover()
                if revision in named:
                    self._read(session, revision)
                return named
        except WireError as error:
            if not _declines(error) and not _is_deaf(error):
                raise
            return error.offered if error.code == UNSUPPORTED_VERSION else ()

    def handshake(self, target: Target, revision: str) -> None:
        """Begin a conversation, and raise WireError where the server does not take part."""
        with contextlib.closing(open_channel(target, revision)) as channel:
            session = Session(channel, revision)
            session.initialize()
            self._read(session, revision, is_settled=False)

    def catch_up(self, target: Target, revision: str) -> None:
        """Read the lists of a revision that was claimed and not probed."""
        if self._is_due(revision):
            try:
                self._made.surfaces[revision] = read_surface(target, revision)
            except WireError as error:
                self._made.fault = error

    def _read(self, session: Session, revision: str, *, is_settled: bool = True) -> None:
        if self._is_due(revision):
            try:
                if not is_settled:
                    session.settle()
                self._made.surfaces[revision] = listed(session, revision)
            except WireError as error:
                self._made.fault = error

    def _is_due(self, revision: str) -> bool:
        made = self._made
        if made.fault is not None or revision in made.surfaces:
            return False
        return revision in self._wanted and revision in REVISIONS


def _unaccepted(refusal: WireError) -> WireError:
    return WireError(
        f"the server accepts no revision of MCP; to {refusal.revision}: {refusal.what}",
        mend=refusal.hint,
        target=refusal.target,
        revision=None,
        kind=refusal.kind,
        code=refusal.code,
        status=refusal.status,
        offered=refusal.offered,
    )


def _is_deaf(error: WireError) -> bool:
    """Return whether a server of the handshake era may answer ``server/discover`` so."""
    return error.kind in ("timed-out", "ended")


def _declines(error: WireError) -> bool:
    """Return whether a failed probe means that the server does not speak the revision."""
    if error.status in _BARRED:
        return False
    if error.kind == "revision":
        return True
    if error.kind == "refused":
        return error.code != _INTERNAL_ERROR and error.code not in _MODERN_CODES
    return error.kind == "status" and 400 <= (error.status or 0) < 500
