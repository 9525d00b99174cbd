"""Models of schemas that are hard to say in Python: what they accept, refuse and give back."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import MISSING, BaseModel, ValidationError

from counterfoil.names import class_name
from counterfoil.schema.judge import judge
from counterfoil.schema.refs import bundled
from counterfoil.schema.semantics import equal
from counterfoil.targets.fidelity.scratch import model
from counterfoil.targets.models import generation
from counterfoil.targets.models.sources import generate
from counterfoil.targets.models.view import view

CORPUS: dict[str, Any] = json.loads((Path(__file__).parent / "data/nasty.json").read_text("utf-8"))
CASES: dict[str, dict[str, Any]] = {case["name"]: case for case in CORPUS["cases"]}
SUPPORT = Path(generation.__file__).parents[1] / "templates/json_schema.py"


def schema_of(name: str) -> dict[str, Any]:
    return bundled(CASES[name]["schema"], CORPUS["$defs"])


def root_of(name: str) -> str:
    return f"{class_name(name)}Input"


def text_of(name: str) -> str:
    said = CASES[name].get("description", "Said of the tool.")
    return json.dumps({"schema": schema_of(name), "name": root_of(name), "description": said})


def code_of(name: str) -> str:
    return str(generate([text_of(name)])[0]["code"])


def view_of(name: str) -> tuple[str, dict[str, Any]]:
    source = json.loads(text_of(name))
    return source["name"], view(source["schema"], source["name"], source["description"])


def dumped(instance: BaseModel) -> Any:
    return instance.model_dump(mode="json", by_alias=True, exclude_unset=True)


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Iterator[type[BaseModel]]:
    with model(code_of(request.param), root_of(request.param)) as found:
        yield found


def each_of(*names: str) -> pytest.MarkDecorator:
    """Return a decorator that gives a test the model of each case, and its name."""
    pairs = [(name, name) for name in names]
    return pytest.mark.parametrize(("made", "name"), pairs, indirect=["made"], ids=names)


def of(name: str) -> pytest.MarkDecorator:
    """Return a decorator that gives a test the model of one case."""
    return pytest.mark.parametrize("made", [name], indirect=True)


@each_of(*CASES)
def test_an_accepted_value_comes_back_unchanged(made: type[BaseModel], name: str) -> None:
    checker = judge(schema_of(name))
    for value in CASES[name]["accepted"]:
        assert checker.is_valid(value)
        assert equal(dumped(made.model_validate(value)), value)


@each_of(*CASES)
def test_an_accepted_value_comes_back_unchanged_from_strict_json(
    made: type[BaseModel], name: str
) -> None:
    for value in CASES[name]["accepted"]:
        read = made.model_validate_json(json.dumps(value), strict=True)
        assert equal(json.loads(read.model_dump_json(by_alias=True, exclude_unset=True)), value)


@each_of(*CASES)
def test_a_refused_value_is_refused(made: type[BaseModel], name: str) -> None:
    checker = judge(schema_of(name))
    for value in CASES[name]["refused"]:
        assert not checker.is_valid(value)
        with pytest.raises(ValidationError):
            made.model_validate(value)


@pytest.mark.parametrize("name", CASES)
def test_the_code_defines_what_the_view_names_and_nothing_else(name: str) -> None:
    root, document = view_of(name)
    module = ast.parse(code_of(name))
    classes = {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    types = {
        target.id
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert classes | types == {root, *document["$defs"]}
    assert {type(node) for node in module.body} <= {
        ast.ImportFrom, ast.ClassDef, ast.Assign, ast.Expr,
    }  # fmt: skip


def test_a_schema_comes_out_of_a_batch_as_it_does_alone() -> None:
    views = [view_of(name) for name in CASES] * 2
    alone = {root: generation.generate([(root, document)])[0] for root, document in views}
    order = random.Random(7)
    for size in (5, len(views)):
        order.shuffle(views)
        for start in range(0, len(views), size):
            batch = views[start : start + size]
            for (root, _), code in zip(batch, generation.generate(batch), strict=True):
                assert code == alone[root]


def test_the_code_of_all_cases_satisfies_the_type_checkers(tmp_path: Path) -> None:
    package = tmp_path / "bindings"
    models = package / "server" / "models"
    models.mkdir(parents=True)
    for folder in (package, models.parent, models):
        (folder / "__init__.py").touch()
    (package / "json_schema.py").write_text(SUPPORT.read_text("utf-8"), "utf-8")
    for name in CASES:
        (models / f"{name}_input.py").write_text(code_of(name), "utf-8")
    settings = {"include": ["bindings"], "typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    for command in (["mypy", "--strict", "--no-incremental", "bindings"], ["pyright"]):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


@of("nullable")
def test_missing_null_and_a_default_are_three_things(made: type[BaseModel]) -> None:
    value: Any = made.model_validate({"a": None})
    assert value.a is None
    assert value.b is MISSING
    assert value.c is None
    assert dumped(value) == {"a": None}


@of("defaults")
def test_a_default_is_there_and_is_not_sent(made: type[BaseModel]) -> None:
    value: Any = made.model_validate({"r": "x"})
    assert (value.i, value.w, value.b, value.e) == (5, 5, False, "a")
    assert value.l == ["a", "b"]
    assert dumped(value) == {"r": "x"}


@of("defaults")
def test_a_default_that_the_schema_refuses_is_left_out(made: type[BaseModel]) -> None:
    value: Any = made.model_validate({"r": "x"})
    assert value.bad is MISSING


def test_a_default_that_is_an_object_is_told_in_words() -> None:
    assert 'the contract says {"deep": 4}' in code_of("defaults")


@of("numbers")
def test_no_digit_of_a_large_integer_is_lost(made: type[BaseModel]) -> None:
    value: Any = made.model_validate({"wide": 9007199254740993})
    assert dumped(value) == {"wide": 9007199254740993}


@of("keywords")
def test_a_name_that_python_cannot_use_is_populated_as_on_the_wire(made: type[BaseModel]) -> None:
    value: Any = made.model_validate({"from": "x", "a-b": "1", "a.b": "2", "a_b": "3"})
    assert (value.from_, value.a_b) == ("x", "3")
    with pytest.raises(ValidationError):
        made.model_validate({"from_": "x", "a-b": "1", "a.b": "2"})


@of("tagged")
def test_an_object_without_a_word_about_others_keeps_them(made: type[BaseModel]) -> None:
    value = made.model_validate({"shape": {"kind": "circle", "r": 1}, "unknown": [None]})
    assert value.model_extra == {"unknown": [None]}


@of("conditions")
def test_a_rule_is_told_by_keyword_and_place_without_the_value(made: type[BaseModel]) -> None:
    with pytest.raises(ValidationError) as caught:
        made.model_validate({"mode": "fast", "limit": 987654321})
    [error] = caught.value.errors(include_input=False)
    assert error["msg"] == "Value error, breaks maximum at $.limit"


@of("arrays")
def test_instances_may_stand_where_rules_are_judged(made: type[BaseModel]) -> None:
    rows = made.model_validate({"rows": [{"id": 1, "tags": ["a"]}]})
    again: Any = made(rows=rows.rows)  # type: ignore[attr-defined]  # made at run time
    assert dumped(again) == {"rows": [{"id": 1, "tags": ["a"]}]}


def test_descriptions_are_docstrings_of_the_tool_and_of_its_arguments() -> None:
    [tree] = [
        node for node in ast.parse(code_of("shared_one")).body
        if isinstance(node, ast.ClassDef) and node.name == "SharedOneInput"
    ]  # fmt: skip
    said = [
        node.value.value
        for node in tree.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert [str(text).strip() for text in said] == ["Said of the tool.", "What it costs."]


def test_hostile_text_stays_inside_its_docstring() -> None:
    tree = ast.parse(code_of("hostile"))
    [root] = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "HostileInput"]
    told = ast.get_docstring(root) or ""
    assert told.startswith('""" \\" \'\'\' \\N{BULLET} \\x41 {{ 7*7 }} {% raw %}')
    assert "class Evil:" in told


def test_generated_code_shows_what_cannot_be_seen() -> None:
    for line in code_of("hostile").splitlines():
        assert line.isprintable()


def names_of(schema: dict[str, Any]) -> set[str]:
    return set(view(schema, "Root", "")["$defs"])


def test_a_nested_class_is_named_by_the_titles_above_it_or_by_its_place() -> None:
    assert names_of(schema_of("untitled")) == {
        "RootFilter", "RootFilterItemsItem", "RootFilterRange", "RootOther", "RootOtherRange",
    }  # fmt: skip
    assert names_of(schema_of("tagged")) == {"RootCircle", "RootLeft", "RootRight", "RootSquare"}


def test_a_new_property_leaves_the_names_of_other_classes_as_they_are() -> None:
    schema = schema_of("untitled")
    inner = {"type": "object", "properties": {"range": schema["properties"]["other"]}}
    wider = {**schema, "properties": {"another": inner, **schema["properties"]}}
    assert names_of(schema) < names_of(wider)
