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


@pytest.mark.parametrize("name", ["validate", "check", "parity", "doctor"])
def test_the_short_form_prints_what_the_long_one_prints(name: str, edited: Path) -> None:
    words = (name, "--offline") if name in ("parity", "doctor") else (name,)
    short = counterfoil(*words, "--json", cwd=edited)
    long = counterfoil(*words, "--format", "json", cwd=edited)
    assert json.loads(short.out) == json.loads(long.out)
    assert json.loads(short.out)["command"] == name
    assert short.status == long.status


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


def test_a_start_says_which_files_it_wrote_and_what_is_next(tmp_path: Path) -> None:
    root = tmp_path / "sums"
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "sums"\n', "utf-8")
    outcome = counterfoil("init", "sums", "--json", cwd=tmp_path)
    document = json.loads(outcome.out)
    assert set(document) == {"version", "command", "server", "contract", "changes", "next"}
    assert (document["server"], document["contract"]) == ("notes", "contract/contract.json")
    acts = {change["path"]: change["act"] for change in document["changes"]}
    assert acts.pop("pyproject.toml") == "updated"
    assert set(acts.values()) == {"added"}
    assert {*acts, "pyproject.toml"} == {
        path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()
    }
    told = outcome.err.splitlines()
    assert told[told.index("next:") + 1 :] == [f"  {step}" for step in document["next"]]


def test_a_start_from_a_server_says_what_it_assumed(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    words = ("init", "sums", "--from", "tools.json", "--server", "sums", "--json")
    outcome = counterfoil(*words, cwd=tmp_path)
    document = json.loads(outcome.out)
    assert set(document) == {
        "version", "command", "server", "contract", "changes", "next",
        "assumed", "losses", "differences", "findings",
    }  # fmt: skip
    assert (document["server"], document["command"]) == ("sums", "init")
    assert document["assumed"]
    assert all((tmp_path / "sums" / change["path"]).is_file() for change in document["changes"])


def test_a_contract_that_generates_nothing_leaves_the_json_whole(tmp_path: Path) -> None:
    elsewhere = {"$ref": "https://example.com/schema.json"}
    broken = [{**TOOLS[0], "inputSchema": {"type": "object", "properties": {"a": elsewhere}}}]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": broken}), "utf-8")
    words = ("init", "sums", "--from", "tools.json", "--server", "sums", "--json")
    outcome = counterfoil(*words, cwd=tmp_path)
    document = json.loads(outcome.out)
    assert outcome.status == 1
    assert "error" in {finding["severity"] for finding in document["findings"]}
    assert document["next"][0].startswith("mend contract/contract.json")


def test_a_new_wrapper_says_which_handlers_it_lacks(tmp_path: Path) -> None:
    first = counterfoil("new", "wrapper", "notes-mcp", "--json", cwd=tmp_path)
    document = json.loads(first.out)
    assert set(document) == {"version", "command", "changes", "handlers"}
    assert {change["act"] for change in document["changes"]} == {"added"}
    handlers = document["handlers"]
    assert (handlers["missing"], handlers["added"], handlers["surplus"]) == ([], [], [])
    tools = tmp_path / "notes-mcp" / handlers["path"]
    text = tools.read_text("utf-8")
    assert f"class {handlers['class']}(" in text
    tools.write_text(text.replace("async def get_note(", "async def get_nothing("), "utf-8")
    second = counterfoil("new", "wrapper", "notes-mcp", "--json", cwd=tmp_path)
    lacking = json.loads(second.out)["handlers"]
    assert second.status == 1
    assert [each["name"] for each in lacking["missing"]] == ["get_note"]
    assert "async def get_note(" in lacking["missing"][0]["code"]
    assert lacking["surplus"] == ["get_nothing"]
    third = counterfoil("new", "wrapper", "notes-mcp", "--add", "--json", cwd=tmp_path)
    assert json.loads(third.out)["handlers"]["added"] == ["get_note"]


def test_a_new_wrapper_of_a_faulty_contract_prints_its_findings(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("{}", "utf-8")
    words = ("new", "wrapper", "notes-mcp", "--from-contract", "c.json", "--json")
    outcome = counterfoil(*words, cwd=tmp_path)
    assert outcome.status == 1
    assert "CF103" in outcome.codes
