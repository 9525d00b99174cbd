"""``counterfoil init --from``: a project around a server that is there already."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from counterfoil.cli.command import FOUND
from counterfoil.cli.imported import Imported, import_document, import_server
from counterfoil.cli.init import check_outputs, lay_project, planned, tell_laid
from counterfoil.cli.output import say, show
from counterfoil.cli.reaching import Way, command_line
from counterfoil.config import FILE, Live
from counterfoil.findings import ERROR
from counterfoil.findings.formats.text import as_text
from counterfoil.scaffold.adoption import Adopted, adopted
from counterfoil.scaffold.setup import CONTRACT, check_folders, check_free, next_steps

_UNUSABLE = frozenset(":\\")  # in a folder of a configuration
_UNREVIEWED = 'each whose name begins with "generated" says what the schema does now'


def adopt(arguments: argparse.Namespace, way: Way | None) -> int:
    """Lay the project, and return the exit status: 1 when something is left to mend.

    Args:
        arguments: those of ``counterfoil init``.
        way: the server; ``None`` for an OpenAPI document.

    Raises:
        CounterfoilError: the server or document cannot be read, or something is in the way of a
            file.
    """
    root = Path(arguments.folder).resolve()
    made = import_document(arguments) if way is None else import_server(arguments, way)
    live = _live(arguments, way, root, made.server)
    project = adopted(root, made.server, made.data, made.shared, live)
    check_free(root, (path for path in project.files if path not in project.extended))
    for path in sorted(project.extended):
        check_folders(root, path)
    broken = [each for each in project.findings if each.severity == ERROR]
    outputs = {} if broken else planned(project.files)
    check_outputs(root, outputs)
    changes = lay_project(root, project.files, outputs, project.extended)
    status, data = made.tell(project.contract)
    if broken:
        if not arguments.json:
            show(as_text(broken, "init"))
        say("nothing was generated: the contract has errors")
        status = FOUND
    steps = _mending(made) if broken else _going_on(arguments, made, project)
    more = (*_connecting(arguments, live), *project.advice)
    tell_laid(arguments, data, changes, (*steps, *more))
    return status


def _live(arguments: argparse.Namespace, way: Way | None, root: Path, server: str) -> Live | None:
    """Return how parity reaches the server, or ``None`` for what cannot be written down.

    That is what looks like a secret, and what would not start from within the project.
    """
    from counterfoil.wire.redaction import command_secrets

    if way is None or way.kind not in ("http", "stdio"):
        return None
    if way.kind == "http":
        return Live(server, url=way.value) if "?" not in way.value else None
    command = command_line(way)
    if any(command_secrets(command)):
        return None
    start = Path(arguments.cwd or ".").resolve()
    if start.is_relative_to(root) and not _UNUSABLE & set(str(start.relative_to(root))):
        return Live(server, command=command, cwd=start.relative_to(root).as_posix())
    is_bound = any((start / word).exists() for word in command if not Path(word).is_absolute())
    return None if is_bound else Live(server, command=command)


def _mending(made: Imported) -> Iterator[str]:
    yield f"mend {CONTRACT} where the errors are, and run `counterfoil generate`"
    if made.capture is not None:
        yield "mend the server, too: until then, `counterfoil parity` says where it differs"


def _going_on(arguments: argparse.Namespace, made: Imported, project: Adopted) -> Iterator[str]:
    for tool in project.uncased:
        yield f"write cases of {tool}: none could be made from its schema"
    if len(project.uncased) < len(made.data["tools"]):
        yield f"review the cases: {_UNREVIEWED}"
    for line in next_steps(made.server, arguments.binding):
        if not line.startswith("let CI"):
            yield line


def _connecting(arguments: argparse.Namespace, live: Live | None) -> Iterator[str]:
    if arguments.env or arguments.header:
        yield "variables and headers were not written down: add what the server needs to parity"
    if live is None:
        yield f"name what starts the server in [[tool.counterfoil.server]] of {FILE}, for parity"
