"""What a server shows, in every revision that it speaks, or what was recorded of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterfoil.contract.source import SourceError, decode, parse
from counterfoil.contract.values import members
from counterfoil.editions.listings import LISTS, Listing, ListingFault, read_listing
from counterfoil.errors import CounterfoilError
from counterfoil.wire import REVISIONS, Surface, Target, read_one, survey

# What is known of a recording's revision: nothing, so that every field is taken for meant.
_RECORDED = REVISIONS[-1]
_ANEW = "record what tools/list answers anew"
_DOCUMENT = "an OpenAPI document is named with --openapi"


@dataclass(frozen=True)
class Capture:
    """What is to be imported.

    Attributes:
        shown: how people name where it is from; without secrets.
        surfaces: what was listed, a revision each, the oldest first; of a recording, one.
        spoken: the revisions that the server claims; empty of a recording.
        keyed: whether the server was asked with credentials.
    """

    shown: str
    surfaces: Sequence[Surface]
    spoken: tuple[str, ...] = ()
    keyed: bool = False

    @property
    def newest(self) -> Surface:
        """Return what was listed in the newest revision, which is what is imported."""
        return self.surfaces[-1]


def capture_server(target: Target, shown: str, *, keyed: bool = False) -> Capture:
    """Ask a running server for everything, in each revision that it and this toolchain speak.

    Raises:
        CounterfoilError: a part of it could not be read, or there is no common revision.
    """
    seen = survey(target)
    if seen.fault is not None:
        raise seen.fault
    surfaces = [seen.surfaces[each] for each in seen.claimed if each in seen.surfaces]
    if not surfaces:
        raise CounterfoilError(
            f"speaks only {', '.join(seen.claimed)}, which this counterfoil does not",
            place=shown,
            hint="take a counterfoil that speaks it",
        )
    return Capture(shown, surfaces, seen.claimed, keyed)


def capture_one(target: Target, shown: str, preferred: str = "") -> Capture:
    """Ask a running server for everything, in one revision: the preferred, else the newest.

    Raises:
        CounterfoilError: a part of it could not be read, or there is no common revision.
    """
    surface = read_one(target, preferred)
    return Capture(shown, [surface], (surface.revision,))


def capture_recording(raw: bytes, shown: str) -> Capture:
    """Read a recorded list, in any form of :mod:`counterfoil.editions.listings`.

    Raises:
        CounterfoilError: it is no such list, or it is broken or incomplete.
    """
    try:
        data, duplicates = parse(decode(raw))
    except SourceError as error:
        place = f"{shown}:{error.line}:{error.column}"
        raise CounterfoilError(
            f"cannot be read as JSON: {error.what}",
            place=place,
            hint=_DOCUMENT if shown.endswith((".yaml", ".yml")) else _ANEW,
        ) from error
    for each in duplicates:
        raise CounterfoilError(
            f"{each.key!r} is given twice in one object",
            place=f"{shown}:{each.line}:{each.column}",
            hint="keep one of the two",
        )
    try:
        listing = read_listing(data)
    except ListingFault as fault:
        place = f"{shown} #{fault.pointer}"
        raise CounterfoilError(fault.what, place=place, hint=fault.hint) from fault
    if listing is None:
        hint = 'record what tools/list answers, or write {"tools": [...], "prompts": [...]}'
        raise CounterfoilError(
            "holds no list of a server",
            place=shown,
            hint=_DOCUMENT if "openapi" in members(data) else hint,
        )
    _check_names(listing, shown)
    about = dict(listing.about)
    instructions = about.pop("instructions", None)
    surface = Surface(
        revision=_RECORDED,
        server=about,
        instructions=instructions,
        capabilities={},
        tools=listing.lists.get("tools", []),
        resources=listing.lists.get("resources", []),
        resource_templates=listing.lists.get("resourceTemplates", []),
        prompts=listing.lists.get("prompts", []),
    )
    return Capture(shown, [surface])


def _check_names(listing: Listing, shown: str) -> None:
    """Refuse entries without what identifies them, as the wire client does.

    Raises:
        CounterfoilError: with the first such entry.
    """
    for key, entries in listing.lists.items():
        for entry, pointer in zip(entries, listing.pointers[key], strict=True):
            if not isinstance(entry.get(LISTS[key]), str):
                raise CounterfoilError(
                    f"has no {LISTS[key]}",
                    place=f"{shown} #{pointer}",
                    hint="record what the server really lists",
                )
