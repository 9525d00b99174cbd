"""What is imported, for the commands that make something of it."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.cli.command import CLEAN, FOUND
from counterfoil.cli.output import say
from counterfoil.cli.reaching import Way, capture, counted, read_way
from counterfoil.errors import CounterfoilError

if TYPE_CHECKING:
    from counterfoil.contract.model import Contract
    from counterfoil.importer.capture import Capture
    from counterfoil.importer.conversion import Loss


@dataclass(frozen=True)
class Imported:
    """A server of a contract, made of what somebody has.

    Attributes:
        server: its id.
        data: its entry of a contract.
        told: what was read, in a line for people.
        losses: what of it is not in the entry.
        assumed: what is in the entry and was not read, a sentence each.
        shared: the shared schemas that the entry needs.
        capture: what to compare the contract with; of a document there is nothing to ask.
    """

    server: str
    data: dict[str, Any]
    told: str
    losses: tuple[Loss, ...]
    assumed: tuple[str, ...]
    shared: Mapping[str, Any] = field(default_factory=dict[str, Any])
    capture: Capture | None = None

    def tell(self, contract: Contract) -> tuple[int, dict[str, object]]:
        """Say what was read and what of it is not in a contract.

        Returns:
            the exit status, and all of it for programs.
        """
        say(self.told)
        for sentence in self.assumed:
            say(f"assumed: {sentence}")
        for loss in self.losses:
            say(f"not represented: {loss.subject}: {loss.what}")
        left = [] if self.capture is None else _told_differences(contract, self)
        expected = _told_findings(contract)
        data: dict[str, object] = {
            "server": self.server,
            "contract": contract.path,
            "assumed": list(self.assumed),
            "losses": [{"subject": each.subject, "what": each.what} for each in self.losses],
            "differences": left,
            "findings": expected,
        }
        return FOUND if self.losses or left else CLEAN, data


def openapi_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name operations of an OpenAPI document."""
    parser.add_argument(
        "--openapi",
        metavar="FILE",
        help="make routes and tools of an OpenAPI 3 document instead; needs counterfoil[openapi]",
    )
    parser.add_argument(
        "--operation",
        metavar="ID",
        action="append",
        default=[],
        help="with --openapi: take this operation; may be repeated; default: all",
    )
    parser.add_argument(
        "--tag",
        metavar="TAG",
        action="append",
        default=[],
        help="with --openapi: take the operations with this tag; may be repeated",
    )


def read_sources(arguments: argparse.Namespace, source: str | None) -> Way | None:
    """Return the server that is named, or ``None`` for a document or where nothing is named.

    Raises:
        CounterfoilError: two things are named, or operations without a document.
    """
    way = read_way(arguments, source)
    if arguments.openapi and way is not None:
        raise CounterfoilError("two sources are named", place="--openapi", hint="name one")
    for option, given in (("--operation", arguments.operation), ("--tag", arguments.tag)):
        if given and not arguments.openapi:
            raise CounterfoilError(
                "chooses operations of a document, and none is named",
                place=option,
                hint="name it with --openapi",
            )
    return way


def import_server(arguments: argparse.Namespace, way: Way) -> Imported:
    """Read a server, or what was recorded of one.

    Raises:
        CounterfoilError: it cannot be read.
    """
    from counterfoil.importer.conversion import convert

    found = capture(arguments, way)
    server = server_id(arguments.server, str(found.newest.server.get("name") or "server"))
    converted = convert(found, server, arguments.binding)
    return Imported(
        server,
        converted.data,
        _told(found, server),
        converted.losses,
        converted.assumed,
        capture=found,
    )


def import_document(arguments: argparse.Namespace) -> Imported:
    """Read operations of an OpenAPI document; nested objects get titles, since nobody serves them.

    Raises:
        CounterfoilError: it cannot be read, or has no such operation.
    """
    from counterfoil.importer.openapi.conversion import convert_operations
    from counterfoil.importer.openapi.document import chosen, read_document
    from counterfoil.importer.titles import title_schema, with_titles

    document = read_document(Path(arguments.openapi), arguments.openapi)
    wanted = chosen(document, arguments.operation, arguments.tag)
    server = server_id(arguments.server, str(document.data["info"]["title"]))
    converted, shared = convert_operations(document, wanted, server, arguments.binding)
    data, _ = with_titles(converted.data)
    for name, schema in shared.items():
        title_schema(schema, name)
    told = (
        f"{arguments.openapi} as server {server}: {len(data['tools'])} of {len(wanted)} operations"
    )
    return Imported(server, data, told, converted.losses, converted.assumed, shared)


def server_id(given: str | None, name: str) -> str:
    """Return the id to use: what was given, or what a name gives.

    Raises:
        CounterfoilError: the one that was given is none.
    """
    from counterfoil.importer.identity import derive_id, is_server_id

    if given is None:
        return derive_id(name)
    if not is_server_id(given):
        raise CounterfoilError(
            f"{given!r} is no server id",
            place="--server",
            hint="write lower-case words of letters and digits, joined by hyphens",
        )
    return given


def _told(found: Capture, server: str) -> str:
    counts = counted(found.newest.lists)
    spoken = f"; MCP {', '.join(found.spoken)}" if found.spoken else ""
    return f"{found.shown} as server {server}: {counts or 'nothing is listed'}{spoken}"


def _told_differences(contract: Contract, made: Imported) -> list[str]:
    from counterfoil.importer.proof import differences_left

    assert made.capture is not None  # the caller has looked
    left = list(differences_left(contract, made.server, made.capture))
    for sentence in left:
        say(f"differs: {sentence}")
    count = f"{len(left)} difference{'s' if len(left) > 1 else ''}"
    say(f"parity with what was read: {count if left else 'nothing differs'}")
    return left


def _told_findings(contract: Contract) -> list[dict[str, object]]:
    from counterfoil.contract.reading import read_contract_bytes
    from counterfoil.lint import lint_contract

    written = read_contract_bytes(contract.text.encode(), contract.path)
    found = (*written.findings, *lint_contract(contract))
    counts = Counter((finding.code, finding.severity) for finding in found)
    if counts:
        shown = ", ".join(
            f"{count} of {code} ({severity})" for (code, severity), count in sorted(counts.items())
        )
        say(f"`counterfoil validate` will report: {shown}")
    return [
        {"code": code, "severity": severity, "count": count}
        for (code, severity), count in sorted(counts.items())
    ]
