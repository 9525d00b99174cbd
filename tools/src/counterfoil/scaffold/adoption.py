"""Lay a project around a server that is there already."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.config import FILE
from counterfoil.contract.canonical import arranged, canonical_text, dump
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract_bytes
from counterfoil.findings import Finding
from counterfoil.lint import lint_contract
from counterfoil.scaffold.cases import generated_cases
from counterfoil.scaffold.continuous import HOOK, HOOKS, WORKFLOW, hooks, workflow
from counterfoil.scaffold.setup import CASES, CONTRACT, configured

# Style that a served schema cannot be changed for: classes are named after their places instead.
_TOLERATED: Mapping[str, str] = {
    "CF104": "the server's nested objects have no titles; classes are named after their places",
}


@dataclass(frozen=True)
class Adopted:
    """What a project of an imported server begins with.

    Attributes:
        contract: the contract.
        files: by path, in the order to write them.
        findings: what is wrong with the contract, with the severities of the configuration.
        uncased: tools for which no cases could be made.
        advice: what is left to people, a line each.
    """

    contract: Contract
    files: dict[str, bytes]
    findings: tuple[Finding, ...]
    uncased: tuple[str, ...]
    advice: tuple[str, ...]


def adopted(
    root: Path, server: str, data: Mapping[str, Any], command: tuple[str, ...], url: str
) -> Adopted:
    """Return the first files of a project around a server.

    Args:
        root: the project's folder.
        server: id of the server.
        data: its entry of a contract.
        command: what starts it, for parity; empty where that is not known.
        url: where it is asked over HTTP; empty for a command.

    Raises:
        CounterfoilError: ``pyproject.toml`` cannot be extended, or has a configuration already.
    """
    made = {
        "$schema": "./contract.schema.json",
        "counterfoil": 1,
        "servers": {server: dict(data)},
    }
    contract = Contract(CONTRACT, canonical_text(made), arranged(made))
    written = read_contract_bytes(contract.text.encode(), CONTRACT)
    found = (*written.findings, *lint_contract(contract))
    tolerated = {
        code: why for code, why in _TOLERATED.items() if any(f.code == code for f in found)
    }
    files = {CONTRACT: contract.text.encode()}
    uncased: list[str] = []
    for tool in contract.server(server).tools:
        cases = generated_cases(tool, contract.defs)
        if cases is None:
            uncased.append(tool.name)
        else:
            files[f"{CASES}/{server}/{tool.name}.json"] = dump(cases).encode()
    tables = "".join(_tables(server, command, url, tolerated))
    files[FILE] = configured(root / FILE, server, str(data["binding"]), tables).encode()
    advice: list[str] = []
    for path, text in ((WORKFLOW, workflow(__version__)), (HOOKS, hooks())):
        if os.path.lexists(root / path):
            advice.append(f"{path} is there already and was left alone")
        else:
            files[path] = text.encode()
    if HOOKS not in files:
        advice += ["add to its repos:", *HOOK.rstrip().split("\n")]
    kept = tuple(each for each in found if each.code not in tolerated)
    return Adopted(contract, files, kept, tuple(uncased), tuple(advice))


def _tables(
    server: str, command: tuple[str, ...], url: str, tolerated: Mapping[str, str]
) -> Iterator[str]:
    if tolerated:
        yield "\n[tool.counterfoil.severity]\n"
        for code, why in tolerated.items():
            yield f'{code} = "warning" # {why}\n'
    if command:
        # A JSON array of ASCII texts is one of TOML.
        yield f'\n[[tool.counterfoil.server]]\nid = "{server}"\ncommand = {json.dumps(command)}\n'
    elif url:
        yield f'\n[[tool.counterfoil.server]]\nid = "{server}"\nurl = {json.dumps(url)}\n'
