"""The configuration, the contract, and the files that are made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from counterfoil.diagnosis.diagnosis import FAILURE, OK, SKIPPED, WARNING, Diagnosis, counted
from counterfoil.errors import ConfigError
from counterfoil.findings import ERROR, Finding, rule
from counterfoil.findings import WARNING as FINDING_WARNING
from counterfoil.project import Project

_SHOWN = 5  # findings or files that a diagnosis lists


def examine_configuration(project: Project) -> Iterator[Diagnosis]:
    """Look whether what is asked for can be planned, and whether it goes with the contract."""
    config = project.config
    if not config.outputs:
        yield Diagnosis(
            "configuration",
            WARNING,
            "no [[tool.counterfoil.output]] says what to generate",
            "add one; `counterfoil init` in an empty folder shows how they look",
        )
        return
    contract = project.judged.contract
    if contract is not None:
        project.steps(contract)
        known = {server.id for server in contract.servers}
        for live in config.live:
            if live.id not in known:
                yield Diagnosis(
                    "configuration",
                    FAILURE,
                    f"[[tool.counterfoil.server]] {live.id}: the contract has no such server",
                    f"rename it or take it out; servers: {', '.join(sorted(known))}",
                )
                return
    counts = f"{counted(len(config.outputs), 'output')}, {counted(len(config.live), 'server')}"
    yield Diagnosis("configuration", OK, f"{config.root / 'pyproject.toml'}: {counts} to ask")


def examine_contract(project: Project) -> Iterator[Diagnosis]:
    """Count what is wrong with the contract and its cases."""
    judged = project.judged
    errors = [each for each in judged.findings if each.severity == ERROR]
    warnings = [each for each in judged.findings if each.severity == FINDING_WARNING]
    hint = "run `counterfoil validate`, and `counterfoil explain CODE`"
    path = project.config.contract
    if errors:
        what = f"{path} has {counted(len(errors), 'error')}, so nothing is generated from it"
        yield Diagnosis("contract", FAILURE, what, hint, _listed(errors))
    elif warnings:
        what = f"{path} has {counted(len(warnings), 'warning')}"
        yield Diagnosis("contract", WARNING, what, hint, _listed(warnings))
    elif judged.contract is not None:
        servers = judged.contract.servers
        tools = sum(len(server.tools) for server in servers)
        counts = f"{counted(len(servers), 'server')}, {counted(tools, 'tool')}"
        yield Diagnosis("contract", OK, f"{path}: {counts}")


def examine_outputs(project: Project) -> Iterator[Diagnosis]:
    """Compare every generated file with the contract."""
    if project.judged.usable is None:
        yield Diagnosis("outputs", SKIPPED, "the contract has to be mended first")
        return
    try:
        stale = [each for each in project.drift() if each.code.startswith("CF2")]
    except ConfigError:  # the configuration is a diagnosis of its own, which says why
        yield Diagnosis("outputs", SKIPPED, "the configuration has to be mended first")
        return
    for code, group in groupby(sorted(stale, key=lambda each: each.code), lambda each: each.code):
        found = list(group)
        what = f"{rule(code).title} ({code}): {counted(len(found), 'file')}"
        paths = "\n".join(_cut([each.path for each in found]))
        yield Diagnosis("outputs", FAILURE, what, rule(code).mend, paths)
    if not stale:
        yield Diagnosis("outputs", OK, "every generated file is as the contract has it")


def _listed(findings: Iterable[Finding]) -> str:
    return "\n".join(_cut([f"{each.place}: {each.code} {each.message}" for each in findings]))


def _cut(lines: list[str]) -> list[str]:
    rest = len(lines) - _SHOWN
    return [*lines[:_SHOWN], f"and {rest} more"] if rest > 0 else lines
