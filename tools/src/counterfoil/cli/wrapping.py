"""``counterfoil new wrapper``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from counterfoil.cli.command import CLEAN, FOUND
from counterfoil.cli.output import change_line, changes_data, print_document, report, say
from counterfoil.config import read_config
from counterfoil.errors import CounterfoilError
from counterfoil.project import Project
from counterfoil.scaffold.setup import lay
from counterfoil.scaffold.wrapper.handlers import Gap, add_handlers, find_gap, shown_lines
from counterfoil.scaffold.wrapper.layout import check_name, first_server
from counterfoil.scaffold.wrapper.pages import surplus
from counterfoil.scaffold.wrapper.project import (
    RefusedContract,
    Sources,
    Start,
    differs,
    given_sources,
    missing,
    own_sources,
    start,
    starter_sources,
)
from counterfoil.tree import Change, write


def write_wrapper(arguments: argparse.Namespace) -> int:
    """Write a wrapper's project, or what is missing of it; return the exit status.

    Raises:
        CounterfoilError: it cannot be written.
    """
    name: str = arguments.name
    check_name(name)
    root = (arguments.directory or Path(name)).resolve()
    given: Path | None = arguments.from_contract
    sources = own_sources(root) or _first_sources(
        root, given, arguments.server or first_server(name)
    )
    try:
        begun = start(root, name, arguments.server or "", sources)
        changes = _write(root, begun)
    except RefusedContract as refused:
        arguments.format, arguments.strict = "json" if arguments.json else "text", False
        report(refused.findings, arguments, "new")
        say(str(refused))
        return FOUND
    if sources.is_there and given is not None and differs(root, sources, given):
        say(f"! {sources.contract} was kept; it is not {given}. Copy that over it, and run again")
    gap = find_gap(root, begun.wrapper, begun.server)
    if arguments.add:
        add_handlers(root, gap)
    status = _tell(gap, begun, added=arguments.add, as_json=arguments.json)
    if arguments.json:
        handlers = _handlers_data(gap, added=arguments.add)
        print_document("new", {"changes": changes_data(changes), "handlers": handlers})
    return status


def _first_sources(root: Path, given: Path | None, server: str) -> Sources:
    return starter_sources(server) if given is None else given_sources(root, given)


def _write(root: Path, begun: Start) -> list[Change]:
    """Write what is not there, generate the rest, and return what was done."""
    changes: list[Change] = []
    for path in lay(root, missing(root, begun.files)):
        changes.append(Change(path, "added", ""))
        say(change_line(changes[-1]))
    project = Project(read_config(root))
    contract = project.judged.usable
    if contract is None:
        raise RefusedContract(project.judged.findings)
    files = project.plan(contract)
    for change in write(files, project.territory):
        changes.append(change)
        say(change_line(change))
    project.remember(files)
    return changes


def _handlers_data(gap: Gap, *, added: bool) -> dict[str, object]:
    """Return how the handlers are, as programs read it."""
    assert gap.handlers is not None  # the caller has said so, and ended
    code: Mapping[str, str] = {} if added else shown_lines(gap)
    return {
        "path": gap.handlers.path,
        "class": gap.handlers.name,
        "missing": [{"name": name, "code": lines} for name, lines in code.items()],
        "added": [each.tool for each in gap.missing] if added else [],
        "surplus": list(gap.surplus),
    }


def _tell(gap: Gap, begun: Start, *, added: bool, as_json: bool) -> int:
    """Say which handlers are missing, and what is next."""
    if gap.surplus:
        say(surplus(gap.surplus))
    if gap.handlers is None:
        raise CounterfoilError(
            f"no class below src/{begun.wrapper.package} inherits from {begun.wrapper.protocol}",
            hint="let the class of the handlers inherit from it",
        )
    if gap.missing and added:
        say(f"~ {gap.handlers.path}  ({len(gap.missing)} handlers added)")
    elif gap.missing:
        if not as_json:
            print(f"# to add to the class {gap.handlers.name} in {gap.handlers.path}:")
            for lines in shown_lines(gap).values():
                print(f"\n{lines}", end="")
        say("run it again with --add to have them added")
        return FOUND
    say(f"next: write the handlers in {gap.handlers.path}; README.md says how to go on")
    return FOUND if gap.surplus else CLEAN
