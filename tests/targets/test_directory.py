"""What directories and clients are told, judged by their own schemas and readers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt
from nodejs import find_package, run_node

from counterfoil.contract.canonical import dump
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract, read_contract_bytes
from counterfoil.render import read_stamp
from counterfoil.targets.directory import TARGET
from counterfoil.targets.directory.listing import SCHEMA
from counterfoil.targets.target import Entry

GOLDEN = Path(__file__).parents[1] / "golden/contract/contract.json"
PATH = "out/{server}"
Make = Callable[..., dict[str, bytes]]
Steps = Callable[..., list[Any]]
Data = dict[str, Any]


@pytest.fixture
def golden() -> Contract:
    reading = read_contract(GOLDEN, "contract/contract.json")
    assert reading.contract is not None
    return reading.contract


def changed(contract: Contract, server: str, edit: Callable[[Data], object]) -> Contract:
    data = json.loads(json.dumps(contract.data))
    edit(data["servers"][server])
    reading = read_contract_bytes(dump(data).encode(), contract.path)
    assert reading.contract is not None, reading.findings
    return reading.contract


def refused(contract: Contract, server: str, edit: Callable[[Data], object]) -> list[str]:
    """Return the pointers at which the grammar refuses an edit."""
    data = json.loads(json.dumps(contract.data))
    edit(data["servers"][server])
    reading = read_contract_bytes(dump(data).encode(), contract.path)
    return [finding.pointer for finding in reading.findings]


def registry_schema() -> Any:
    """Return the published schema of server.json, which the linter skillsaw ships byte for byte."""
    version = SCHEMA.split("/")[-2].replace("-", "_")
    folder = resources.files("skillsaw") / f"schemas/mcp_registry/v{version}"
    schema = json.loads((folder / "server.schema.json").read_text("utf-8"))
    assert schema["$id"] == SCHEMA
    return schema


def manifest_schema(version: str) -> Any:
    folder = find_package("@anthropic-ai/mcpb") / "schemas"
    return json.loads((folder / f"mcpb-manifest-v{version}.schema.json").read_text("utf-8"))


def faults(schema: Any, document: Any) -> list[str]:
    judge = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
    return [each.message for each in judge.iter_errors(document)]


@pytest.fixture(params=["real", "golden"])
def contract(request: pytest.FixtureRequest) -> Contract:
    found: Contract = request.getfixturevalue(request.param)
    return found


def listings(files: dict[str, bytes]) -> dict[str, Any]:
    return {
        path.split("/")[1]: json.loads(content)
        for path, content in files.items()
        if path.endswith("/server.json")
    }


def test_every_listing_keeps_the_schema_of_the_registry(contract: Contract, make: Make) -> None:
    found = listings(make(contract, ("registry", PATH)))
    assert sorted(found) == [server.id for server in contract.servers]
    for document in found.values():
        assert faults(registry_schema(), document) == []


def test_the_schema_refuses_what_a_registry_would(golden: Contract, make: Make) -> None:
    document = listings(make(golden, ("registry", PATH)))["beta"]
    for key, value in (("description", "x" * 101), ("name", "beta"), ("packages", [{}])):
        assert faults(registry_schema(), {**document, key: value}) != []


def test_a_linter_of_others_finds_nothing_in_the_listings(
    contract: Contract, make: Make, tmp_path: Path
) -> None:
    found = listings(make(contract, ("registry", PATH)))
    for server, document in found.items():
        folder = tmp_path / server
        folder.mkdir()
        (folder / "server.json").write_text(json.dumps(document), "utf-8")
    done = lint(*(tmp_path / server for server in found))
    assert done.returncode == 0, done.stdout
    assert "Repo type: mcp-registry" in done.stdout


def test_the_linter_judges_each_of_them(golden: Contract, make: Make, tmp_path: Path) -> None:
    document = listings(make(golden, ("registry", PATH)))["beta"]
    for name, made in (("a", document), ("b", {**document, "name": "-/beta"}), ("c", document)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "server.json").write_text(json.dumps(made), "utf-8")
    assert faults(registry_schema(), {**document, "name": "-/beta"}) == []
    done = lint(*(tmp_path / name for name in "abc"))
    assert done.returncode == 1
    assert "reverse-DNS" in done.stdout


def lint(*folders: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "skillsaw", "lint", "--strict", "--no-progress", *map(str, folders)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        cwd=folders[0],
    )


def test_the_stamp_stands_where_the_registry_keeps_it_and_covers_the_rest(
    golden: Contract, make: Make
) -> None:
    for path, content in make(golden, ("registry", PATH)).items():
        stamp = read_stamp(content)
        assert stamp is not None, path
        assert stamp.intact
        assert stamp.source == f"contract/contract.json#/servers/{path.split('/')[1]}"
        found = read_stamp(content[:-2] + b" " + content[-2:])
        assert found is not None
        assert not found.intact
    document = listings(make(golden, ("registry", PATH)))["beta"]
    # The registry answers 422 to every other key that its schema does not have.
    assert list(document["_meta"]) == ["io.modelcontextprotocol.registry/publisher-provided"]
    assert document.keys() <= registry_schema()["definitions"]["ServerDetail"]["properties"].keys()


def test_a_listing_tells_all_of_a_package(golden: Contract, make: Make) -> None:
    document = listings(make(golden, ("registry", PATH)))["alpha"]
    (package,) = document["packages"]
    assert (package["registryType"], package["runtimeHint"]) == ("npm", "npx")
    assert [each["type"] for each in package["packageArguments"]] == [
        "positional", "named", "named",
    ]  # fmt: skip
    key, url, verbose = package["environmentVariables"]
    assert (key["isSecret"], "default" in key) == (True, False)
    assert (url["isRequired"], url["default"]) == (True, "https://api.example.com")
    assert verbose["format"] == "boolean"
    (remote,) = document["remotes"]
    (header,) = remote["headers"]
    assert header["value"] == "Bearer {authorization}"
    assert header["variables"]["authorization"]["isSecret"]


def test_only_icons_that_a_registry_takes_are_told(golden: Contract, make: Make) -> None:
    def edit(server: Data) -> None:
        server["icons"] += [
            {"src": "data:image/png;base64,AA"},
            {"src": f"https://example.com/{'x' * 255}"},
            {"src": "https://example.com/a.gif", "mimeType": "image/gif"},
        ]

    document = listings(make(changed(golden, "alpha", edit), ("registry", PATH)))["alpha"]
    assert [each["src"] for each in document["icons"]] == ["https://example.com/alpha.svg"]


def test_a_manifest_keeps_its_schema_and_passes_the_packer(
    contract: Contract, make: Make, tmp_path: Path
) -> None:
    files = make(contract, ("registry", PATH))
    manifests = {path: content for path, content in files.items() if "manifest" in path}
    assert len(manifests) == 1
    for content in manifests.values():
        document = json.loads(content)
        assert faults(manifest_schema(document["manifest_version"]), document) == []
        (tmp_path / "manifest.json").write_bytes(content)
        command = find_package("@anthropic-ai/mcpb") / "dist/cli/cli.js"
        done = run_node(command, "validate", tmp_path / "manifest.json")
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_setting_that_is_left_out_never_reaches_the_server_as_its_placeholder(
    golden: Contract, make: Make
) -> None:
    document = json.loads(make(golden, ("registry", PATH))["out/beta/manifest.json"])
    for setting in document["user_config"].values():
        assert setting["required"] is ("default" not in setting)
    assert document["user_config"]["beta_token"]["sensitive"]
    assert document["user_config"]["beta_limit"] == {
        "type": "string",
        "title": "Limit",
        "description": "Most rows.",
        "required": False,
        "default": "",
    }


@pytest.mark.parametrize(
    ("variable", "setting"),
    [
        ({"format": "number", "default": "1.5"}, ("number", 1.5)),
        ({"format": "number", "default": "-3"}, ("number", -3)),
        ({"format": "boolean", "default": "true"}, ("boolean", True)),
        ({"format": "boolean"}, ("boolean", False)),
        ({"format": "filepath"}, ("file", "")),
        ({"default": "x"}, ("string", "x")),
    ],
)
def test_settings_have_the_types_of_hosts(
    variable: Data, setting: tuple[str, object], golden: Contract, make: Make
) -> None:
    def edit(server: Data) -> None:
        given = {"name": "BETA_X", "title": "X", "description": "X.", **variable}
        server["distribution"]["environment"] = [given]

    made = make(changed(golden, "beta", edit), ("registry", PATH))["out/beta/manifest.json"]
    document = json.loads(made)
    found = document["user_config"]["beta_x"]
    assert (found["type"], found["default"]) == setting
    assert faults(manifest_schema("0.3"), document) == []


def test_no_snippet_holds_a_place_for_a_secret_in_the_open(contract: Contract, make: Make) -> None:
    files = make(contract, ("registry", PATH))
    for server in contract.servers:
        data = json.loads(files[f"out/{server.id}/clients.json"])
        secrets = {each["name"] for each in data["variables"] if each["secret"]}
        for client, content in data["clients"].items():
            entry = next(iter((content.get("mcpServers") or content["servers"]).values()))
            for name, value in entry.get("env", {}).items():
                if name in secrets:
                    assert client != "claude-desktop"
                    assert re.fullmatch(r"\$\{.+\}", value), (client, value)


def test_every_input_of_vs_code_is_asked_for_and_used(contract: Contract, make: Make) -> None:
    files = make(contract, ("registry", PATH))
    seen: set[str] = set()
    for server in contract.servers:
        content = json.loads(files[f"out/{server.id}/clients.json"])["clients"]["vscode"]
        asked = {each["id"] for each in content.get("inputs", ())}
        assert set(re.findall(r"\$\{input:([^}]+)\}", json.dumps(content))) == asked
        seen |= asked
    assert seen


def test_a_server_that_is_only_remote_is_told_by_its_address(golden: Contract, make: Make) -> None:
    def edit(server: Data) -> None:
        del server["distribution"]["package"], server["distribution"]["environment"]

    files = make(changed(golden, "alpha", edit), ("registry", PATH))
    clients = json.loads(files["out/alpha/clients.json"])["clients"]
    assert sorted(clients) == ["claude-code", "cursor", "vscode"]
    assert clients["claude-code"]["mcpServers"]["alpha"] == {
        "type": "http",
        "url": "https://alpha.example.com/mcp",
        "headers": {"Authorization": "Bearer ${ALPHA_AUTHORIZATION}"},
    }
    assert clients["vscode"]["inputs"][0]["password"] is True
    assert "Claude Desktop" not in files["out/alpha/clients.md"].decode()


def blocks(page: str) -> list[Any]:
    tokens = MarkdownIt("commonmark").parse(page)
    return [json.loads(each.content) for each in tokens if each.type == "fence"]


def test_the_page_for_people_has_the_snippets_of_the_file_for_programs(
    contract: Contract, make: Make
) -> None:
    files = make(contract, ("registry", PATH))
    for server in contract.servers:
        page = files[f"out/{server.id}/clients.md"].decode()
        data = json.loads(files[f"out/{server.id}/clients.json"])
        assert blocks(page) == list(data["clients"].values())


def test_a_path_may_name_one_of_the_files(golden: Contract, make: Make) -> None:
    assert sorted(make(golden, ("registry", "{server}/clients.json"))) == [
        "alpha/clients.json", "beta/clients.json", "gamma/clients.json",
    ]  # fmt: skip
    assert list(make(golden, ("registry", "{server}/manifest.json"))) == ["beta/manifest.json"]


def test_what_is_expected_is_found_and_nothing_else(
    contract: Contract, make: Make, make_steps: Steps
) -> None:
    (step,) = make_steps(contract, ("registry", PATH))
    files = make(contract, ("registry", PATH))
    expected = TARGET.expected(step.request)
    assert TARGET.found(step.request, files) == expected
    kinds = {entry.kind for entry in expected}
    assert kinds >= {"client", "package", "setting", "tool", "variable"}


def test_what_files_lack_or_have_too_much_is_told(
    golden: Contract, make: Make, make_steps: Steps
) -> None:
    (step,) = make_steps(golden, ("registry", PATH))
    files = make(golden, ("registry", PATH))
    whole = TARGET.expected(step.request)
    tool = next(entry.name for entry in whole if entry.kind == "tool")
    edits = {
        "server.json": (b"BETA_TOKEN", Entry("beta", "variable", "BETA_TOKEN")),
        "manifest.json": (f'"name": "{tool}"'.encode(), Entry("beta", "tool", tool)),
        "clients.json": (b'"cursor"', Entry("beta", "client", "cursor")),
    }
    for name, (word, entry) in edits.items():
        path = f"out/beta/{name}"
        other = word[:-2] + b"X" + word[-1:]
        found = TARGET.found(step.request, {**files, path: files[path].replace(word, other)})
        assert whole - found == {entry}
        assert [extra.kind for extra in found - whole] == [entry.kind]
    for broken in (b"{", b"[]", b'{"packages": 1, "tools": [1], "clients": 2}', b"\xff"):
        spoilt = dict.fromkeys(files, broken)
        assert TARGET.found(step.request, spoilt) == set()


def test_hostile_text_stays_data(golden: Contract, make: Make) -> None:
    text = '"}, "x": 1 ``` \n</script> ${user_config.beta_token} | <!-- -->'

    def edit(server: Data) -> None:
        told = server["distribution"]
        told["description"] = text
        for each in told["environment"]:
            each["title"] = each["description"] = text

    files = make(changed(golden, "beta", edit), ("registry", PATH))
    assert listings(files)["beta"]["description"] == text
    clients = json.loads(files["out/beta/clients.json"])["clients"]
    page = files["out/beta/clients.md"].decode()
    assert blocks(page) == list(clients.values())


@pytest.mark.parametrize(
    "edit",
    [
        lambda server: server.pop("version"),
        lambda server: server.update(title="x" * 101),
        lambda server: server["distribution"].update(description="x" * 101),
        lambda server: server["distribution"].update(name="beta"),
        lambda server: server["distribution"].pop("package"),
        lambda server: server["distribution"]["environment"][1].update(default="fw1"),
        lambda server: server["distribution"]["environment"][0].update(default="many"),
        lambda server: server["distribution"]["package"].update(version="latest"),
        lambda server: server["distribution"]["package"]["arguments"].append({"name": "--x"}),
        lambda server: server["distribution"]["bundle"].update(entryPoint="../main.py/"),
    ],
)
def test_the_grammar_refuses_what_no_directory_takes(
    edit: Callable[[Data], object], golden: Contract
) -> None:
    assert any(pointer.startswith("/servers/beta") for pointer in refused(golden, "beta", edit))
