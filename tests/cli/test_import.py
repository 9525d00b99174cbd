"""``counterfoil import`` and ``init --from``, as people type them."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from starter import ROOT, counterfoil, tree

SUPPORT = ROOT / "tests/support"
_LISTS = [sys.executable, str(ROOT / "tests/wire/servers/lowlevel.py"), "stdio"]
PAGES = f"stdio:{shlex.join(_LISTS)}"
TOOL: dict[str, Any] = {"name": "t", "description": "T.", "inputSchema": {"type": "object"}}


def write(path: Path, data: Any) -> str:
    path.write_text(json.dumps(data), "utf-8")
    return path.name


def test_a_running_server_is_imported_with_every_page(tmp_path: Path) -> None:
    outcome = counterfoil("import", PAGES, "--output", "made/contract.json", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert "parity with what was read: nothing differs" in outcome.err
    [made] = json.loads((tmp_path / "made/contract.json").read_text("utf-8"))["servers"].values()
    assert len(made["tools"]) == 10
    assert [made[kind][0]["name"] for kind in ("resources", "resourceTemplates", "prompts")]


@pytest.mark.parametrize(
    ("name", "server", "tool"),
    [("low", "low", "bare"), ("fast", "fast-food", "add"), ("make", "plain", "count")],
)
def test_a_server_object_is_run_by_its_own_interpreter(
    name: str, server: str, tool: str, tmp_path: Path
) -> None:
    outcome = counterfoil(
        "import", f"python:importing_servers:{name}", "--cwd", str(SUPPORT),
        "--interpreter", sys.executable, cwd=tmp_path,
    )  # fmt: skip
    assert outcome.status == 0, outcome.err
    made = json.loads(outcome.out)["servers"]
    assert made.keys() == {server}
    assert [each["name"] for each in made[server]["tools"]] == [tool]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no_such_module:x", "there is no module no_such_module"),
        ("importing_servers:nothing", "there is no nothing in importing_servers:nothing"),
        ("importing_servers:t", "importing_servers:t is no MCP server"),
    ],
)
def test_a_target_that_names_no_server_is_told_by_its_name(
    target: str, said: str, tmp_path: Path
) -> None:
    outcome = counterfoil(
        "import", f"python:{target}", "--cwd", str(SUPPORT), "--interpreter", sys.executable,
        cwd=tmp_path,
    )  # fmt: skip
    assert outcome.status == 2
    first, *rest = outcome.err.splitlines()
    assert first.startswith(f"counterfoil: python:{target} (MCP ")
    assert any(line.startswith(f"    {said}") for line in rest)
    assert "Traceback" not in outcome.err


def test_a_server_is_added_to_a_contract_and_brought_up_to_date(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"tools": [TOOL], "serverInfo": {"name": "a", "version": "1.0.0"}})
    write(tmp_path / "b.json", [{**TOOL, "description": "Other."}])
    target = tmp_path / "contract.json"
    words = ("--output", "contract.json")
    assert counterfoil("import", "a.json", *words, cwd=tmp_path).status == 0
    assert counterfoil("import", "b.json", "--server", "b", *words, cwd=tmp_path).status == 0
    before = json.loads(target.read_text("utf-8"))["servers"]
    assert before.keys() == {"a", "b"}
    again = counterfoil("import", "b.json", "--server", "a", *words, cwd=tmp_path)
    assert again.status == 2
    assert "--update" in again.err
    outcome = counterfoil("import", "b.json", "--server", "a", "--update", *words, cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    after = json.loads(target.read_text("utf-8"))["servers"]
    assert after["a"]["tools"][0]["description"] == "Other."
    assert after["b"] == before["b"]


def test_what_cannot_be_represented_is_said_and_fails(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [{**TOOL, "cost": 3}])
    outcome = counterfoil("import", "a.json", "--server", "a", cwd=tmp_path)
    assert outcome.status == 1
    assert "not represented: tool t: cost" in outcome.err
    assert "differs: CF303 tool t: cost is missing in the contract and 3 there" in outcome.err
    assert json.loads(outcome.out)["servers"]["a"]["tools"][0]["name"] == "t"


def test_titles_are_added_where_they_are_asked_for(tmp_path: Path) -> None:
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    schema = {"type": "object", "properties": {"at": {"type": "array", "items": inner}}}
    write(tmp_path / "a.json", [{**TOOL, "inputSchema": schema}])
    bare = counterfoil("import", "a.json", "--server", "a", cwd=tmp_path)
    assert "1 of CF104 (error)" in bare.err
    titled = counterfoil("import", "a.json", "--server", "a", "--titles", cwd=tmp_path)
    assert "CF104" not in titled.err
    [tool] = json.loads(titled.out)["servers"]["a"]["tools"]
    assert tool["inputSchema"]["properties"]["at"]["items"]["title"] == "TAtItem"
    assert "differs: CF303" in titled.err
    assert titled.status == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing is named to import"),
        (("a.json", "--url", "http://127.0.0.1:1"), "two sources are named"),
        (("no-such.json",), "cannot be read"),
        (("stdio:'",), "is no command line"),
        (("stdio:",), "is empty"),
        (("python:nothing",), "is no MODULE:NAME"),
        (("a.json", "--tag", "books"), "chooses operations of a document, and none is named"),
        (("a.json", "--openapi", "api.yaml"), "two sources are named"),
        (("nameless.json",), "nameless.json #/tools/0: has no name"),
        (("broken.json",), "cannot be read as JSON"),
        (("nothing.json",), "holds no list of a server"),
        (("api.json",), "an OpenAPI document is named with --openapi"),
        (("api.yaml",), "an OpenAPI document is named with --openapi"),
        (("page.json",), "nextCursor"),
        (("a.json", "--server", "A"), "is no server id"),
        (("stdio:x", "--env", "KEY"), "needs a name"),
        (("http://127.0.0.1:1", "--timeout", "0"), "above 0"),
        (("a.json", "--output", "broken.json"), "is no sound contract"),
    ],
)
def test_what_cannot_be_read_is_an_error_and_writes_nothing(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    write(tmp_path / "a.json", [TOOL])
    (tmp_path / "broken.json").write_text("{", "utf-8")
    write(tmp_path / "nothing.json", {"a": 1})
    write(tmp_path / "api.json", {"openapi": "3.1.0"})
    (tmp_path / "api.yaml").write_text("openapi: 3.1.0\n", "utf-8")
    write(tmp_path / "nameless.json", {"tools": [{"inputSchema": {"type": "object"}}]})
    write(tmp_path / "page.json", {"tools": [TOOL], "nextCursor": "2"})
    before = tree(tmp_path)
    outcome = counterfoil("import", *words, cwd=tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.err
    assert tree(tmp_path) == before


def test_a_project_around_a_server_is_whole_and_clean(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"\n', "utf-8")
    outcome = counterfoil("init", "--from", PAGES, "--server", "pages", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    made = tree(tmp_path)
    assert made["pyproject.toml"].startswith(b'[project]\nname = "mine"\n')
    assert {".github/workflows/counterfoil.yml", ".pre-commit-config.yaml"} <= made.keys()
    assert b"counterfoil check --no-cache" in made[".github/workflows/counterfoil.yml"]
    assert len([path for path in made if path.startswith("contract/cases/pages/")]) == 10
    for command in ("validate", "check", "parity"):
        done = counterfoil(command, "--format", "json", cwd=tmp_path)
        assert done.status == 0, done.out
        assert set(done.codes) <= {"CF107"}


def test_parity_starts_the_server_where_it_was_started(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    server = (ROOT / "tests/wire/servers/scripted.py").read_text("utf-8")
    (tmp_path / "inner/server.py").write_text(server, "utf-8")
    words = (
        "init",
        "--from",
        f"stdio:{shlex.quote(sys.executable)} server.py good",
        "--cwd",
        "inner",
    )
    assert counterfoil(*words, cwd=tmp_path).status == 0
    assert 'cwd = "inner"\n' in (tmp_path / "pyproject.toml").read_text("utf-8")
    outcome = counterfoil("parity", cwd=tmp_path)
    assert outcome.status == 0, outcome.out + outcome.err
    beside = counterfoil(*words, str(tmp_path / "beside"), cwd=tmp_path)
    assert "name what starts the server in [[tool.counterfoil.server]]" in beside.err
    assert "command" not in (tmp_path / "beside/pyproject.toml").read_text("utf-8")


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [TOOL])
    (tmp_path / ".pre-commit-config.yaml").write_text("repos: []\n", "utf-8")
    outcome = counterfoil("init", "--from", "a.json", "--server", "a", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert "id: counterfoil-check" in outcome.err
    before = tree(tmp_path)
    assert before[".pre-commit-config.yaml"] == b"repos: []\n"
    again = counterfoil("init", "--from", "a.json", "--server", "a", cwd=tmp_path)
    assert again.status == 2
    assert tree(tmp_path) == before


def test_a_server_that_hides_text_is_adopted_and_nothing_is_generated(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [{**TOOL, "description": "T.\u200b"}])
    outcome = counterfoil("init", "--from", "a.json", "--server", "a", cwd=tmp_path)
    assert outcome.status == 1
    assert "CF106" in outcome.out
    assert "nothing was generated: the contract has errors" in outcome.err
    assert "mend contract/contract.json" in outcome.err
    assert "implement the handlers" not in outcome.err
    assert (tmp_path / "contract/contract.json").is_file()
    assert not (tmp_path / "src").exists()


BROKEN: dict[str, dict[str, Any]] = {
    "a list of items": {"type": "array", "items": [{"type": "string"}]},
    "an address": {"$ref": "https://example.com/s.json"},
    "nothing": {"$ref": "#/$defs/Nothing"},
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_server_with_a_broken_schema_is_adopted_without_cases_of_it(
    case: str, tmp_path: Path
) -> None:
    schema = {"type": "object", "properties": {"a": BROKEN[case]}}
    write(tmp_path / "a.json", [TOOL, {**TOOL, "name": "u", "inputSchema": schema}])
    outcome = counterfoil("init", "--from", "a.json", "--server", "a", cwd=tmp_path)
    assert outcome.status == 1, outcome.err
    assert "#/servers/a/tools/1/inputSchema" in outcome.out
    cases = {path.name for path in (tmp_path / "contract/cases/a").iterdir()}
    assert cases == {"t.json"}


def test_a_server_without_tools_is_adopted(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"tools": [], "prompts": [{"name": "p", "description": "P."}]})
    outcome = counterfoil("init", "--from", "a.json", "--server", "a", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert "once there are tools, write cases, and name their folder" in outcome.err
    assert "review the cases" not in outcome.err
    for command in ("validate", "check"):
        assert counterfoil(command, cwd=tmp_path).status == 0


def test_what_a_server_said_last_is_shown_line_by_line(tmp_path: Path) -> None:
    command = "import sys; sys.exit('no token\\nset TOKEN')"
    outcome = counterfoil(
        "import", f'stdio:{shlex.quote(sys.executable)} -c "{command}"', cwd=tmp_path
    )
    assert outcome.status == 2
    assert outcome.err.splitlines()[1:3] == ["    no token", "    set TOKEN"]


def test_a_tool_without_cases_leaves_a_project_that_works(tmp_path: Path) -> None:
    hard = {"type": "integer", "not": {"enum": [-1, 0, 1]}}
    never = {"type": "object", "properties": {"a": hard}, "required": ["a"]}
    write(tmp_path / "a.json", [TOOL, {**TOOL, "name": "u", "inputSchema": never}])
    outcome = counterfoil("init", "--from", "a.json", "--server", "a", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert "write cases of u: none could be made from its schema" in outcome.err
    judged = counterfoil("validate", "--format", "json", cwd=tmp_path)
    assert (judged.status, set(judged.codes)) == (0, {"CF107", "CF182"})


def test_half_of_a_surrogate_pair_is_imported_and_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{**TOOL, "_meta": {"\ud800": 1}}]), "utf-8")
    outcome = counterfoil("import", "a.json", "--server", "a", cwd=tmp_path)
    assert "1 of CF106 (error)" in outcome.err
    assert json.loads(outcome.out)["servers"]["a"]["tools"][0]["_meta"] == {"\ud800": 1}
    project = counterfoil("init", "--from", "a.json", "--server", "a", cwd=tmp_path)
    assert project.status == 1
    assert "CF106" in project.out


def test_hooks_that_are_there_are_extended(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [TOOL])
    hooks = tmp_path / ".pre-commit-config.yaml"
    before = "# ours\nrepos:\n- repo: https://example.com/x\n  rev: v1\n  hooks:\n  - id: x\n"
    hooks.write_text(before, "utf-8")
    outcome = counterfoil("init", "--from", "a.json", "--server", "a", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert "~ .pre-commit-config.yaml\n" in outcome.err
    assert hooks.read_text("utf-8").startswith(f"{before}- repo: local\n  hooks:\n")


def test_a_project_of_a_document_is_whole_and_clean(tmp_path: Path) -> None:
    words = ("--openapi", str(ROOT / "tests/importer/data/shelf-3.0.yaml"), "--server", "shelf")
    outcome = counterfoil("init", *words, "--operation", "getBook", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert "as server shelf: 1 of 1 operations" in outcome.err
    assert {
        ".github/workflows/counterfoil.yml", ".pre-commit-config.yaml",
        "contract/cases/shelf/getBook.json", "src/shelf_bindings/shelf/stubs.py",
    } <= tree(tmp_path).keys()  # fmt: skip
    for command in ("validate", "check", "parity"):
        done = counterfoil(command, "--format", "json", cwd=tmp_path)
        assert (done.status, done.codes) == (0, []), done.out


def test_secrets_of_a_command_are_not_written_down(tmp_path: Path) -> None:
    secret = "s3cr3t-of-mine-123456"
    outcome = counterfoil(
        "init", "--from", f"{PAGES} --api-key {secret}", "--server", "a", "--env",
        f"TOKEN={secret}", cwd=tmp_path,
    )  # fmt: skip
    assert outcome.status == 0, outcome.err
    assert secret not in outcome.err + outcome.out
    assert all(secret.encode() not in content for content in tree(tmp_path).values())
    assert "[[tool.counterfoil.server]]" in outcome.err
