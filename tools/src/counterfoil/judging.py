"""Judge a project's contract and its example calls."""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.cache import Cache, key_of
from counterfoil.config import Config
from counterfoil.contract.cases import Cases, read_cases
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract
from counterfoil.findings import ERROR, Finding
from counterfoil.fingerprint import fingerprint
from counterfoil.lint import Ledger, lint_cases, lint_contract


@dataclass(frozen=True)
class Judged:
    """A contract, its cases, and what is wrong with both.

    Attributes:
        contract: ``None`` when it breaks its grammar.
        cases: the example calls by server and tool.
        findings: severities are as the configuration has them.
    """

    contract: Contract | None
    cases: Cases
    findings: tuple[Finding, ...]

    @property
    def usable(self) -> Contract | None:
        """Return the contract when nothing forbids generating from it."""
        broken = any(finding.severity == ERROR for finding in self.findings)
        return None if broken else self.contract


def judge_project(config: Config, cache: Cache) -> Judged:
    """Read and judge the contract and the cases that a configuration names.

    Args:
        config: names them.
        cache: remembers what was faultless.

    Raises:
        CounterfoilError: a file is not there or cannot be read.
    """
    reading = read_contract(config.root / config.contract, config.contract)
    found = list(reading.findings)
    cases = Cases({})
    if reading.contract is not None:
        found += lint_contract(reading.contract, _ledger(config, cache))
        if config.cases:
            cases, faults = read_cases(config.root, config.cases, reading.contract)
            found += faults
            found += lint_cases(reading.contract, cases)
    return Judged(reading.contract, cases, config.weighed(found))


def _ledger(config: Config, cache: Cache) -> Ledger | None:
    if cache.folder is None:
        return None
    return Ledger(cache, key_of(str(config.root), config.contract), fingerprint())
