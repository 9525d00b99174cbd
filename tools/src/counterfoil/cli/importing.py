"""``counterfoil import``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.cli.command import Command
from counterfoil.cli.imported import (
    import_document,
    import_server,
    openapi_options,
    read_sources,
)
from counterfoil.cli.output import print_document, say
from counterfoil.cli.reaching import FORMS, reaching_options
from counterfoil.errors import CounterfoilError

if TYPE_CHECKING:
    from counterfoil.contract.model import Contract


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", metavar="SOURCE", help="see below")
    reaching_options(parser)
    openapi_options(parser)
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
        "--json",
        action="store_true",
        help="with --output: print {server, contract, assumed, losses, differences, findings} as "
        "JSON",
    )
    parser.add_argument(
        "--titles",
        action="store_true",
        help="title nested objects, so that classes have names; the contract then says more than "
        "the server lists, until the server is fed by it",
    )


def _run(arguments: argparse.Namespace) -> int:
    way = read_sources(arguments, arguments.source)
    if way is None and not arguments.openapi:
        raise CounterfoilError(
            "nothing is named to import",
            place="SOURCE",
            hint="name a file, an address, stdio:COMMAND or python:MODULE:NAME, or --openapi FILE",
        )
    if arguments.json and not arguments.output:
        raise CounterfoilError(
            "standard output is where the contract goes",
            place="--json",
            hint="name a file for the contract with --output",
        )
    made = import_document(arguments) if way is None else import_server(arguments, way)
    data, titled = made.data, 0
    if arguments.titles and way is not None:
        from counterfoil.importer.titles import with_titles

        data, titled = with_titles(data)
    contract = _merged(arguments, made.server, data, made.shared)
    _deliver(arguments, contract)
    status, data = made.tell(contract)
    if arguments.json:
        print_document("import", data)
    if titled:
        say(f"titled: {titled} nested objects, which the server does not do")
    return status


def _deliver(arguments: argparse.Namespace, contract: Contract) -> None:
    if arguments.output:
        _write(arguments.output, contract)
    else:
        sys.stdout.write(contract.text)


def _merged(
    arguments: argparse.Namespace, server: str, data: dict[str, Any], shared: Mapping[str, Any]
) -> Contract:
    """Return the contract to write.

    Raises:
        CounterfoilError: the file that is there is no sound contract, or has the server.
    """
    from counterfoil.contract.canonical import arranged, canonical_text, writable
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
        known = with_shared(reading.contract, shared, server if arguments.update else "")
        made = with_server(known, server, data, update=arguments.update)
    return Contract(shown, writable(canonical_text(made)), arranged(made))


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
        "is listed, and the result is compared with what was read, as parity would.\n\n" + FORMS
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
    statuses=(
        ("0", "written, and nothing is lost"),
        ("1", "written, and something is not represented or differs"),
    ),
)
