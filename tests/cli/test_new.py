"""`counterfoil new wrapper` writes a project around a contract, and never over anybody's work."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from starter import ROOT, Outcome, counterfoil, edit_json, tree

OWN = "contract/contract.json"
TOOLS = "src/notes_mcp/tools.py"


def new(*words: str, cwd: Path, name: str = "notes-mcp") -> Outcome:
    return counterfoil("new", "wrapper", name, *words, cwd=cwd)


def add_tool(contract: dict[str, Any]) -> None:
    tools = contract["servers"]["notes"]["tools"]
    more = {**tools[0], "name": "list_tags", "title": "List tags", "description": "List tags."}
    more.pop("outputSchema")
    tools.insert(1, more)


def without_cases(root: Path) -> None:
    path = root / "pyproject.toml"
    text = path.read_text("utf-8")
    path.write_text(text.replace('cases = "contract/cases"\n', ""), "utf-8")


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that nobody changes."""
    folder = tmp_path_factory.mktemp("new")
    outcome = new(cwd=folder)
    assert outcome.status == 0, outcome.err
    return folder / "notes-mcp"


@pytest.fixture
def project(pristine: Path, tmp_path: Path) -> Path:
    """Return a project to change."""
    import shutil

    root = tmp_path / "project"
    shutil.copytree(pristine, root)
    return root


def test_an_empty_folder_becomes_a_whole_project(pristine: Path) -> None:
    files = tree(pristine)
    assert {
        ".dockerignore", ".gitignore", "Dockerfile", "README.md", "contract/contract.json",
        "pyproject.toml", "ruff.toml", "src/notes_mcp/__init__.py", "src/notes_mcp/__main__.py",
        "src/notes_mcp/cli.py", "src/notes_mcp/py.typed", "src/notes_mcp/server.py", TOOLS,
        "tests/asking.py", "tests/examples/get_note.json", "tests/test_gate.py",
        "tests/test_surface.py", "tests/test_tools.py",
        "src/notes_mcp/bindings/notes/allowlist.py",
    } <= set(files)  # fmt: skip
    for path, content in files.items():
        assert content.endswith(b"\n") or not content, path
        if path.endswith(".py"):
            ast.parse(content)


def test_what_is_written_is_as_the_contract_has_it(pristine: Path) -> None:
    for words in (["validate", "--strict"], ["check", "--no-cache", "--strict"]):
        assert counterfoil(*words, cwd=pristine).status == 0


def test_the_same_contract_gives_the_same_files(pristine: Path, tmp_path: Path) -> None:
    assert new(cwd=tmp_path).status == 0
    assert tree(tmp_path / "notes-mcp") == tree(pristine)


def test_no_handler_answers_with_made_up_data(pristine: Path) -> None:
    module = ast.parse((pristine / TOOLS).read_text("utf-8"))
    (handlers,) = [node for node in module.body if isinstance(node, ast.ClassDef)]
    methods = [node for node in handlers.body if isinstance(node, ast.AsyncFunctionDef)]
    assert [node.name for node in methods] == ["get_note", "search_notes"]
    assert all(isinstance(node.body[-1], ast.Raise) for node in methods)


def test_a_contract_of_several_servers_gives_the_one_that_is_named(tmp_path: Path) -> None:
    path = str(ROOT / "contract/contract.json")
    outcome = new("--from-contract", path, "--server", "ga4", cwd=tmp_path, name="analytics-mcp")
    assert outcome.status == 0, outcome.err
    root = tmp_path / "analytics-mcp"
    assert (root / OWN).read_bytes() == (ROOT / "contract/contract.json").read_bytes()
    assert (root / "contract/cases/ga4/run_report.json").is_file()
    bindings = root / "src/analytics_mcp/bindings"
    assert {path.name for path in bindings.iterdir() if path.is_dir()} == {"ga4", "runtime"}
    assert json.loads((root / "tests/examples/run_report.json").read_bytes())["metrics"]


