"""Every code of generated files and of parity: a change that provokes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from parity_bench import SNAPSHOT, Bench

from counterfoil.findings import RULES

OPENAPI = "openapi.json"
SERVED, OFFLINE, CHECK = ("parity",), ("parity", "--offline"), ("check",)

Spoil = Callable[[Bench], object]


def surface(change: Callable[[dict[str, Any]], object]) -> Spoil:
    return lambda bench: bench.edit(SNAPSHOT, change)


def text(path: str, old: str, new: str) -> Spoil:
    def spoil(bench: Bench) -> None:
        content = (bench.root / path).read_text("utf-8")
        assert old in content
        (bench.root / path).write_text(content.replace(old, new), "utf-8")

    return spoil


def table(lines: str) -> Spoil:
    def spoil(bench: Bench) -> None:
        with (bench.root / "pyproject.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n{lines}\n")

    return spoil


def revisions(*names: str) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["server"].update(protocolVersions=list(names))


def claim(*names: str) -> Spoil:
    def change(contract: dict[str, Any]) -> None:
        contract["servers"]["fairwins"]["protocolVersions"] = list(names)

    return lambda bench: bench.edit("contract.json", change)


def outbound(declared: bool) -> Spoil:
    """Add a wrapper with one request, which either the contract or its own list has."""
    entry = {"method": "GET", "origin": "https://api.example.com", "pathPattern": "/v1/*"}
    server = {
        "binding": "wrapper",
        "instructions": "Reads notes.",
        "name": "notes",
        "outbound": [entry] if declared else [],
        "title": "Notes",
        "tools": [],
        "version": "1.0.0",
    }

    def spoil(bench: Bench) -> None:
        bench.edit("contract.json", lambda contract: contract["servers"].update(notes=server))
        (bench.root / "list.json").write_text(json.dumps([] if declared else [entry]), "utf-8")
        table('[[tool.counterfoil.allowlist]]\nid = "notes"\npath = "list.json"')(bench)

    return spoil


def copy(bench: Bench) -> None:
    content = (bench.root / SNAPSHOT).read_bytes()
    (bench.root / SNAPSHOT).with_name("spare.json").write_bytes(content)


def unlist(bench: Bench) -> None:
    text("pyproject.toml", 'target = "snapshot"', 'target = "reference"')(bench)
    text("pyproject.toml", SNAPSHOT, "reference.md")(bench)
    text("pyproject.toml", 'name = "unknown"', 'name = "price"')(bench)


PROVOKED: dict[str, tuple[Spoil, tuple[str, ...]]] = {
    "CF201": (lambda bench: (bench.root / SNAPSHOT).unlink(), CHECK),
    "CF202": (copy, CHECK),
    "CF203": (text("contract.json", "FairWins for one member", "FairWins for a member"), CHECK),
    "CF204": (text(SNAPSHOT, '"tools"', '"tool"'), CHECK),
    "CF205": (lambda bench: (bench.root / OPENAPI).write_text("{}\n", "utf-8"), CHECK),
    "CF301": (surface(lambda s: s["tools"].pop(0)), SERVED),
    "CF302": (surface(lambda s: s["tools"].append({**s["tools"][0], "name": "spare"})), SERVED),
    "CF303": (surface(lambda s: s["tools"][0].update(title="Spare")), SERVED),
    "CF304": (surface(lambda s: s["prompts"].pop()), SERVED),
    "CF305": (surface(lambda s: s["prompts"].append({**s["prompts"][0], "name": "a"})), SERVED),
    "CF306": (surface(lambda s: s["prompts"][0].update(title="Spare")), SERVED),
    "CF307": (surface(lambda s: s["server"].update(version="9.9.9")), SERVED),
    "CF308": (surface(revisions("2024-11-05", "2025-03-26")), SERVED),
    "CF309": (claim("2024-11-05", "2025-03-26"), SERVED),
    "CF310": (lambda bench: (bench.root / OPENAPI).unlink(), OFFLINE),
    "CF311": (text(OPENAPI, '"operationId": "wagers"', '"operationId": "spare"'), OFFLINE),
    "CF320": (surface(lambda s: s.update(note="Spare.")), OFFLINE),
    "CF321": (text(SNAPSHOT, "  ", "    "), OFFLINE),
    "CF330": (surface(lambda s: s["routes"]["wagers"].update(path="/v1/spare")), OFFLINE),
    "CF340": (text("guide.md", "unknown", "unclear"), OFFLINE),
    "CF341": (unlist, OFFLINE),
    "CF342": (table('[[tool.counterfoil.wording]]\nname = "a"\npaths = ["guide.md"]'), OFFLINE),
    "CF350": (table('[[tool.counterfoil.server]]\nid = "a"\ncommand = ["a"]'), SERVED),
    "CF351": (
        lambda bench: (claim("2024-11-05")(bench), surface(revisions("2025-11-25"))(bench)),
        SERVED,
    ),
    "CF360": (outbound(declared=True), OFFLINE),
    "CF361": (outbound(declared=False), OFFLINE),
}


def test_the_table_and_the_rules_have_the_same_codes() -> None:
    assert PROVOKED.keys() == {code for code in RULES if code.startswith(("CF2", "CF3"))}


@pytest.mark.parametrize("code", PROVOKED)
def test_a_change_provokes_its_code(code: str, bench: Bench) -> None:
    spoil, words = PROVOKED[code]
    assert code not in bench.codes(*words)
    spoil(bench)
    found = [each for each in bench.run(*words)[1] if each["code"] == code]
    assert found
    for finding in found:
        assert finding["severity"] == RULES[code].severity
        assert finding["hint"]
        assert finding["message"]
        assert finding["path"]
