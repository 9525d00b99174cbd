"""What `counterfoil breaking` compares with."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.config import Config
from counterfoil.diagnosis.diagnosis import OK, WARNING, Diagnosis, counted
from counterfoil.editions import AbsentFile, Room, default_base, open_edition
from counterfoil.errors import CounterfoilError
from counterfoil.review import read_accepted

_SUBJECT = "history"


def examine_history(config: Config) -> Iterator[Diagnosis]:
    """Look whether there is an edition to compare the contract with.

    A warning, not a failure: nothing but ``breaking`` and ``accept`` needs one.
    """
    room = Room(config.root, config.root, config.contract, config.live)
    against = config.breaking.against
    try:
        base = open_edition(against, room, room.file) if against else default_base(room, None)
    except AbsentFile as error:
        hint = "nothing to do: it is compared once it is there; until then give --allow-new"
        yield Diagnosis(_SUBJECT, WARNING, f"the contract is new: {error}", hint)
    except CounterfoilError as error:
        what = f"`counterfoil breaking` has nothing to compare with: {error}"
        yield Diagnosis(_SUBJECT, WARNING, what, error.hint)
    else:
        yield Diagnosis(_SUBJECT, OK, f"`counterfoil breaking` compares with {base.shown}")


def examine_accepted(config: Config) -> Iterator[Diagnosis]:
    """Look whether the file of accepted changes can be read."""
    accepted = read_accepted(config.root, config.breaking.accepted)
    if accepted.entries:
        yield Diagnosis(
            "accepted", OK, f"{accepted.path}: {counted(len(accepted.entries), 'change')}"
        )
