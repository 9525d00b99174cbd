"""A server's entry of a contract, from what it lists: everything, or a word about what not."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.canonical import arranged, dump
from counterfoil.contract.excerpts import bounded
from counterfoil.contract.grammar import grammar, judge_grammar
from counterfoil.contract.report import Report
from counterfoil.contract.values import is_array, is_object, items
from counterfoil.editions.listings import LISTS
from counterfoil.importer.capture import Capture
from counterfoil.schema.refs import unescape

SAID = ("name", "title", "version", "description", "websiteUrl", "icons")
# Not on the wire: what a contract says beside it until somebody knows better.
_ASSUMED: Mapping[str, Mapping[str, Any]] = {
    "tools": {"exec": {"kind": "handler"}, "surfaces": ["mcp"]},
    "resources": {"source": {"kind": "handler"}},
    "resourceTemplates": {},
    "prompts": {},
}
_NEEDED: Mapping[str, Any] = {"binding": "mcp", "name": "server", "tools": []}
# A member that is taken out may uncover the next fault, of the list in it for instance.
_ROUNDS = 100


@dataclass(frozen=True)
class Loss:
    """Something that the server lists and the contract cannot say.

    Attributes:
        subject: what it belongs to, for people.
        what: a clause.
    """

    subject: str
    what: str


@dataclass(frozen=True)
class Converted:
    """A server as a contract has it.

    Attributes:
        data: its JSON object.
        losses: what is not in it.
        assumed: what is in it and was not on the wire, a sentence each.
    """

    data: dict[str, Any]
    losses: tuple[Loss, ...]
    assumed: tuple[str, ...]


def convert(capture: Capture, server: str, binding: str = "mcp") -> Converted:
    """Return the server of a capture, without anything that the grammar of contracts refuses.

    A member that is ``null``, and an empty text or list where MCP lets it be left out, is left
    out: it says nothing.

    Args:
        capture: what was read.
        server: its id, which is its name where it has none.
        binding: ``mcp``, ``snapshot`` or ``wrapper``.
    """
    surface = capture.newest
    made: dict[str, Any] = {key: surface.server[key] for key in SAID if key in surface.server}
    unsaid = sorted(surface.server.keys() - set(SAID))
    losses = [Loss("server", f"{key} is no member of a server in a contract") for key in unsaid]
    assumed = list(_named(made, server))
    if surface.instructions:
        made["instructions"] = surface.instructions
    made["binding"] = binding
    if binding == "wrapper":
        made["outbound"] = []
    auth = "grant" if capture.keyed else "none"
    for key, entries in surface.lists.items():
        own = {"auth": auth} if key == "tools" else {}
        if entries or key == "tools":
            made[key] = [{**_stated(each, LISTS[key]), **_ASSUMED[key], **own} for each in entries]
    assumed += _assumptions(made, auth)
    made = {key: value for key, value in made.items() if value not in ("", None)}
    losses += _pruned(made)
    losses += _twins(made)
    [[_, data]] = arranged({"servers": {"it": made}})["servers"].items()
    return Converted(data, tuple(losses), tuple(assumed))


def _named(made: dict[str, Any], server: str) -> Iterator[str]:
    if not made.get("name"):
        made["name"] = server
        yield f'nothing says the server\'s name; it is "{server}" until you change it'
    if not made.get("version"):
        yield "nothing says the server's version; give it one, so that a change can be told by it"


def _assumptions(made: Mapping[str, Any], auth: str) -> Iterator[str]:
    if made["tools"]:
        yield (
            f"every tool has auth {auth}, no scope and no price, is offered by the MCP server only "
            "and carried out by a handler"
        )
    if made.get("resources"):
        yield "every resource is read by a handler"
    if made.get("prompts"):
        yield "the messages of prompts are not listed; a handler answers them"


def _stated(entry: Mapping[str, Any], identity: str = "name") -> dict[str, Any]:
    """Return an entry without members that say nothing."""
    kept = {
        key: copy.deepcopy(value)
        for key, value in entry.items()
        if (value is not None and value != "") or key == identity
    }
    if not kept.get("arguments", True):
        del kept["arguments"]
    if "arguments" in kept and is_array(kept["arguments"]):
        kept["arguments"] = [
            _stated(each) if is_object(each) else each for each in kept["arguments"]
        ]
    return kept


def _pruned(made: dict[str, Any]) -> Iterator[Loss]:
    """Take out what the grammar refuses, the smallest part that may be missing, and name it."""
    for _ in range(_ROUNDS):
        data = {"counterfoil": 1, "servers": {"it": made}}
        report = Report("", dump(data))
        if judge_grammar(data, report):
            return
        refused: dict[tuple[str, ...], str] = {}
        for finding in report.findings():
            refused.setdefault(tuple(finding.pointer.split("/")[3:]), finding.message)
        # From the end, so that what is taken out does not move what comes after it.
        for tokens in sorted(refused, key=_position, reverse=True):
            yield from _taken_out(made, [unescape(token) for token in tokens], refused[tokens])


def _position(tokens: tuple[str, ...]) -> list[tuple[int, str]]:
    return [(int(token), "") if token.isdecimal() else (-1, token) for token in tokens]


def _taken_out(made: dict[str, Any], tokens: list[str], why: str) -> Iterator[Loss]:
    """Take out what stands at a place, if something around it is not gone already."""
    kind = tokens[0]
    if kind not in LISTS or len(tokens) < 2:
        made.pop(kind, None)
        if kind in _NEEDED:
            made[kind] = _NEEDED[kind]
        yield Loss("server", f"{'/'.join(tokens)}: {why}")
        return
    index = int(tokens[1])
    entry = made[kind][index]
    name = _subject(kind, entry)
    path = _removable(entry, kind, tokens[2:])
    if path is None:
        del made[kind][index]
        yield Loss(name, f"left out whole: {'/'.join(tokens[2:]) or kind}: {bounded(why)}")
    elif path:
        holder = entry[path[0]] if len(path) > 1 else entry
        del holder[path[-1]]
        yield Loss(name, f"{'/'.join(path)}: {why}")


def _subject(kind: str, entry: Mapping[str, Any]) -> str:
    noun = {"resourceTemplates": "resource template"}.get(kind, kind[:-1])
    name = entry[LISTS[kind]]
    return f"{noun} {bounded(name, 80)}" if name else f"{noun} without a name"


def _removable(entry: Any, kind: str, tokens: list[str]) -> list[str] | None:
    """Return the path of the smallest part around a place that may be missing.

    Only members of an entry, and of what stands directly in it, are taken out by themselves.

    Returns:
        ``None`` when the entry has to go; an empty path for what is gone already.
    """
    if not tokens or tokens[0] in _required(kind):
        return None
    if tokens[0] not in entry:
        return []
    inner = entry[tokens[0]]
    return tokens[:2] if len(tokens) > 1 and is_object(inner) and tokens[1] in inner else tokens[:1]


def _required(kind: str) -> list[str]:
    name = {"tools": "tool", "resources": "resource", "prompts": "prompt"}
    return items(grammar()["$defs"][name.get(kind, "resourceTemplate")]["required"])


def _twins(made: dict[str, Any]) -> Iterator[Loss]:
    """Take out all but the first of entries that nobody can tell apart."""
    for kind, identity in LISTS.items():
        seen: set[str] = set()
        kept: list[Any] = []
        for entry in made.get(kind, ()):
            name = entry[identity]
            if name in seen:
                yield Loss(_subject(kind, entry), "is listed more than once; the first is kept")
            else:
                kept.append(entry)
            seen.add(name)
        if kind in made:
            made[kind] = kept
