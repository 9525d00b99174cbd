"""Who may call a tool, what it costs, where it is offered, and how a call is carried out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.breaking.changes import EVERYONE, READERS, Change
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.walker.scalars import shown
from counterfoil.contract.values import members, text, texts
from counterfoil.schema.semantics import equal

# From open to closed. A tool that is local is called by nobody from outside.
_DEMANDS = {"none": 0, "grant": 1, "bearer": 1, "signature": 1, "local": 2}
# MCP 2025-11-25, Tool.execution.taskSupport: what a client may do, and the value when left out.
_MODES = {
    "forbidden": frozenset({"plain"}),
    "optional": frozenset({"plain", "task"}),
    "required": frozenset({"task"}),
}


def auth_changes(pair: Pair) -> Iterator[Change]:
    """Yield what changed about the credential that a call needs."""
    ours, theirs = text(pair.base.get("auth")), text(pair.target.get("auth"))
    if ours != theirs:
        before, after = _DEMANDS.get(ours), _DEMANDS.get(theirs)
        what = f"auth is {theirs or 'missing'}, was {ours or 'missing'}"
        if before is not None and after is not None and after < before:
            yield pair.change(
                "CF450", "security", EVERYONE, what, at="/auth", delta=[ours, theirs],
                hint="have the change reviewed by whoever answers for access",
            )  # fmt: skip
            return
        yield pair.change("CF441", "breaking", EVERYONE, what, at="/auth", delta=[ours, theirs])
        if theirs == "local":
            return  # nobody from outside calls it, with whatever scope
    yield from _scope(pair)


def _scope(pair: Pair) -> Iterator[Change]:
    ours, theirs = text(pair.base.get("scope")), text(pair.target.get("scope"))
    if ours == theirs:
        return
    delta = [ours, theirs]
    if not theirs:
        what = f'no scope is needed, was "{ours}"'
        yield pair.change("CF450", "security", EVERYONE, what, at="/scope", delta=delta)
        return
    what = f'scope is "{theirs}", ' + (f'was "{ours}"' if ours else "there was none")
    yield pair.change("CF441", "breaking", EVERYONE, what, at="/scope", delta=delta)


def price_changes(pair: Pair) -> Iterator[Change]:
    """Yield whether a call has come to cost something, or nothing."""
    ours, theirs = bool(pair.base.get("priced")), bool(pair.target.get("priced"))
    if theirs and not ours:
        what = "a call may ask for a payment now"
        yield pair.change("CF442", "breaking", EVERYONE, what, at="/priced")
    elif ours and not theirs:
        what = "a call asks for no payment any more"
        yield pair.change("CF484", "additive", EVERYONE, what, at="/priced")


def surface_changes(pair: Pair) -> Iterator[Change]:
    """Yield where a tool is offered no longer, or too."""
    ours, theirs = {*texts(pair.base.get("surfaces"))}, {*texts(pair.target.get("surfaces"))}
    for name in sorted(ours - theirs):
        what = f"is no longer offered on {name}"
        yield pair.change("CF443", "breaking", EVERYONE, what, at="/surfaces", delta=name)
    for name in sorted(theirs - ours):
        what = f"is offered on {name}, too"
        yield pair.change("CF484", "additive", EVERYONE, what, at="/surfaces", delta=name)


def execution_changes(pair: Pair) -> Iterator[Change]:
    """Yield what changed about how a call is carried out."""
    ours, theirs = pair.base.get("exec"), pair.target.get("exec")
    if pair.whole and not equal(ours, theirs):
        what = f"is carried out by {shown(theirs)}, was by {shown(ours)}"
        yield pair.change("CF464", "behaviour", EVERYONE, what, at="/exec", delta=[ours, theirs])
    yield from _modes(pair)


def _modes(pair: Pair) -> Iterator[Change]:
    before, after = members(pair.base.get("execution")), members(pair.target.get("execution"))
    ours, theirs = _mode(before), _mode(after)
    for mode in sorted(ours - theirs):
        what = "takes no plain calls any more" if mode == "plain" else "runs as no task any more"
        yield pair.change("CF446", "breaking", EVERYONE, what, at="/execution", delta=mode)
    for mode in sorted(theirs - ours):
        what = "takes plain calls, too" if mode == "plain" else "runs as a task, too"
        yield pair.change("CF484", "additive", EVERYONE, what, at="/execution", delta=mode)
    rest: list[Any] = [
        {key: value for key, value in side.items() if key != "taskSupport"}
        for side in (before, after)
    ]
    if not equal(*rest):
        what = f"execution is {shown(after)}, was {shown(before)}"
        yield pair.change("CF464", "behaviour", READERS, what, at="/execution", delta=rest)


def _mode(execution: dict[str, Any]) -> frozenset[str]:
    return _MODES.get(text(execution.get("taskSupport")), _MODES["forbidden"])
