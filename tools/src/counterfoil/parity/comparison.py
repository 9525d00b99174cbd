"""Everything that parity compares, in one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterfoil.config import Allowlist, Live
from counterfoil.contract.model import Contract
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding
from counterfoil.parity.allowlists import judge_allowlists
from counterfoil.parity.live import judge_live
from counterfoil.parity.outputs import judge_outputs
from counterfoil.parity.surfaces import judge_snapshots
from counterfoil.parity.wordings import judge_wording
from counterfoil.project import Project


@dataclass(frozen=True)
class Verdict:
    """What a comparison has shown.

    Attributes:
        findings: what was found, sorted.
        errors: why servers could not be asked, one each; the rest was compared.
    """

    findings: tuple[Finding, ...]
    errors: tuple[CounterfoilError, ...]


def judge_parity(
    project: Project,
    contract: Contract,
    live: Sequence[Live],
    allowlists: Sequence[Allowlist],
) -> Verdict:
    """Report where the contract and what repeats it disagree, with what is wrong with itself.

    Args:
        live: the servers to ask.
        allowlists: the lists of wrappers to read.

    Raises:
        CounterfoilError: a file cannot be read.
    """
    answers = judge_live(contract, live, project.root)
    lists = judge_allowlists(contract, allowlists, project.root)
    steps = project.steps(contract)
    found = [
        *judge_outputs(contract, steps, project.territory),
        *judge_snapshots(contract, steps, project.root),
        *judge_wording(contract, project.config, project.root),
        *answers.findings,
        *lists.findings,
    ]
    findings = sorted([*project.judged.findings, *project.config.weighed(found)])
    return Verdict(tuple(findings), (*answers.errors, *lists.errors))
