"""Which revisions a server claims to speak."""

from __future__ import annotations

import contextlib

from counterfoil.wire.channels import open_channel
from counterfoil.wire.errors import WireError
from counterfoil.wire.messages import (
    HANDSHAKE_REVISIONS,
    MODERN_REVISIONS,
    UNSUPPORTED_VERSION,
)
from counterfoil.wire.session import Session
from counterfoil.wire.targets import Target

_INTERNAL_ERROR = -32603
# What only a modern server says, of a request that it should have understood.
_MODERN_CODES = frozenset({-32020, -32021})
# Not about the revision: no token, no right, a proxy, too many requests.
_BARRED = frozenset({401, 403, 407, 429})


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
    claimed: set[str] = set()
    try:
        claimed.update(_discover(target))
    except WireError as error:
        if not _declines(error) and error.kind not in ("timed-out", "ended"):
            raise
        if error.code == UNSUPPORTED_VERSION:
            claimed.update(error.offered)
    refusal: WireError | None = None
    for revision in reversed(HANDSHAKE_REVISIONS):
        try:
            _handshake(target, revision)
        except WireError as error:
            if not _declines(error):
                raise
            refusal = refusal or error
        else:
            claimed.add(revision)
    if not claimed and refusal is not None:
        raise WireError(
            f"the server accepts no revision of MCP; to {refusal.revision}: {refusal.what}",
            mend=refusal.hint,
            target=refusal.target,
            revision=None,
            kind=refusal.kind,
            code=refusal.code,
            status=refusal.status,
            offered=refusal.offered,
        ) from refusal
    # Revisions are dates, so that their order as text is their order in time.
    return tuple(sorted(claimed))


def _discover(target: Target) -> tuple[str, ...]:
    revision = MODERN_REVISIONS[-1]
    with contextlib.closing(open_channel(target, revision)) as channel:
        return Session(channel, revision).discover()


def _handshake(target: Target, revision: str) -> None:
    with contextlib.closing(open_channel(target, revision)) as channel:
        Session(channel, revision).initialize()


def _declines(error: WireError) -> bool:
    """Return whether a failed probe means that the server does not speak the revision."""
    if error.status in _BARRED:
        return False
    if error.kind == "revision":
        return True
    if error.kind == "refused":
        return error.code != _INTERNAL_ERROR and error.code not in _MODERN_CODES
    return error.kind == "status" and 400 <= (error.status or 0) < 500
