"""A small contract that uses every feature of the grammar, and all that is made from it.

The tree is committed, so that a change of a generator shows as a diff. To make it again:
``counterfoil generate --project tests/golden``.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcp import Client
from starter import counterfoil

from counterfoil.contract.grammar import grammar
from counterfoil.schema.refs import follow

HERE = Path(__file__).parent
CONTRACT = json.loads((HERE / "contract/contract.json").read_text("utf-8"))


def test_the_golden_tree_is_as_the_contract_has_it() -> None:
    for words in (("validate", "--strict"), ("check", "--no-cache", "--strict")):
        outcome = counterfoil(*words, cwd=HERE)
        assert outcome.status == 0, outcome.out


def test_the_golden_outputs_hold_all_of_the_contract() -> None:
    outcome = counterfoil("parity", "--offline", "--no-cache", cwd=HERE)
    assert outcome.status == 0, outcome.out


# Definitions whose members are JSON Schema's, not the grammar's.
FREE = {"schema", "objectSchema", "outputSchema"}


def test_the_golden_contract_uses_every_key_where_the_grammar_has_it() -> None:
    assert sorted(offered() - used(CONTRACT)) == []


def test_a_key_that_is_used_elsewhere_only_is_missed() -> None:
    contract = json.loads(json.dumps(CONTRACT))
    for server in contract["servers"].values():
        for route in server.get("routes", ()):
            for parameter in route.get("queryParams", ()):
                del parameter["name"]
    assert offered() - used(contract) == {"#/$defs/queryParam/properties/name"}


def offered() -> set[str]:
    """Return the places of the grammar that a contract can have a member for."""
    return {
        f"{pointer}/properties/{key}"
        for pointer, node in definitions(grammar(), "#")
        for key, schema in node.get("properties", {}).items()
        # In a condition, true only repeats a key, and false takes it away.
        if schema not in (True, False) and not is_condition(pointer)
    }


def is_condition(pointer: str) -> bool:
    """Say whether a schema of the grammar only looks at keys that it has elsewhere."""
    return any(word in ("if", "not", "contains") for word in pointer.split("/"))


def definitions(node: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the schemas of the grammar outside of the free ones."""
    if not isinstance(node, dict) or pointer.removeprefix("#/$defs/") in FREE:
        return
    yield pointer, node
    for keyword in ("$defs", "properties"):
        for name, member in node.get(keyword, {}).items():
            yield from definitions(member, f"{pointer}/{keyword}/{name}")
    for keyword in ("additionalProperties", "else", "if", "items", "then"):
        yield from definitions(node.get(keyword), f"{pointer}/{keyword}")
    for keyword in ("allOf", "anyOf", "oneOf"):
        for number, member in enumerate(node.get(keyword, ())):
            yield from definitions(member, f"{pointer}/{keyword}/{number}")


def used(contract: Any) -> set[str]:
    """Return the places of the grammar that judge a member of the contract."""
    found: set[str] = set()
    walk(contract, "#", found)
    return found


def walk(value: Any, pointer: str, found: set[str]) -> None:
    node = follow(grammar(), pointer)
    if not isinstance(node, dict) or pointer.removeprefix("#/$defs/") in FREE:
        return
    for place in in_place(value, pointer, node):
        walk(value, place, found)
    for place, member in within(value, pointer, node):
        found.add(place)
        walk(member, place, found)


def in_place(value: Any, pointer: str, node: Mapping[str, Any]) -> Iterator[str]:
    """Yield the schemas of the grammar that judge the same value."""
    if "$ref" in node:
        yield node["$ref"]
    for keyword in ("allOf", "anyOf", "oneOf"):
        for number in range(len(node.get(keyword, ()))):
            if keyword == "allOf" or fits(value, f"{pointer}/{keyword}/{number}"):
                yield f"{pointer}/{keyword}/{number}"
    if "if" in node:
        branch = "then" if fits(value, f"{pointer}/if") else "else"
        if branch in node:
            yield f"{pointer}/{branch}"


