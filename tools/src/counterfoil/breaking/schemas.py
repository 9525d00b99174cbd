"""The verdicts about two versions of a schema: walked, proved, and shown by a witness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.breaking.changes import EVERYONE, PROGRAMS, Change
from counterfoil.breaking.deprecation import Announcement, announced
from counterfoil.breaking.proof import covers, valid
from counterfoil.breaking.subjects import Subject
from counterfoil.breaking.walker.gaps import Gap
from counterfoil.breaking.walker.walk import Walk
from counterfoil.breaking.witnesses import Direction, Witness
from counterfoil.breaking.witnesses.search import Search
from counterfoil.contract.values import is_array, is_object, members, text
from counterfoil.schema.refs import unescape

_CODES: dict[Direction, dict[str, str]] = {
    "input": {
        "added": "CF413", "closed": "CF414", "removed": "CF411", "renamed": "CF412",
        "required": "CF410", "values": "CF413",
    },
    "output": {
        "added": "CF421", "closed": "CF421", "removed": "CF420", "renamed": "CF412",
        "required": "CF420", "values": "CF421",
    },
}  # fmt: skip
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Where one such gap is the only harm, it is why a value is refused.
_EXPLAINING = frozenset({"closed", "required", "values"})
_UNPROVEN = "whether what worked before still works is not proven"


def schema_changes(subject: Subject) -> Iterator[Change]:
    """Yield the changes of what a schema takes; what it tells its readers is not among them."""
    dialects = [_dialect(each.schema) for each in (subject.base, subject.target)]
    if dialects[0] != dialects[1]:
        what = f"$schema is {dialects[1]}, was {dialects[0]}; keywords may not mean the same"
        yield subject.change("CF430", "undecided", PROGRAMS, None, what)
    sound = [valid(each.schema) for each in (subject.base, subject.target)]
    if not all(sound):
        named = "both versions are" if not any(sound) else (
            "the new version is" if sound[0] else "the old version is"
        )  # fmt: skip
        what = f"{named} no JSON Schema of 2020-12, so that nobody can tell what it takes"
        yield subject.change("CF430", "undecided", PROGRAMS, None, what)
        return
    yield from _judged(subject, Walk(subject.base.schema, subject.target.schema))


def _judged(subject: Subject, walk: Walk) -> Iterator[Change]:
    gaps = walk.gaps()
    search = Search(walk, subject.direction, subject.pair.name)
    harmful = [gap for gap in gaps if _harms(gap, subject.direction)]
    inner, outer = _sides(subject, walk)
    proof = covers(outer, inner)
    alone = len(harmful) == 1
    witnesses = [search.witness(gap) or search.witness(gap, alone=alone) for gap in harmful]
    doubtful = walk.cut or any(not gap.route.certain for gap in gaps)
    if not any(witnesses) and (proof == "no" or (proof == "unknown" and doubtful)):
        witness = search.any_witness(gaps, outer)
        if witness is not None and alone and harmful[0].sort in _EXPLAINING:
            witnesses = [witness]
        else:
            yield from _unexplained(subject, witness, len(harmful))
    for gap, witness in zip(harmful, witnesses, strict=True):
        if witness is None and gap.effect == "either" and gap.sort == "values" and proof == "yes":
            yield _harmless(subject, gap)
        else:
            yield _harm(subject, gap, witness, proof)
    told = {(gap.route.shown, gap.keyword) for gap in harmful}
    told |= {(gap.route.shown, "properties") for gap in harmful if gap.sort == "required"}
    for gap in gaps:
        if not _harms(gap, subject.direction) and (gap.route.shown, gap.keyword) not in told:
            yield _harmless(subject, gap)


def _unexplained(subject: Subject, witness: Witness | None, told: int) -> Iterator[Change]:
    """Yield what nothing that the walker has seen explains."""
    if witness is not None:
        code = _CODES[subject.direction]["values"]
        what = (
            "takes less than before" if subject.direction == "input" else "holds more than before"
        )
        yield subject.change(code, "breaking", PROGRAMS, None, what, witness=witness)
    elif not told:
        yield subject.change("CF430", "undecided", PROGRAMS, None, _UNPROVEN)


def _dialect(schema: Any) -> str:
    """Return the dialect of a schema; MCP has 2020-12 where none is named."""
    return text(members(schema).get("$schema")).rstrip("#") or _DIALECT


def _harms(gap: Gap, direction: Direction) -> bool:
    if gap.sort in ("removed", "renamed") or gap.effect == "either":
        return True
    if gap.sort == "added" and not gap.suspects:
        return False
    return gap.effect == ("narrower" if direction == "input" else "wider")


def _harm(subject: Subject, gap: Gap, witness: Witness | None, proof: str) -> Change:
    sentence = gap.what
    if witness is None:
        reason = {
            "yes": "the containment engine says that it takes all that it took",
            "no": "no value was found that shows what is lost",
        }.get(proof, "nothing proves or refutes that it matters")
        sentence = f"{sentence}; {reason}"
        return subject.change("CF430", "undecided", PROGRAMS, gap, sentence)
    announcement = _announcement(subject, gap)
    if announcement is not None and announcement.due(subject.today):
        return subject.change(
            "CF468", "behaviour", EVERYONE, gap, f"{sentence}, as announced for {announcement.date}"
        )
    levels = EVERYONE if gap.sort == "removed" else PROGRAMS
    code = _CODES[subject.direction][gap.sort]
    return subject.change(
        code, "breaking", levels, gap, sentence, hint=_hint(gap, subject.direction),
        witness=witness,
    )  # fmt: skip


def _announcement(subject: Subject, gap: Gap) -> Announcement | None:
    if gap.sort not in ("removed", "renamed") or gap.name not in gap.base.members:
        return None
    return announced(gap.base.members[gap.name].schema)


def _hint(gap: Gap, direction: Direction) -> str:
    if gap.sort == "required" and direction == "input":
        return "make it optional, with a default that keeps the old meaning"
    if gap.sort == "renamed":
        return f'keep "{gap.name}" beside "{gap.successor}", and mark it deprecated'
    if gap.sort == "removed":
        return f'keep "{gap.name}", mark it deprecated with a date, and remove it then'
    return ""


def _harmless(subject: Subject, gap: Gap) -> Change:
    if gap.sort == "added":
        return subject.change("CF481", "additive", EVERYONE, gap, gap.what)
    code = "CF482" if subject.direction == "input" else "CF483"
    return subject.change(code, "additive", EVERYONE, gap, gap.what)


def _sides(subject: Subject, walk: Walk) -> tuple[Any, Any]:
    """Return the schema whose values have to be taken, and the one that has to take them.

    The target's demands on members that nobody has sent before are left out.
    """
    if subject.direction == "output":
        return subject.target.schema, subject.base.schema
    outer: Any = subject.target.schema
    for pointer in walk.forgiven:
        outer = _without(outer, pointer)
    return subject.base.schema, outer


def _without(schema: Any, pointer: str) -> Any:
    """Return a copy of a schema without the member at a pointer."""
    head, _, rest = pointer[1:].partition("/")
    if is_array(schema):
        return [
            _without(each, f"/{rest}") if index == int(head) else each
            for index, each in enumerate(schema)
        ]
    if not is_object(schema):
        return schema
    key = unescape(head)
    if not rest:
        return {name: each for name, each in schema.items() if name != key}
    return {
        name: _without(each, f"/{rest}") if name == key else each for name, each in schema.items()
    }
