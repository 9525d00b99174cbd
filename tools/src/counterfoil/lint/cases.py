"""Whether the cases of every tool say enough, and the schemas say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from counterfoil.contract.cases import CaseFile, Cases
from counterfoil.contract.model import Contract, Tool
from counterfoil.contract.report import Report
from counterfoil.contract.values import items, members
from counterfoil.findings import Finding
from counterfoil.schema.judge import fast_judge, faults, judge
from counterfoil.schema.patterns import PatternError
from counterfoil.schema.refs import bundled

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

# Two or three that are accepted and three or four that are refused: fewer leave a bound untried.
FEWEST = 6


@dataclass(frozen=True)
class _Case:
    pointer: str
    name: str
    value: Any


def lint_cases(contract: Contract, cases: Cases) -> tuple[Finding, ...]:
    """Report tools without enough cases, and cases on which case and schema disagree.

    Cases whose schema cannot judge (it has findings of its own) are passed over.

    Returns:
        Findings, placed and sorted; those about a tool without cases are about the contract.
    """
    report = Report(contract.path, contract.text)
    found: list[Finding] = []
    for server in contract.servers:
        for tool in server.tools:
            key = (server.id, tool.name)
            if key in cases.files:
                found += _judge_file(contract, tool, cases.files[key])
            elif key not in cases.broken:
                hint = f"write {cases.folder}/{server.id}/{tool.name}.json"
                report.add("CF182", f"{tool.pointer}/name", f"{tool.name} has no cases", hint)
    return tuple(sorted({*found, *report.findings()}))


def _judge_file(contract: Contract, tool: Tool, file: CaseFile) -> tuple[Finding, ...]:
    report = Report(file.path, file.text)
    accepted, refused = _cases(file.data, "", "arguments")
    count = len(accepted) + len(refused)
    if count < FEWEST:
        report.add("CF183", "", f"{tool.name} has {count} calls, fewer than {FEWEST}")
    for kind, calls in (("accepted", accepted), ("refused", refused)):
        if not calls:
            report.add("CF184", f"/{kind}", f"no call of {tool.name} is {kind}")
    _judge_names([*accepted, *refused], report)
    input_schema = bundled(tool.input_schema, contract.defs)
    _judge_verdicts(input_schema, accepted, refused, report)
    if "results" in file.data:
        _judge_results(contract, tool, file, report)
    return report.findings()


def _judge_results(contract: Contract, tool: Tool, file: CaseFile, report: Report) -> None:
    accepted, refused = _cases(members(file.data["results"]), "/results", "value")
    _judge_names([*accepted, *refused], report)
    if tool.output_schema is None:
        report.add("CF188", "/results", f"{tool.name} has no outputSchema to judge results by")
    else:
        schema = bundled(tool.output_schema, contract.defs)
        _judge_verdicts(schema, accepted, refused, report)


def _cases(data: Mapping[str, Any], pointer: str, key: str) -> tuple[list[_Case], list[_Case]]:
    """Return the accepted and the refused cases of an object."""

    def listed(kind: str) -> Iterator[_Case]:
        for index, entry in enumerate(items(data.get(kind))):
            yield _Case(f"{pointer}/{kind}/{index}", entry["name"], entry[key])

    return list(listed("accepted")), list(listed("refused"))


def _judge_names(cases: list[_Case], report: Report) -> None:
    first: dict[str, str] = {}
    for case in cases:
        known = first.setdefault(case.name, case.pointer)
        if known != case.pointer:
            message = f'"{case.name}" is also the name of #{known}'
            report.add("CF185", f"{case.pointer}/name", message)


def _judge_verdicts(
    schema: Any, accepted: list[_Case], refused: list[_Case], report: Report
) -> None:
    try:
        # Python's judge takes validity for granted; the fast one refuses what is broken.
        fast, judging = fast_judge(schema), judge(schema)
    except (PatternError, ValueError):
        return
    for case in accepted:
        for pointer, sentence in _faults(judging, fast, case.value):
            where = f" at {pointer}" if pointer else ""
            report.add("CF186", case.pointer, f'"{case.name}" is refused{where}: {sentence}')
    for case in refused:
        if not _faults(judging, fast, case.value):
            report.add("CF187", case.pointer, f'"{case.name}" is accepted by the schema')


def _faults(judging: Validator, fast: jsonschema_rs.Validator, value: Any) -> list[tuple[str, str]]:
    try:
        return faults(judging, value)
    except RecursionError:
        # Python's judge calls itself for each level of a value, and ends at about a hundred.
        return [] if fast.is_valid(value) else [("", "something deep inside it does not fit")]
