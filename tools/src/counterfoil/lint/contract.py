"""All rules over one contract, in one run."""

from __future__ import annotations

from counterfoil.contract.model import Contract
from counterfoil.contract.report import Report
from counterfoil.findings import Finding
from counterfoil.lint.distribution import judge_distribution
from counterfoil.lint.execution import judge_execution
from counterfoil.lint.expressions import judge_patterns
from counterfoil.lint.headers import judge_headers
from counterfoil.lint.ledger import Ledger
from counterfoil.lint.names import judge_names
from counterfoil.lint.outbound import judge_outbound
from counterfoil.lint.parts import judge_parts
from counterfoil.lint.prompts import judge_prompts
from counterfoil.lint.providers import judge_providers
from counterfoil.lint.references import judge_references
from counterfoil.lint.roots import judge_roots
from counterfoil.lint.routes import judge_routes
from counterfoil.lint.schemas import judge_schemas
from counterfoil.lint.secrets import judge_secrets
from counterfoil.lint.survey import Survey
from counterfoil.lint.titles import judge_titles
from counterfoil.lint.values import judge_values


def lint_contract(contract: Contract, ledger: Ledger | None = None) -> tuple[Finding, ...]:
    """Report what MCP and code generation demand of a contract that keeps its grammar.

    Every fault is found in one run, as far as one does not hide another: a schema that is not
    valid, or whose references lead nowhere, is not judged by what it would mean.

    Args:
        contract: what to judge.
        ledger: spares the schemas of tools and routes that were found faultless as they are.

    Returns:
        Findings, placed and sorted.
    """
    report = Report(contract.path, contract.text)
    survey = Survey(contract)
    places = survey.places if ledger is None else ledger.suspects(survey)
    usable = judge_schemas(places, report)
    sound = judge_references(survey, places, usable, report)
    judge_titles(survey, places, report)
    judge_patterns(contract, places, report)
    judge_headers(places, report)
    judge_secrets(survey, places, report)
    judge_roots(survey, sound, report)
    judge_values(survey, sound, report)
    if ledger is not None:
        ledger.settle(survey, report)
    # What follows is about more than schemas, and is always judged. A schema that was spared is as
    # sound as it was then.
    spared = {place.pointer for place in survey.places} - {place.pointer for place in places}
    readable = spared | {place.pointer for place in sound}
    judge_providers(contract, report)
    judge_names(contract, report)
    judge_parts(contract, report)
    judge_routes(survey, readable, report)
    judge_execution(survey, readable, report)
    judge_prompts(contract, report)
    judge_outbound(contract, report)
    judge_distribution(contract, report)
    return report.findings()
