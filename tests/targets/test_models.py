"""The layout of generated models: files, names, headers, and what an edit touches."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from counterfoil.cache import Cache
from counterfoil.contract.model import Contract
from counterfoil.errors import GenerationError
from counterfoil.progress import listening
from counterfoil.render import read_stamp
from counterfoil.targets.models import TARGET
from counterfoil.targets.target import Entry, Planned, Request

ROOT = "out/bindings"
OBJECT: dict[str, Any] = {"type": "object"}
MONEY: dict[str, Any] = {
    "type": "object",
    "title": "Money",
    "properties": {"amount": {"type": "string"}},
    "required": ["amount"],
}


def tool(name: str, schema: dict[str, Any], output: dict[str, Any] | None = None) -> dict[str, Any]:
    made = {
        "auth": "none",
        "description": f"Do {name}.",
        "exec": {"kind": "handler"},
        "inputSchema": schema,
        "name": name,
        "surfaces": ["mcp"],
        "title": name,
    }
    return made if output is None else {**made, "outputSchema": output}


def taking(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def contract(tools: Sequence[dict[str, Any]], **defs: Any) -> Contract:
    server = {
        "binding": "mcp",
        "name": "shop",
        "title": 'The "Shop"',
        "tools": list(tools),
        "version": "1.0.0",
    }
    data = {"counterfoil": 1, "servers": {"shop-one": server}, "$defs": defs}
    return Contract("contract/contract.json", "", data)


def request(made: Contract, folder: Path | None = None) -> Request:
    return Request(made, made.servers, ROOT, Cache(folder), {})


def planned(made: Contract, folder: Path | None = None) -> dict[str, Planned]:
    return {file.path: file for file in TARGET.plan(request(made, folder))}


def contents(made: Contract) -> dict[str, bytes]:
    return {path: file.content for path, file in planned(made).items()}


def write(files: dict[str, Planned], folder: Path) -> Path:
    for path, file in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
    return folder / "out"


def run(code: str, path: Path, folder: Path | None = None, **variables: str) -> str:
    environment = {**os.environ, **variables, "PYTHONPATH": os.pathsep.join([str(path), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


TOOLS = (
    tool("get_price", taking(money={"$ref": "#/$defs/Money"}), taking(ok={"type": "boolean"})),
    tool("list-items", taking(limit={"type": "integer"})),
)


def test_every_schema_of_every_tool_has_a_module() -> None:
    modules = {path for path in planned(contract(TOOLS, Money=MONEY)) if "/models/" in path}
    assert modules == {
        f"{ROOT}/shop_one/models/{name}.py"
        for name in ("__init__", "get_price_input", "get_price_output", "list_items_input")
    }


def test_what_servers_share_stands_beside_their_packages() -> None:
    files = planned(contract(TOOLS, Money=MONEY))
    shared = {path for path in files if path.count("/") == 2}
    assert shared == {f"{ROOT}/__init__.py", f"{ROOT}/json_schema.py", f"{ROOT}/py.typed"}
    assert f"{ROOT}/shop_one/__init__.py" in files


def test_a_server_without_tools_is_a_package_without_models() -> None:
    files = planned(contract([]))
    assert f"{ROOT}/shop_one/__init__.py" in files
    assert not [path for path in files if "/models/" in path]


def test_a_tool_that_is_only_local_has_models_too() -> None:
    local = {**tool("find", OBJECT), "auth": "local", "surfaces": ["assistant"]}
    assert f"{ROOT}/shop_one/models/find_input.py" in planned(contract([local]))


def test_every_file_carries_an_intact_header() -> None:
    for path, content in contents(contract(TOOLS, Money=MONEY)).items():
        stamp = read_stamp(content)
        assert stamp is not None, path
        assert stamp.intact, path


def test_a_header_names_the_schema_by_its_tool() -> None:
    stamp = read_stamp(
        contents(contract(TOOLS, Money=MONEY))[f"{ROOT}/shop_one/models/get_price_output.py"]
    )
    assert stamp is not None
    assert stamp.source == "contract/contract.json#/servers/shop-one/tools/get_price/outputSchema"


def test_what_is_expected_is_found() -> None:
    made = contract(TOOLS, Money=MONEY)
    expected = TARGET.expected(request(made))
    assert expected == TARGET.found(request(made), contents(made))
    assert Entry("shop-one", "schema", "GetPriceOutput") in expected


def test_a_module_without_its_class_is_found_under_its_own_name() -> None:
    made = contract(TOOLS, Money=MONEY)
    files = contents(made)
    files[f"{ROOT}/shop_one/models/list_items_input.py"] = b"class Other: ...\n"
    files[f"{ROOT}/shop_one/models/gone_input.py"] = b"class GoneInput: ...\n"
    missing = TARGET.expected(request(made)) - TARGET.found(request(made), files)
    surplus = TARGET.found(request(made), files) - TARGET.expected(request(made))
    assert missing == {Entry("shop-one", "schema", "ListItemsInput")}
    assert {entry.name for entry in surplus} == {"GoneInput", "list_items_input"}


def test_content_that_is_no_python_holds_nothing() -> None:
    made = contract(TOOLS, Money=MONEY)
    files = {f"{ROOT}/shop_one/models/list_items_input.py": b"class (\0"}
    assert TARGET.found(request(made), files) == set()


def test_an_edit_of_one_tool_touches_only_its_module() -> None:
    before = contents(contract(TOOLS, Money=MONEY))
    edited = copy.deepcopy(TOOLS[1])
    edited["inputSchema"]["properties"]["limit"]["maximum"] = 5
    after = contents(contract([TOOLS[0], edited], Money=MONEY))
    changed = {path for path in before if before[path] != after[path]}
    assert changed == {f"{ROOT}/shop_one/models/list_items_input.py"}


def test_an_edit_of_a_shared_schema_touches_the_tools_that_need_it() -> None:
    before = contents(contract(TOOLS, Money=MONEY))
    after = contents(contract(TOOLS, Money={**MONEY, "additionalProperties": False}))
    changed = {path for path in before if before[path] != after[path]}
    assert changed == {f"{ROOT}/shop_one/models/get_price_input.py"}


def test_a_new_tool_leaves_the_modules_of_others_as_they_are() -> None:
    before = contents(contract(TOOLS, Money=MONEY))
    after = contents(contract([tool("a_first", MONEY), *TOOLS], Money=MONEY))
    changed = {path for path in before if before[path] != after[path]}
    assert changed == {f"{ROOT}/shop_one/models/__init__.py"}


def test_a_package_imports_a_module_when_something_of_it_is_asked_for(tmp_path: Path) -> None:
    path = write(planned(contract(TOOLS, Money=MONEY)), tmp_path)
    code = """
