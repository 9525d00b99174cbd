"""How headers name the grammar."""

GRAMMAR_FILE = "contract.schema.json"
GRAMMAR_SOURCE = f"counterfoil/contract/{GRAMMAR_FILE}"
