"""Target ``grammar``: a copy of the grammar beside the contract, for editors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from counterfoil.contract.canonical import digest
from counterfoil.contract.grammar import GRAMMAR_FILE, grammar
from counterfoil.contract.model import Server
from counterfoil.render import with_json_key
from counterfoil.targets.target import Entry, Planned, Request


class _Grammar:
    name = "grammar"
    per_server = False

    def applies(self, server: Server) -> bool:
        return True

    def plan(self, request: Request) -> Iterable[Planned]:
        data = grammar()
        content = with_json_key(f"counterfoil/contract/{GRAMMAR_FILE}", digest(data), data)
        yield Planned(request.path, content, "the grammar")

    def expected(self, request: Request) -> set[Entry]:
        return {Entry("", "schema", name) for name in grammar()["$defs"]}

    def found(self, request: Request, files: Mapping[str, bytes]) -> set[Entry]:
        try:
            names = json.loads(files.get(request.path, b""))["$defs"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return set()
        return {Entry("", "schema", name) for name in names}


TARGET = _Grammar()