import json, sys
from bindings.shop_one import models
loaded = [name for name in sys.modules if name.startswith("bindings.shop_one.models.")]
names = sorted(models.__all__)
classes = {name: getattr(models, name).__module__ for name in names}
try:
    models.Nothing
except AttributeError as error:
    print(json.dumps([loaded, names, classes, sorted(set(names) - set(dir(models))), str(error)]))
"""
    loaded, names, classes, unlisted, error = json.loads(run(code, path))
    assert loaded == []
    assert names == ["GetPriceInput", "GetPriceInputMoney", "GetPriceOutput", "ListItemsInput"]
    assert classes["GetPriceInputMoney"] == "bindings.shop_one.models.get_price_input"
    assert unlisted == []
    assert "Nothing" in error


def test_a_star_import_gives_every_class(tmp_path: Path) -> None:
    path = write(planned(contract(TOOLS, Money=MONEY)), tmp_path)
    code = "from bindings.shop_one.models import *; print(ListItemsInput.__name__)"
    assert run(code, path).strip() == "ListItemsInput"


PLAN = """
import hashlib, json, sys
from pathlib import Path
from counterfoil.cache import Cache
from counterfoil.contract.model import Contract
from counterfoil.targets.models import TARGET
from counterfoil.targets.target import Request
made = Contract("contract/contract.json", "", json.loads(Path("contract.json").read_text("utf-8")))
cache = Cache(Path("cache") if Path("cache").is_dir() else None)
for file in TARGET.plan(Request(made, made.servers, "x", cache, {})):
    print(file.path, hashlib.sha256(file.content).hexdigest())
print("datamodel_code_generator" in sys.modules, "pydantic" in sys.modules)
"""


def plan_apart(folder: Path, **variables: str) -> list[str]:
    data = contract(TOOLS, Money=MONEY).data
    (folder / "contract.json").write_text(json.dumps(data), "utf-8")
    return run(PLAN, folder, folder, **variables).splitlines()


def test_models_in_the_cache_need_no_generator(tmp_path: Path) -> None:
    planned(contract(TOOLS, Money=MONEY), tmp_path / "cache")
    assert plan_apart(tmp_path)[-1] == "False False"


def test_the_bytes_do_not_depend_on_the_hash_seed_or_the_time_zone(tmp_path: Path) -> None:
    first = plan_apart(tmp_path, PYTHONHASHSEED="1", TZ="UTC")
    second = plan_apart(tmp_path, PYTHONHASHSEED="77", TZ="Asia/Tokyo")
    assert first == second


def test_progress_is_told_up_to_the_number_of_schemas() -> None:
    told: list[tuple[int, int]] = []
    with listening(lambda done, total, _: told.append((done, total))):
        planned(contract(TOOLS, Money=MONEY))
    assert told[-1] == (3, 3)


def test_a_server_named_like_the_shared_module_is_refused() -> None:
    made = contract(TOOLS, Money=MONEY)
    made.data["servers"] = {"json-schema": made.data["servers"]["shop-one"]}
    with pytest.raises(GenerationError, match="json_schema"):
        planned(made)


def test_two_objects_that_would_share_a_class_are_refused_with_their_place() -> None:
    first = {"type": "object", "title": "Part", "properties": {"a": {"type": "string"}}}
    second = {"type": "object", "title": "Part", "properties": {"b": {"type": "string"}}}
    made = contract([tool("clash", taking(one=first, two=second))])
    with pytest.raises(GenerationError, match="ClashInputPart") as caught:
        planned(made)
    assert caught.value.place.endswith("#/servers/shop-one/tools/clash/inputSchema")
    assert caught.value.hint


def test_two_modules_that_would_define_the_same_name_are_refused() -> None:
    inner = {"type": "object", "title": "ListInput", "properties": {"a": {"type": "string"}}}
    tools = [tool("get", taking(one=inner)), tool("get_input_list", OBJECT)]
    with pytest.raises(GenerationError, match="GetInputListInput"):
        planned(contract(tools))


def test_a_schema_that_is_nested_too_deeply_is_an_error_with_a_hint() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(600):
        schema = {"type": "array", "items": schema}
    with pytest.raises(GenerationError, match="nested too deeply"):
        planned(contract([tool("deep", taking(a=schema))]))
