"""``counterfoil import``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.cli.command import CLEAN, FOUND, Command
from counterfoil.cli.output import say
from counterfoil.cli.reaching import FORMS, capture, counted, reaching_options, read_way
from counterfoil.errors import CounterfoilError

if TYPE_CHECKING:
    from counterfoil.contract.model import Contract
    from counterfoil.importer.capture import Capture
    from counterfoil.importer.conversion import Loss


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", metavar="SOURCE", help="see below")
    reaching_options(parser)
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
        action="append",
        default=[],
        help="with --openapi: take the operations with this tag; may be repeated",
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="contract to write; one that is there gets the server added, and nothing else of it "
        "changes; default: standard output",
    )
    parser.add_argument(
        "--server", metavar="ID", help="id of the server; default: made from its name"
    )
    parser.add_argument(
        "--binding",
        choices=("mcp", "snapshot", "wrapper"),
        default="mcp",
        help="what the server will be fed by; default: mcp",
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="bring a server of --output up to what is listed; what only the contract knows stays",
    )
    parser.add_argument(
        "--titles",
        action="store_true",
        help="title nested objects, so that classes have names; the contract then says more than "
        "the server lists, until the server is fed by it",
    )


def _run(arguments: argparse.Namespace) -> int:
    if arguments.openapi:
        return _run_openapi(arguments)
    way = read_way(arguments, arguments.source)
    if way is None:
        raise CounterfoilError("nothing is named to import", place="SOURCE", hint="see --help")
    from counterfoil.importer.conversion import convert
    from counterfoil.importer.titles import with_titles

    found = capture(arguments, way)
    name = str(found.newest.server.get("name") or "server")
    server = server_id(arguments.server, name)
    converted = convert(found, server, arguments.binding)
    data, titled = with_titles(converted.data) if arguments.titles else (converted.data, 0)
    contract = _merged(arguments, server, data, {})
    _deliver(arguments, contract)
    say(f"{summary(found, server)}")
    for sentence in converted.assumed:
        say(f"assumed: {sentence}")
    if titled:
        say(f"titled: {titled} nested objects, which the server does not do")
    return tell_losses(converted.losses, contract, server, found)


def _run_openapi(arguments: argparse.Namespace) -> int:
    from counterfoil.importer.openapi.conversion import convert_operations
    from counterfoil.importer.openapi.document import chosen, read_document
    from counterfoil.importer.titles import title_schema, with_titles

    if read_way(arguments, arguments.source) is not None:
        raise CounterfoilError("two sources are named", place="--openapi", hint="name one")
    document = read_document(Path(arguments.openapi), arguments.openapi)
    wanted = chosen(document, arguments.operation, arguments.tag)
    server = server_id(arguments.server, str(document.data["info"]["title"]))
    converted, shared = convert_operations(document, wanted, server)
    data, _ = with_titles(converted.data)
    for name, schema in shared.items():
        title_schema(schema, name)
    contract = _merged(arguments, server, data, shared)
    _deliver(arguments, contract)
    count = len(data["tools"])
    say(f"{arguments.openapi} as server {server}: {count} of {len(wanted)} operations")
    for sentence in converted.assumed:
        say(f"assumed: {sentence}")
    _tell_lost(converted.losses)
    _tell_findings(contract)
    return FOUND if converted.losses else CLEAN


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


def summary(found: Capture, server: str) -> str:
    """Return one line about what was read."""
    surface = found.newest
    lists = {
        "tools": surface.tools,
        "resources": surface.resources,
        "resourceTemplates": surface.resource_templates,
        "prompts": surface.prompts,
    }
    counts = counted(lists)
    spoken = f"; MCP {', '.join(found.spoken)}" if found.spoken else ""
    return f"{found.shown} as server {server}: {counts or 'nothing is listed'}{spoken}"


def tell_losses(losses: tuple[Loss, ...], contract: Contract, server: str, found: Capture) -> int:
    """Say what of a capture is not in the contract, and return the exit status."""
    from counterfoil.importer.proof import differences_left

    _tell_lost(losses)
    left = list(differences_left(contract, server, found))
    for sentence in left:
        say(f"differs: {sentence}")
    verdict = "nothing differs" if not left else f"{len(left)} differences"
    say(f"parity with what was read: {verdict}")
    _tell_findings(contract)
    return FOUND if losses or left else CLEAN


def _tell_lost(losses: tuple[Loss, ...]) -> None:
    for loss in losses:
        say(f"not represented: {loss.subject}: {loss.what}")


def _tell_findings(contract: Contract) -> None:
    from counterfoil.contract.reading import read_contract_bytes
    from counterfoil.lint import lint_contract

    written = read_contract_bytes(contract.text.encode(), contract.path)
    found = (*written.findings, *lint_contract(contract))
    codes = Counter(finding.code for finding in found)
    if codes:
        shown = ", ".join(f"{code} {count} times" for code, count in sorted(codes.items()))
        say(f"`counterfoil validate` will report: {shown}")


def _deliver(arguments: argparse.Namespace, contract: Contract) -> None:
    if arguments.output:
        _write(arguments.output, contract)
    else:
        sys.stdout.write(contract.text)


def _merged(
    arguments: argparse.Namespace, server: str, data: dict[str, Any], shared: dict[str, Any]
) -> Contract:
    """Return the contract to write.

    Raises:
        CounterfoilError: the file that is there is no sound contract, or has the server.
    """
    from counterfoil.contract.canonical import arranged, canonical_text
    from counterfoil.contract.model import Contract
    from counterfoil.contract.reading import read_contract
    from counterfoil.importer.merging import new_contract, with_server, with_shared

    shown = arguments.output or "standard output"
    path = Path(arguments.output) if arguments.output else None
    if path is None or not path.exists():
        made = new_contract(server, data, shared)
    else:
        reading = read_contract(path, shown)
        if reading.contract is None:
            raise CounterfoilError(
                f"is no sound contract: {reading.findings[0].message}",
                place=shown,
                hint="mend it first; `counterfoil validate` says where",
            )
        known = with_shared(reading.contract, shared)
        made = with_server(known, server, data, update=arguments.update)
    return Contract(shown, canonical_text(made), arranged(made))


def _write(output: str, contract: Contract) -> None:
    from counterfoil.cache import replace_file

    path = Path(output).resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, contract.text.encode())
    except OSError as error:
        raise CounterfoilError(
            f"cannot be written: {error.strerror}", place=output, hint="check its folder"
        ) from error


COMMAND = Command(
    name="import",
    summary="make a contract of what a server lists",
    description=(
        "Read all that a server lists, every page in every MCP revision that it speaks, and write\n"
        "it as a contract in canonical form. Nothing is lost silently: what a contract cannot say\n"
        "is listed, and the result is compared with what was read, as parity would. Exit status 1\n"
        "means that something is not represented or differs; the file is written all the same.\n\n"
        + FORMS
    ),
    examples=(
        'counterfoil import "stdio:npx -y @modelcontextprotocol/server-memory" --output c.json',
        "counterfoil import https://example.com/mcp --header 'Authorization: Bearer $TOKEN'",
        "counterfoil import python:my_server.app:mcp --output contract/contract.json",
        "counterfoil import tools.json --server weather",
        "counterfoil import --openapi api.yaml --tag notes --output contract/contract.json",
    ),
    options=_options,
    run=_run,
)
