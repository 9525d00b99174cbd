"""Everything that parity compares, in one run."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.config import Live
from counterfoil.contract.model import Contract
from counterfoil.findings import Finding
from counterfoil.parity.live import judge_live
from counterfoil.parity.outputs import judge_outputs
from counterfoil.parity.surfaces import judge_snapshots
from counterfoil.parity.wordings import judge_wording
from counterfoil.project import Project


def judge_parity(project: Project, contract: Contract, live: Sequence[Live]) -> tuple[Finding, ...]:
    """Report where the contract and what repeats it disagree, with what is wrong with itself.

    Args:
        live: the servers to ask.

    Raises:
        CounterfoilError: a server cannot be asked, or a file cannot be read.
    """
    steps = project.steps(contract)
    found = [
        *judge_outputs(contract, steps, project.territory),
        *judge_snapshots(contract, steps, project.root),
        *judge_wording(contract, project.config, project.root),
        *judge_live(contract, live, project.root),
    ]
    return tuple(sorted([*project.judged.findings, *project.config.weighed(found)]))
