"""Arguments with which the tests of a wrapper call its tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfoil.contract.canonical import dump
from counterfoil.contract.model import Contract, Server, Tool
from counterfoil.contract.values import is_object, items, members
from counterfoil.schema.judge import judge
from counterfoil.schema.patterns import PatternError
from counterfoil.schema.refs import bundled
from counterfoil.targets.fidelity.builder import Builder

FOLDER = "tests/examples"
Cases = Mapping[tuple[str, str], Mapping[str, object]]


def examples(contract: Contract, server: Server, cases: Cases) -> dict[str, bytes]:
    """Return a file of arguments, by its path, for each served tool that some were found for.

    The first call that the tool's cases accept is taken, or else the plainest one that its schema
    takes.
    """
    made = {
        tool.name: _told(cases.get((server.id, tool.name), {})) or _made(contract, tool)
        for tool in server.served
    }
    return {
        f"{FOLDER}/{name}.json": dump(arguments).encode()
        for name, arguments in made.items()
        if arguments is not None
    }


def _told(cases: Mapping[str, object]) -> dict[str, Any] | None:
    for case in items(cases.get("accepted")):
        return members(members(case).get("arguments"))
    return None


def _made(contract: Contract, tool: Tool) -> dict[str, Any] | None:
    schema = bundled(tool.input_schema, contract.defs)
    try:
        validator = judge(schema)
    except PatternError:
        return None
    candidates: list[Any] = [{}, *Builder(schema).values(schema)]
    for value in candidates:
        if is_object(value) and validator.is_valid(value):
            return value
    return None