def test_a_contract_without_cases_gives_arguments_all_the_same(tmp_path: Path) -> None:
    contract = json.loads((ROOT / "contract/contract.json").read_text("utf-8"))
    (tmp_path / "contract.json").write_text(json.dumps(contract), "utf-8")
    outcome = new("--from-contract", "contract.json", "--server", "ga4", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    root = tmp_path / "notes-mcp"
    assert "cases" not in (root / "pyproject.toml").read_text("utf-8")
    assert sorted(path.stem for path in (root / "tests/examples").iterdir()) == sorted(
        tool["name"] for tool in contract["servers"]["ga4"]["tools"]
    )
    assert counterfoil("validate", cwd=root).status == 0


def test_a_contract_inside_the_project_stays_where_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "surface"
    folder.mkdir()
    contract = (ROOT / "contract/contract.json").read_bytes()
    (folder / "contract.json").write_bytes(contract)
    words = ("--from-contract", "surface/contract.json", "--directory", ".", "--server", "ga4")
    assert new(*words, cwd=tmp_path).status == 0
    assert not (tmp_path / "contract").exists()
    text = (tmp_path / "pyproject.toml").read_text("utf-8")
    assert 'contract = "surface/contract.json"' in text
    assert counterfoil("check", "--no-cache", cwd=tmp_path).status == 0


def test_running_it_again_changes_nothing(project: Path) -> None:
    before = tree(project)
    outcome = new("--directory", ".", cwd=project)
    assert (outcome.status, outcome.out) == (0, "")
    assert tree(project) == before


def test_work_by_hand_is_kept_and_generated_files_are_made_again(project: Path) -> None:
    by_hand = [
        "Dockerfile", "README.md", "pyproject.toml", "ruff.toml", "src/notes_mcp/cli.py",
        "src/notes_mcp/server.py", TOOLS, "tests/asking.py", "tests/examples/get_note.json",
        "tests/test_gate.py", "tests/test_surface.py", "tests/test_tools.py",
    ]  # fmt: skip
    for path in by_hand:
        with (project / path).open("ab") as file:
            file.write(b"\n" if path.endswith(".json") else b"# mine\n")
    before = tree(project)
    allowlist = project / "src/notes_mcp/bindings/notes/allowlist.py"
    (project / "src/notes_mcp/bindings/notes/stubs.py").unlink()
    allowlist.write_bytes(allowlist.read_bytes().replace(b"/v1/notes/*", b"/*"))
    assert new("--directory", ".", cwd=project).status == 0
    assert tree(project) == before


def test_a_new_tool_is_reported_with_the_lines_to_add(project: Path) -> None:
    without_cases(project)
    edit_json(project / OWN, add_tool)
    before = (project / TOOLS).read_bytes()
    outcome = new("--directory", ".", cwd=project)
    assert outcome.status == 1
    assert outcome.out == (
        "# to add to the class Tools in src/notes_mcp/tools.py:\n\n"
        "    async def list_tags(self, args: models.ListTagsInput, ctx: Context, /) -> str:\n"
        '        """List tags."""\n'
        '        raise _not_written("list_tags")\n'
    )
    assert (project / TOOLS).read_bytes() == before
    assert (project / "tests/examples/list_tags.json").is_file()
    assert counterfoil("check", "--no-cache", cwd=project).status == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_new_handler_is_added_behind_the_others_and_nothing_else(project: Path, end: str) -> None:
    without_cases(project)
    edit_json(project / OWN, add_tool)
    text = (project / TOOLS).read_text("utf-8").replace("class Tools", "# mine\nclass Tools")
    old = text.replace("\n", end).encode()
    (project / TOOLS).write_bytes(old)
    outcome = new("--directory", ".", "--add", cwd=project)
    assert (outcome.status, outcome.out) == (0, "")
    lines = (project / TOOLS).read_bytes().split(end.encode())
    added = [line for line in lines if line not in old.split(end.encode())]
    assert len(added) == 3
    assert added[0].startswith(b"    async def list_tags(")
    assert [line for line in lines if line not in added] == _with_blank(old.split(end.encode()))
    again = new("--directory", ".", "--add", cwd=project)
    assert (again.status, (project / TOOLS).read_bytes().split(end.encode())) == (0, lines)


def _with_blank(lines: list[bytes]) -> list[bytes]:
    """Return lines with the blank one that stands in front of a new method."""
    at = next(index for index, line in enumerate(lines) if line.startswith(b"def _not_written"))
    return [*lines[: at - 2], b"", *lines[at - 2 :]]


def test_handlers_in_another_module_are_found(project: Path) -> None:
    moved = project / "src/notes_mcp/handlers/notes.py"
    moved.parent.mkdir()
    (project / TOOLS).rename(moved)
    outcome = new("--directory", ".", cwd=project)
    # tools.py was missing, and is written again: two classes are there, and either will do.
    assert outcome.status == 0
    without_cases(project)
    edit_json(project / OWN, add_tool)
    (project / TOOLS).write_text("", "utf-8")
    shown = new("--directory", ".", cwd=project)
    assert "# to add to the class Tools in src/notes_mcp/handlers/notes.py:" in shown.out


def test_a_handler_without_a_tool_is_told(project: Path) -> None:
    text = (project / TOOLS).read_text("utf-8").replace("async def get_note", "async def get_memo")
    (project / TOOLS).write_text(text, "utf-8")
    outcome = new("--directory", ".", cwd=project)
    assert outcome.status == 1
    assert "async def get_note(" in outcome.out
    assert "the contract has no tool for get_memo" in outcome.err


def test_another_contract_than_the_own_one_is_not_taken_over_silently(project: Path) -> None:
    other = project.parent / "other.json"
    other.write_bytes((project / OWN).read_bytes())
    edit_json(other, lambda contract: contract["servers"]["notes"].update(title="Other"))
    before = tree(project)
    outcome = new("--directory", ".", "--from-contract", str(other), cwd=project)
    assert outcome.status == 0
    assert f"! {OWN} was kept; it is not {other}" in outcome.err
    assert tree(project) == before


REFUSED: dict[str, tuple[list[str], str, str]] = {
    "a name with capitals": ([], "Notes", "'Notes' is no name of a project"),
    "a name of Python's own": ([], "json", "'json' is a name of Python's own"),
    "a keyword": ([], "lambda", "'lambda' is a name of Python's own"),
    "no contract": (["--from-contract", "nowhere.json"], "x-mcp", "nowhere.json: cannot be read"),
    "a server that there is not": (
        ["--from-contract", "{contract}", "--server", "ga5"],
        "x-mcp",
        "no wrapper 'ga5'",
    ),
    "a server that is no wrapper": (
        ["--from-contract", "{contract}", "--server", "fairwins"],
        "x-mcp",
        "no wrapper 'fairwins'",
    ),
    "several wrappers": (
        ["--from-contract", "{contract}"],
        "x-mcp",
        "the contract has 2 servers with the binding wrapper",
    ),
    "a file in the way": (["--directory", "busy"], "x-mcp", "busy: is no folder"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_said_and_nothing_is_written(tmp_path: Path, case: str) -> None:
    words, name, said = REFUSED[case]
    (tmp_path / "busy").write_text("", "utf-8")
    before = tree(tmp_path)
    given = [word.format(contract=ROOT / "contract/contract.json") for word in words]
    outcome = new(*given, cwd=tmp_path, name=name)
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.err
    assert "hint: " in outcome.err
    assert tree(tmp_path) == before


def test_a_contract_with_findings_is_reported_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"counterfoil": 1, "servers": {"a": {}}}', "utf-8")
    outcome = new("--from-contract", "c.json", cwd=tmp_path)
    assert outcome.status == 1
    assert "contract/contract.json" in outcome.out
    assert "nothing was written: mend the contract first" in outcome.err
    assert not (tmp_path / "notes-mcp").exists()


def test_a_project_without_our_tables_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"\n', "utf-8")
    outcome = new("--directory", ".", cwd=tmp_path)
    assert outcome.status == 2
    assert "there is no [tool.counterfoil]" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["pyproject.toml"]


def test_no_text_of_a_contract_breaks_out_of_what_is_written(tmp_path: Path) -> None:
    import tomllib

    assert new(cwd=tmp_path).status == 0
    hostile = "A \"B\" 'C' \\ {{ x }} {% y %} \"\"\" ''' é"

    def spoil(contract: dict[str, Any]) -> None:
        server = contract["servers"]["notes"]
        server["title"] = hostile
        server["tools"][0].update(title=hostile, description=hostile)

    source = tmp_path / "notes-mcp" / OWN
    edit_json(source, spoil)
    outcome = new("--from-contract", str(source), "--directory", "other", cwd=tmp_path)
    assert outcome.status == 0, outcome.out + outcome.err
    root = tmp_path / "other"
    table = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    assert table["project"]["description"] == hostile
    package = ast.parse((root / "src/notes_mcp/__init__.py").read_text("utf-8"))
    assert ast.get_docstring(package) == hostile
    module = ast.parse((root / TOOLS).read_text("utf-8"))
    (handlers,) = [node for node in module.body if isinstance(node, ast.ClassDef)]
    (first, *_) = [node for node in handlers.body if isinstance(node, ast.AsyncFunctionDef)]
    assert ast.get_docstring(first) == f"{hostile}."
