"""``counterfoil init --from``: a project around a server that is there already."""

from __future__ import annotations

import argparse
from pathlib import Path

from counterfoil.cli.command import CLEAN, FOUND
from counterfoil.cli.importing import server_id, summary, tell_losses
from counterfoil.cli.init import check_outputs, planned
from counterfoil.cli.output import change_line, say, show
from counterfoil.cli.reaching import Way, capture, command_line
from counterfoil.config import FILE, read_config
from counterfoil.findings import ERROR
from counterfoil.findings.formats.text import as_text
from counterfoil.importer.conversion import convert
from counterfoil.project import Project
from counterfoil.scaffold.adoption import Adopted, adopted
from counterfoil.scaffold.setup import check_folders, check_free, lay, next_steps
from counterfoil.tree import write


def adopt(arguments: argparse.Namespace, way: Way) -> int:
    """Lay the project, and return the exit status: 1 when something is left to mend.

    Raises:
        CounterfoilError: the server cannot be read, or something is in the way of a file.
    """
    root = Path(arguments.folder).resolve()
    found = capture(arguments, way)
    server = server_id(arguments.server, str(found.newest.server.get("name") or "server"))
    converted = convert(found, server, arguments.binding)
    command, url = _shared(way)
    project = adopted(root, server, converted.data, command, url)
    check_free(root, (path for path in project.files if path != FILE))
    check_folders(root, FILE)
    broken = [each for each in project.findings if each.severity == ERROR]
    outputs = {} if broken else planned(project.files)
    check_outputs(root, outputs)
    for path in lay(root, project.files):
        say(f"+ {path}")
    made = Project(read_config(root))
    for change in write(outputs, made.territory):
        say(change_line(change))
    made.remember(outputs)
    say(summary(found, server))
    for sentence in converted.assumed:
        say(f"assumed: {sentence}")
    status = tell_losses(converted.losses, project.contract, server, found)
    if broken:
        show(as_text(broken, "init"))
        say("nothing was generated: mend the contract first, then run `counterfoil generate`")
        status = FOUND
    _tell_next(arguments, way, server, project)
    return status or CLEAN


def _shared(way: Way) -> tuple[tuple[str, ...], str]:
    """Return the command or address to write down, unless it holds what looks like a secret."""
    from counterfoil.wire.redaction import command_secrets

    command = command_line(way) if way.kind == "stdio" else ()
    url = way.value if way.kind == "http" and "?" not in way.value else ""
    return (() if any(command_secrets(command)) else command), url


def _tell_next(arguments: argparse.Namespace, way: Way, server: str, project: Adopted) -> None:
    say("next:")
    for tool in project.uncased:
        say(f"  write cases of {tool}: none could be made from its schema")
    say('  review the cases: each whose name begins with "generated" says what the schema does now')
    for line in next_steps(server, arguments.binding):
        if not line.startswith("let CI"):
            say(f"  {line}")
    if arguments.env or arguments.header:
        say("  variables and headers were not written down: add what the server needs to parity")
    if not any(_shared(way)):
        say(f"  name what starts the server in [[tool.counterfoil.server]] of {FILE}, for parity")
    for line in project.advice:
        say(f"  {line}")
