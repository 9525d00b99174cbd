"""What scripts read: each form keeps its keys."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starter import counterfoil

TOOLS = [{"name": "add", "description": "Add.", "inputSchema": {"type": "object"}}]


def test_generate_lists_what_it_did_to_files(edited: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(edited, root)
    outcome = counterfoil("generate", "--format", "json", cwd=root)
    document = json.loads(outcome.out)
    form = resources.files("counterfoil.findings.formats") / "findings.schema.json"
    schema = json.loads(form.read_text("utf-8"))
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    assert {change["act"] for change in document["changes"]} == {"replaced"}
    told = [line[2:].split("  ")[0] for line in outcome.err.splitlines() if line[:2] == "~ "]
    assert [change["path"] for change in document["changes"]] == told


@pytest.mark.parametrize("words", [("rules", "--json"), ("explain", "--json", "CF104", "cf10")])
def test_rules_are_there_for_programs(words: tuple[str, ...], tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = json.loads(counterfoil(*words, cwd=tmp_path).out)["rules"]
    keys = {"code", "title", "severity", "why", "example", "mend"}
    assert all(set(rule) == keys for rule in rules)
    codes = [rule["code"] for rule in rules]
    assert "CF104" in codes
    assert len(set(codes)) == len(codes)


def test_an_import_says_what_it_lost(tmp_path: Path) -> None:
    listed = {"tools": TOOLS, "extra": 1}
    (tmp_path / "tools.json").write_text(json.dumps(listed), "utf-8")
    words = ("import", "tools.json", "--server", "sums")
    outcome = counterfoil(*words, "--output", "c.json", "--json", cwd=tmp_path)
    document = json.loads(outcome.out)
    assert set(document) == {
        "version", "command", "server", "contract", "assumed", "losses", "differences", "findings",
    }  # fmt: skip
    assert (document["server"], document["contract"]) == ("sums", "c.json")
    assert document["assumed"]
    assert (outcome.status == 1) == bool(document["losses"] or document["differences"])
    refused = counterfoil(*words, "--json", cwd=tmp_path)
    assert (refused.status, refused.out) == (2, "")
    assert "hint: name a file for the contract with --output" in refused.err