def within(value: Any, pointer: str, node: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the schemas of the grammar that judge members of a value, and those members."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key in node.get("properties", {}):
                yield f"{pointer}/properties/{key}", member
            elif "additionalProperties" in node:
                yield f"{pointer}/additionalProperties", member
    elif isinstance(value, list) and "items" in node:
        yield from ((f"{pointer}/items", member) for member in value)


def fits(value: Any, pointer: str) -> bool:
    """Say whether a value keeps the schema at a place of the grammar."""
    whole = {"$ref": pointer, "$defs": grammar()["$defs"]}
    return jsonschema_rs.is_valid(whole, value)


def test_the_golden_contract_uses_every_word_of_the_grammar() -> None:
    used = texts(CONTRACT)
    for pointer, words in enumerations(grammar()):
        for word in words:
            assert word in used, f"{pointer} has a word {word}"


def texts(value: Any) -> set[Any]:
    if isinstance(value, dict):
        return set().union(*map(texts, value.values()))
    if isinstance(value, list):
        return set().union(*map(texts, value))
    return {value}


def enumerations(node: Any, pointer: str = "#") -> Iterator[tuple[str, list[Any]]]:
    if isinstance(node, dict):
        if isinstance(node.get("enum"), list):
            yield pointer, node["enum"]
        for key, member in node.items():
            yield from enumerations(member, f"{pointer}/{key}")
    elif isinstance(node, list):
        for index, member in enumerate(node):
            yield from enumerations(member, f"{pointer}/{index}")


USE = """
from collections.abc import Mapping
from golden_bindings.alpha import models
from golden_bindings.alpha.stubs import bind
from golden_bindings.gamma.allowlist import ALLOWLIST
from golden_bindings.runtime import CallContext


class Alpha:
    async def kinds(self, args: models.KindsInput, ctx: CallContext, /) -> models.KindsOutput:
        item = models.KindsOutputItem(id=args.text, price="10")
        return models.KindsOutput(items=[item], total=1)

    async def retired(
        self, args: models.RetiredInput, ctx: CallContext, /
    ) -> Mapping[str, object] | str:
        return "gone"

    async def read_resource(self, uri: str, ctx: CallContext, /) -> str | bytes | None:
        return "text" if uri == "alpha://guide" else None

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], ctx: CallContext, /
    ) -> str:
        return f"{name}, {arguments['tone-of-voice']}"


server = bind(Alpha())
first: str = ALLOWLIST[0].origin
"""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Return what a module holds that uses the golden package."""
    monkeypatch.syspath_prepend(str(HERE))
    names: dict[str, Any] = {}
    exec(compile(USE, "use", "exec"), names)
    yield names
    for name in [name for name in sys.modules if name.startswith("golden_bindings")]:
        del sys.modules[name]


def test_the_golden_package_is_imported_and_served(served: Mapping[str, Any]) -> None:
    async def talk() -> None:
        async with Client(served["server"], mode="auto") as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == ["kinds", "retired"]
            good = await client.call_tool("kinds", {"text": "t"})
            assert good.structured_content == {"items": [{"id": "t", "price": "10"}], "total": 1}
            bad = await client.call_tool("kinds", {"text": "t", "whole": 6})
            assert bad.is_error
            assert "whole" in bad.content[0].text
            prompts = await client.list_prompts()
            assert [prompt.name for prompt in prompts.prompts] == ["compose", "review"]
            made = await client.get_prompt("compose", {"tone-of-voice": "calm"})
            assert made.messages[0].content.text == "compose, calm"

    asyncio.run(talk())


@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["pyright"]], ids=["mypy", "pyright"])
def test_the_golden_package_is_typed(tmp_path: Path, checker: list[str]) -> None:
    (tmp_path / "use.py").write_text(USE, "utf-8")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(HERE)], "include": ["use.py"]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nmypy_path = {HERE}\n", "utf-8")
    words = ["use.py", "-p", "golden_bindings"] if checker[0] == "mypy" else []
    command = [sys.executable, "-m", *checker, *(["use.py"] if words else [])]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
