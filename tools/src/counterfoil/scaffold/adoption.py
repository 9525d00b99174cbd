"""Lay a project around a server that is there already."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.config import FILE, Live
from counterfoil.contract.canonical import arranged, canonical_text, dump, writable
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract_bytes
from counterfoil.findings import ERROR, Finding
from counterfoil.lint import lint_contract
from counterfoil.scaffold.cases import generated_cases
from counterfoil.scaffold.continuous import HOOK, HOOKS, WORKFLOW, hooks, with_hooks, workflow
from counterfoil.scaffold.setup import CASES, CONTRACT, configured

# Style that a served schema cannot be changed for: classes are named after their places instead.
_TOLERATED: Mapping[str, str] = {
    "CF104": "the server's nested objects have no titles; classes are named after their places",
    "CF182": "no cases could be made of some schemas: write them, and take this line out",
}


@dataclass(frozen=True)
class Adopted:
    """What a project of an imported server begins with.

    Attributes:
        contract: the contract.
        files: by path, in the order to write them.
        extended: paths among them at which a file is that gets more.
        findings: what is wrong with the contract, with the severities of the configuration.
        uncased: tools for which no cases could be made.
        advice: what is left to people, a line each.
    """

    contract: Contract
    files: dict[str, bytes]
    extended: frozenset[str]
    findings: tuple[Finding, ...]
    uncased: tuple[str, ...]
    advice: tuple[str, ...]


def adopted(
    root: Path,
    server: str,
    data: Mapping[str, Any],
    shared: Mapping[str, Any],
    live: Live | None,
) -> Adopted:
    """Return the first files of a project around a server.

    Args:
        root: the project's folder.
        server: id of the server.
        data: its entry of a contract.
        shared: the shared schemas that it needs.
        live: how parity reaches it, where that is known.

    Raises:
        CounterfoilError: ``pyproject.toml`` cannot be extended, or has a configuration already.
    """
    made = {
        "$schema": "./contract.schema.json",
        "counterfoil": 1,
        "servers": {server: dict(data)},
        **({"$defs": dict(shared)} if shared else {}),
    }
    contract = Contract(CONTRACT, writable(canonical_text(made)), arranged(made))
    written = read_contract_bytes(contract.text.encode(), CONTRACT)
    found = (*written.findings, *lint_contract(contract))
    kept = tuple(each for each in found if each.code not in _TOLERATED)
    cases, uncased = _cases(contract, server, kept)
    codes = {each.code for each in found} | ({"CF182"} if uncased else set[str]())
    tolerated = {code: why for code, why in _TOLERATED.items() if code in codes}
    files = {CONTRACT: contract.text.encode(), **cases}
    tables = "".join(_tables(live, tolerated))
    configuration = configured(
        root / FILE, server, str(data["binding"]), tables, has_cases=bool(cases)
    )
    files[FILE] = configuration.encode()
    upkeep, advice = _upkeep(root)
    files |= upkeep
    if not cases:
        when = "write cases" if uncased else "once there are tools, write cases"
        advice = (f'{when}, and name their folder: cases = "{CASES}" in {FILE}', *advice)
    extended = frozenset(path for path in (FILE, *upkeep) if os.path.lexists(root / path))
    return Adopted(contract, files, extended, kept, uncased, advice)


def _cases(
    contract: Contract, server: str, findings: Iterable[Finding]
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return files of cases, and the tools that have none: nothing is made of a broken schema."""
    broken = [finding.pointer for finding in findings if finding.severity == ERROR]
    files: dict[str, bytes] = {}
    uncased: list[str] = []
    for tool in contract.server(server).tools:
        within = (f"{tool.pointer}/inputSchema", f"{tool.pointer}/outputSchema", "/$defs")
        is_sound = not any(pointer.startswith(within) for pointer in broken)
        cases = generated_cases(tool, contract.defs) if is_sound else None
        if cases is None:
            uncased.append(tool.name)
        else:
            files[f"{CASES}/{server}/{tool.name}.json"] = dump(cases).encode()
    return files, tuple(uncased)


def _upkeep(root: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the workflow and the hooks, and what people have to add themselves."""
    files: dict[str, bytes] = {}
    advice: list[str] = []
    if os.path.lexists(root / WORKFLOW):
        advice.append(f"{WORKFLOW} is there already and was left alone")
    else:
        files[WORKFLOW] = workflow(__version__).encode()
    if not os.path.lexists(root / HOOKS):
        files[HOOKS] = hooks().encode()
        return files, tuple(advice)
    try:
        extended = with_hooks((root / HOOKS).read_bytes().decode("utf-8"))
    except (OSError, UnicodeDecodeError):
        extended = None
    if extended is not None:
        files[HOOKS] = extended.encode()
    else:
        advice += [f"{HOOKS} is there already and was left alone; add to its repos:"]
        advice += HOOK.rstrip().split("\n")
    return files, tuple(advice)


def _tables(live: Live | None, tolerated: Mapping[str, str]) -> Iterator[str]:
    if tolerated:
        yield "\n[tool.counterfoil.severity]\n"
        for code, why in tolerated.items():
            yield f'{code} = "warning" # {why}\n'
    if live is None:
        return
    yield f'\n[[tool.counterfoil.server]]\nid = "{live.id}"\n'
    if live.url:
        yield f"url = {json.dumps(live.url)}\n"
        return
    # A JSON array of ASCII texts is one of TOML.
    yield f"command = {json.dumps(live.command)}\n"
    if live.cwd != ".":
        yield f"cwd = {json.dumps(live.cwd)}\n"
