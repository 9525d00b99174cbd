"""What MCP and code generation ask of a contract beyond its grammar."""

from counterfoil.lint.cases import lint_cases
from counterfoil.lint.contract import lint_contract
from counterfoil.lint.ledger import Ledger

__all__ = ["Ledger", "lint_cases", "lint_contract"]
