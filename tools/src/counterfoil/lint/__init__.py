"""What MCP and code generation ask of a contract beyond its grammar."""

from counterfoil.lint.cases import lint_cases
from counterfoil.lint.contract import lint_contract

__all__ = ["lint_cases", "lint_contract"]
