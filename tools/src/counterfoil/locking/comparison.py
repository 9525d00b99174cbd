"""A locked server against what it lists now, in words."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from counterfoil.breaking import Change, Witness, compare, of_listing
from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_object, items, text, texts
from counterfoil.findings import Finding
from counterfoil.locking.digests import digest_of
from counterfoil.locking.lock import LISTS, Lock
from counterfoil.locking.visible import hidden, visible
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


def judge_lock(locked: Lock, seen: Lock) -> tuple[Finding, ...]:
    """Report every difference between a lock and what is listed now (CF601 to CF607).

    A definition whose digest differs is never passed over: what means the same is reported as
    written otherwise.

    Args:
        locked: what was read then; findings are placed in its file.
        seen: what is read now.
    """
    report = Report(locked.path, locked.text)
    before, after = _lists(locked), _lists(seen)
    told: set[tuple[str, str]] = set()
    for change in compare(
        of_listing("the lock", before, locked.server), of_listing("the server", after, seen.server)
    ):
        if change.code != _STEP:
            _add(change, locked, before, after, seen, report)
            told.add(_owner(change))
    for key in LISTS:
        _judge_entries(key, before[key], after[key], told, report)
    _judge_server(locked, seen, report)
    return report.findings()


def judge_hidden(seen: Lock) -> tuple[Finding, ...]:
    """Report hidden characters in anything that is listed (CF605)."""
    report = Report(seen.path, seen.text)
    for key, identity in LISTS.items():
        for index, entry in enumerate(seen.lists[key]):
            _judge_hidden(f"{_NOUNS[key]} {entry[identity]}", entry, f"/{key}/{index}", report)
    _judge_hidden("server", seen.server, "/server", report)
    return report.findings()


def _lists(lock: Lock) -> dict[str, list[dict[str, Any]]]:
    return {key: list(entries) for key, entries in lock.lists.items()}


def _owner(change: Change) -> tuple[str, str]:
    kind = {"template": "resourceTemplates"}.get(change.spot.kind, f"{change.spot.kind}s")
    return kind, change.spot.name


def _add(
    change: Change,
    locked: Lock,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    seen: Lock,
    report: Report,
) -> None:
    code = "CF601" if change.code in _TEXTS else _CODES.get(change.code, "CF604")
    if code == "CF601":
        old = text(_value({**before, **locked.server}, change.base))
        new = text(_value({**after, **seen.server}, change.target))
        detail = _difference(old, new) if old or new else _difference(*_texts(change.delta))
    elif code == "CF603":
        detail = _offered(_value(after, change.target))
    else:
        detail = _shown(change.witness)
    pointer = _place(change.base) if change.base is not None else _list(change.target or "")
    message = f"{change.spot.subject}: {visible(change.sentence)} ({change.klass})"
    report.add(code, pointer, message, detail=detail)


def _texts(delta: Any) -> tuple[str, str]:
    """Return the texts of a change on both sides, where it says them itself."""
    sides = items(delta) if len(items(delta)) == 2 else ["", ""]
    old, new = (each if isinstance(each, str) else "\n".join(texts(each)) for each in sides)
    return old, new


def _value(document: Mapping[str, Any], pointer: str | None) -> Any:
    try:
        return None if pointer is None else follow(document, f"#{pointer}")
    except DanglingReference:
        return None


def _place(pointer: str) -> str:
    """Return where in a lock something of a listing stands."""
    head, _, rest = pointer.removeprefix("/").partition("/")
    if not head:
        return ""
    if head not in LISTS:
        return f"/server/definition{pointer}"
    index, _, inner = rest.partition("/")
    if not index:
        return f"/{head}"
    return f"/{head}/{index}/definition{f'/{inner}' if inner else ''}"


def _list(pointer: str) -> str:
    head = pointer.split("/")[1] if pointer else ""
    return f"/{head}" if head in LISTS else ""


def _shown(witness: Witness | None) -> str:
    if witness is None:
        return ""
    return "\n".join(f"{lead}: {visible(what)}" for lead, what in witness_lines(witness))


def _offered(entry: Any) -> str:
    """Return what a new entry tells a model, so that nobody has to look it up."""
    told = entry.get("description") if is_object(entry) else None
    return "\n".join(f"+ {line}" for line in visible(told).splitlines()) if told else ""


def _difference(old: str, new: str) -> str:
    """Return the lines of a text that differ, hidden characters spelled out."""
    ours, theirs = (visible(text).splitlines() for text in (old, new))
    lines = difflib.ndiff(ours, theirs)
    return "\n".join(line.rstrip() for line in lines if line[:1] in "+-")


def _judge_entries(
    key: str,
    before: list[dict[str, Any]],
    after: list[dict[str, Any]],
    told: set[tuple[str, str]],
    report: Report,
) -> None:
    identity, noun = LISTS[key], _NOUNS[key]
    now = {entry[identity]: entry for entry in after}
    then = {entry[identity] for entry in before}
    for index, entry in enumerate(before):
        name = entry[identity]
        if name not in now or digest_of(now[name]) == digest_of(entry):
            continue
        _judge_hidden(f"{noun} {name}", now[name], f"/{key}/{index}", report)
        if (key, name) not in told:
            report.add("CF606", f"/{key}/{index}", f"{noun} {name} is written otherwise")
    for name in sorted(now.keys() - then):
        _judge_hidden(f"{noun} {name}", now[name], f"/{key}", report)


def _judge_hidden(subject: str, entry: Any, place: str, report: Report) -> None:
    for pointer, told in hidden(entry):
        message = f"{subject}: {pointer[1:] or 'name'} hides something"
        report.add("CF605", place, message, detail=f"+ {visible(told)}")


def _judge_server(locked: Lock, seen: Lock, report: Report) -> None:
    """Report what the server says of itself; its instructions are compared as texts."""
    for key in sorted((locked.server.keys() | seen.server.keys()) - {"instructions"}):
        old, new = locked.server.get(key), seen.server.get(key)
        if digest_of(old) != digest_of(new):
            place = f"/server/definition/{escape(key)}" if key in locked.server else "/server"
            report.add("CF607", place, f"server: {key} is {_said(new)}, was {_said(old)}")
    if locked.revision != seen.revision and locked.revision:
        report.add("CF607", "/revision", f"server: read in MCP {seen.revision}")


def _said(value: Any) -> str:
    return "nothing" if value is None else visible(repr(value))
