"""No edit of a contract goes without a word."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from edited_surfaces import (
    ROOT,
)

from counterfoil.breaking import compare, of_contract
from counterfoil.contract.canonical import canonical_text
from counterfoil.contract.grammar import judge_grammar
from counterfoil.contract.model import Contract
from counterfoil.contract.report import Report

GOLDEN = ROOT / "tests/golden/contract/contract.json"
SCHEMAS = {
    "$defs", "body", "errorBody", "inputSchema", "offer", "outputSchema", "receipt", "response",
    "schema",
}  # fmt: skip
# What may be edited without a word: it says what is said without it, or is no caller's affair.
UNSAID = {
    ("change", "$schema"),
    ("change", "annotations destructiveHint"),  # of tools that only read
    ("change", "annotations idempotentHint"),
    ("change", "execution taskSupport"),  # a word that nobody knows is the one when left out
    ("change", "package version"),
    ("change", "beta version"),
    ("change", "gamma version"),
    ("change", "alpha version"),
    ("change", "pathParams name"),  # then the path has no such parameter, which is a fault
    ("delete", "$schema"),
    ("delete", "annotations destructiveHint"),
    ("delete", "annotations idempotentHint"),
    ("delete", "alpha protocolVersions"),
    ("delete", "execution taskSupport"),
    ("delete", "queryParams required"),
    ("delete", "routes pathParams"),
    ("delete", "tools execution"),
    ("delete", "tools priced"),
}


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each member and item of a contract; what is in schemas is left out."""
    for key in node if isinstance(node, dict) else range(len(node)):
        yield (*path, key)
        if isinstance(node[key], dict | list) and key not in SCHEMAS:
            yield from places(node[key], (*path, key))


def edited(path: tuple[Any, ...], how: str) -> dict[str, Any] | None:
    """Return the golden contract with one edit; ``None`` where it is no contract then."""
    data: dict[str, Any] = json.loads(GOLDEN.read_text("utf-8"))
    node: Any = data
    for key in path[:-1]:
        node = node[key]
    value = node[path[-1]]
    if how == "delete":
        del node[path[-1]]
    elif isinstance(value, dict | list):
        return None
    elif isinstance(value, bool | None):
        node[path[-1]] = not value
    else:
        node[path[-1]] = f"{value}x" if isinstance(value, str) else value + 1
    return data if judge_grammar(data, Report("c", canonical_text(data))) else None


def test_no_edit_of_a_contract_is_passed_over_in_silence() -> None:
    data = json.loads(GOLDEN.read_text("utf-8"))
    base = of_contract(Contract("c", "", data))
    seen: set[tuple[Any, ...]] = set()
    silent: set[tuple[str, str]] = set()
    for path, how in itertools.product(places(data), ("change", "delete")):
        keys = [key for key in path if isinstance(key, str)]
        target = None if (how, *keys) in seen else edited(path, how)
        if target is None:
            continue
        seen.add((how, *keys))
        if not compare(base, of_contract(Contract("c", "", target))):
            silent.add((how, " ".join(keys[-2:])))
    assert silent == UNSAID
