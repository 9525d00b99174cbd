"""A locked server against what it lists now, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.breaking import Change, Witness, compare, of_listing
from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_object, items, text, texts
from counterfoil.editions.listings import LISTS
from counterfoil.findings import Finding
from counterfoil.locking.digests import digest_of
from counterfoil.locking.lock import Lock
from counterfoil.locking.visible import difference, hidden, visible
from counterfoil.review.formats.sentences import witness_lines
from counterfoil.schema.refs import DanglingReference, follow

_GONE, _NEW = "CF401", "CF480"
_STEP = "CF490"  # how somebody else numbers versions is not judged
_TEXTS = frozenset({"CF460", "CF463"})
_CODES: Mapping[str, str] = {_GONE: "CF602", _NEW: "CF603"}
_NOUNS = {
    "tools": "tool",
    "resources": "resource",
    "resourceTemplates": "resource template",
    "prompts": "prompt",
}


@dataclass(frozen=True)
class _Side:
    """A lock with one definition for each name, as clients have it.

    Attributes:
        lock: the lock.
        lists: the definitions.
        places: where each of them stands in the lists of the lock.
        digests: of every definition that has a name, also of those that are left out.
    """

    lock: Lock
    lists: Mapping[str, list[dict[str, Any]]]
    places: Mapping[str, list[int]]
    digests: Mapping[tuple[str, str], Counter[str]]

    @property
    def document(self) -> Mapping[str, Any]:
        """Return what pointers of changes lead into."""
        return {**self.lists, **self.lock.server}

    def place(self, pointer: str) -> str:
        """Return where in the lock something of its listing stands."""
        head, _, rest = pointer.removeprefix("/").partition("/")
        if not head:
            return ""
        if head not in LISTS:
            return f"/server/definition{pointer}"
        index, _, inner = rest.partition("/")
        if not index:
            return f"/{head}"
        at = self.places[head][int(index)]
        return f"/{head}/{at}/definition{f'/{inner}' if inner else ''}"


def judge_lock(locked: Lock, seen: Lock) -> tuple[Finding, ...]:
    """Report every difference between a lock and what is listed now (CF601 to CF608).

    A definition whose digest differs is never passed over: what means the same is reported as
    written otherwise.

    Args:
        locked: what was read then; findings are placed in its file.
        seen: what is read now.
    """
    report = Report(locked.path, locked.text)
    # Of two definitions of one name, what is locked is compared with what is not.
    before = _side(locked, _digests(seen), prefer_known=True)
    after = _side(seen, _digests(locked), prefer_known=False)
    told: set[tuple[str, str]] = set()
    for change in compare(
        of_listing("the lock", before.lists, locked.server),
        of_listing("the server", after.lists, seen.server),
    ):
        if change.code != _STEP:
            _add(change, before, after, report)
            told.add(_owner(change))
    for key in LISTS:
        _judge_entries(key, before, after, told, report)
    _judge_server(locked, seen, report)
    return report.findings()


def judge_listing(seen: Lock) -> tuple[Finding, ...]:
    """Report what is wrong with a listing by itself: hidden text, a name that is listed twice."""
    report = Report(seen.path, seen.text)
    for key, identity in LISTS.items():
        counts = Counter(entry[identity] for entry in seen.lists[key])
        for index, entry in enumerate(seen.lists[key]):
            subject, place = f"{_NOUNS[key]} {entry[identity]}", f"/{key}/{index}"
            _judge_hidden(subject, entry, place, report)
            if counts[entry[identity]] > 1:
                counts[entry[identity]] *= -1  # said once
                said = f"{visible(subject)} is listed {-counts[entry[identity]]} times"
                report.add("CF608", place, said)
    _judge_hidden("server", seen.server, "/server", report)
    return report.findings()


def _digests(lock: Lock) -> dict[tuple[str, str], Counter[str]]:
    found: dict[tuple[str, str], Counter[str]] = {}
    for key, identity in LISTS.items():
        for entry in lock.lists[key]:
            found.setdefault((key, entry[identity]), Counter())[digest_of(entry)] += 1
    return found


def _side(
    lock: Lock, other: Mapping[tuple[str, str], Counter[str]], *, prefer_known: bool
) -> _Side:
    """Return a lock for comparing.

    Args:
        lock: what is compared.
        other: the digests of the other side.
        prefer_known: of entries of one name, take one that the other side has, too, or one that
            it has not.
    """
    chosen: dict[str, dict[str, tuple[bool, int]]] = {key: {} for key in LISTS}
    for key, identity in LISTS.items():
        for index, entry in enumerate(lock.lists[key]):
            name = entry[identity]
            is_known = digest_of(entry) in other.get((key, name), ())
            rank = (is_known != prefer_known, index)
            chosen[key][name] = min(rank, chosen[key].get(name, rank))
    places = {key: [at for _, at in found.values()] for key, found in chosen.items()}
    lists = {key: [lock.lists[key][at] for at in found] for key, found in places.items()}
    return _Side(lock, lists, places, _digests(lock))


def _owner(change: Change) -> tuple[str, str]:
    kind = {"template": "resourceTemplates"}.get(change.spot.kind, f"{change.spot.kind}s")
    return kind, change.spot.name


def _add(change: Change, before: _Side, after: _Side, report: Report) -> None:
    code = "CF601" if change.code in _TEXTS else _CODES.get(change.code, "CF604")
    if code == "CF601":
        old = text(_value(before.document, change.base))
        new = text(_value(after.document, change.target))
        detail = difference(old, new) if old and new else _new_text(old, new, change.delta)
    elif code == "CF603":
        detail = _offered(_value(after.lists, change.target))
    else:
        detail = _shown(change.witness)
    pointer = before.place(change.base) if change.base is not None else _list(change.target or "")
    message = visible(f"{change.spot.subject}: {change.sentence} ({change.klass})")
    report.add(code, pointer, message, detail=detail)


def _new_text(old: str, new: str, delta: Any) -> str:
    """Return a text that one side alone has, as a difference; it may stand in the change only."""
    if not old and not new and len(items(delta)) == 2:
        old, new = (
            each if isinstance(each, str) else "\n".join(texts(each)) for each in items(delta)
        )
    removed, added = (visible(each).split("\n") if each else [] for each in (old, new))
    return "\n".join([*(f"- {line}" for line in removed), *(f"+ {line}" for line in added)])


def _value(document: Mapping[str, Any], pointer: str | None) -> Any:
    try:
        return None if pointer is None else follow(document, f"#{pointer}")
    except DanglingReference:
        return None


def _list(pointer: str) -> str:
    head = pointer.split("/")[1] if pointer else ""
    return f"/{head}" if head in LISTS else ""


def _shown(witness: Witness | None) -> str:
    if witness is None:
        return ""
    return "\n".join(f"{lead}: {visible(what)}" for lead, what in witness_lines(witness))


def _offered(entry: Any) -> str:
    """Return what an entry tells a model, so that nobody has to look it up."""
    told = entry.get("description") if is_object(entry) else None
    return "\n".join(f"+ {visible(line)}" for line in told.split("\n")) if told else ""


def _judge_entries(
    key: str, before: _Side, after: _Side, told: set[tuple[str, str]], report: Report
) -> None:
    """Report what a comparison of meanings passes over: other bytes, hidden text, twins."""
    identity, noun = LISTS[key], _NOUNS[key]
    now = {entry[identity]: entry for entry in after.lists[key]}
    for place, entry in zip(before.places[key], before.lists[key], strict=True):
        name = entry[identity]
        if name not in now or before.digests[key, name] == after.digests[key, name]:
            continue
        at = f"/{key}/{place}"
        for each in _unlocked(key, name, before, after):
            _judge_hidden(f"{noun} {name}", each, at, report)
        _judge_twins(key, name, at, before, after, report)
        if (key, name) not in told and digest_of(now[name]) != digest_of(entry):
            report.add("CF606", at, visible(f"{noun} {name} is written otherwise"))
    for name in sorted(now.keys() - {entry[identity] for entry in before.lists[key]}):
        for each in _unlocked(key, name, before, after):
            _judge_hidden(f"{noun} {name}", each, f"/{key}", report)
        _judge_twins(key, name, f"/{key}", before, after, report)


def _unlocked(key: str, name: str, before: _Side, after: _Side) -> Iterator[dict[str, Any]]:
    """Yield the definitions of a name that are listed now and are not locked."""
    known = before.digests.get((key, name), Counter())
    for entry in after.lock.lists[key]:
        if entry[LISTS[key]] == name and digest_of(entry) not in known:
            yield entry


def _judge_twins(
    key: str, name: str, place: str, before: _Side, after: _Side, report: Report
) -> None:
    was = before.digests.get((key, name), Counter()).total()
    now = after.digests[key, name].total()
    subject = visible(f"{_NOUNS[key]} {name}")
    if now > 1:
        told = filter(None, map(_offered, _unlocked(key, name, before, after)))
        detail = "\n".join(told)
        report.add("CF608", place, f"{subject} is listed {now} times", detail=detail)
    elif was > 1:
        report.add("CF604", place, f"{subject} is listed once, was listed {was} times")


def _judge_hidden(subject: str, entry: Any, place: str, report: Report) -> None:
    for pointer, told in hidden(entry):
        message = visible(f"{subject}: {pointer[1:] or 'name'} hides something")
        report.add("CF605", place, message, detail=f"+ {visible(told)}")


def _judge_server(locked: Lock, seen: Lock, report: Report) -> None:
    """Report what the server says of itself; its instructions are compared as texts."""
    if digest_of(seen.server) != digest_of(locked.server):
        _judge_hidden("server", _changed(locked.server, seen.server), "/server", report)
    for key in sorted((locked.server.keys() | seen.server.keys()) - {"instructions"}):
        old, new = locked.server.get(key), seen.server.get(key)
        if digest_of(old) != digest_of(new):
            place = f"/server/definition/{escape(key)}" if key in locked.server else "/server"
            report.add("CF607", place, visible(f"server: {key} is {_said(new)}, was {_said(old)}"))
    if locked.revision != seen.revision and locked.revision and seen.revision:
        said = f"server: was locked in MCP {locked.revision} and speaks {seen.revision} instead"
        report.add("CF607", "/revision", said)


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in new.items() if old.get(key) != value}


def _said(value: Any) -> str:
    return "nothing" if value is None else repr(value)
