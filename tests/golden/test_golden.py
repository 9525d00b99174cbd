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

import pytest
from mcp import Client
from starter import counterfoil

from counterfoil.contract.grammar import grammar

HERE = Path(__file__).parent
CONTRACT = json.loads((HERE / "contract/contract.json").read_text("utf-8"))


def test_the_golden_tree_is_as_the_contract_has_it() -> None:
    for words in (("validate", "--strict"), ("check", "--no-cache", "--strict")):
        outcome = counterfoil(*words, cwd=HERE)
        assert outcome.status == 0, outcome.out


def test_the_golden_outputs_hold_all_of_the_contract() -> None:
    outcome = counterfoil("parity", "--offline", "--no-cache", cwd=HERE)
    assert outcome.status == 0, outcome.out


# Features of the grammar that a contract cannot have together with their opposite.
FREE = {"schema", "objectSchema"}


def test_the_golden_contract_uses_every_key_of_the_grammar() -> None:
    used = keys(CONTRACT)
    for name, node in [("", grammar()), *grammar()["$defs"].items()]:
        if name not in FREE:
            for key in node.get("properties", {}):
                assert key in used, f"{name or 'the contract'} has a key {key}"


def test_the_golden_contract_uses_every_word_of_the_grammar() -> None:
    used = texts(CONTRACT)
    for pointer, words in enumerations(grammar()):
        for word in words:
            assert word in used, f"{pointer} has a word {word}"


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


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
            assert [prompt.name for prompt in prompts.prompts] == ["review"]

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
