"""mypy and pyright, both strict, accept what was generated and find wrong implementations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# A line that ends in "# wrong" must be found by both checkers, and no other line by either.
IMPLEMENTATIONS = """
from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from desk_bindings.paper_desk.models import GetReceiptOutput
from desk_bindings.runtime import CallContext, ToolFailure, ToolResult
from desk_bindings.shop.models import GetPriceInput, GetPriceOutput
from desk_bindings.shop.stubs import ShopHandlers, ToolName, bind

name: ToolName = "get_price"
other: ToolName = "get_prize"  # wrong


class Model(ShopHandlers[CallContext]):
    async def get_price(self, args: GetPriceInput, ctx: CallContext, /) -> GetPriceOutput:
        await ctx.report_progress(1)
        if not args.item:
            raise ToolFailure("There is no item.")
        return GetPriceOutput(price=args.item)


class Json:
    async def get_price(self, args: GetPriceInput, ctx: CallContext) -> Mapping[str, object]:
        return {"price": args.item.upper()}


class Whole:
    async def get_price(self, args: GetPriceInput, ctx: object) -> ToolResult:
        return ToolResult(GetPriceOutput(price="1.00"))


class Till:
    def fetch(self, url: str) -> str:
        return url


class Wrapper:
    async def get_price(self, args: GetPriceInput, ctx: Till) -> dict[str, object]:
        return {"price": ctx.fetch(args.item)}


class Absent(ShopHandlers[CallContext]):
    pass


class Arguments:
    async def get_price(self, args: str, ctx: CallContext) -> GetPriceOutput:
        return GetPriceOutput(price=args)


class Answer:
    async def get_price(self, args: GetPriceInput, ctx: CallContext) -> int:
        return 1


class AnotherModel:
    async def get_price(self, args: GetPriceInput, ctx: CallContext) -> GetReceiptOutput:
        return GetReceiptOutput(number="", total="", lines=[])


class Text:
    async def get_price(self, args: GetPriceInput, ctx: CallContext) -> str:
        return ""


class Sync:
    def get_price(self, args: GetPriceInput, ctx: CallContext) -> GetPriceOutput:
        return GetPriceOutput(price="")


class Declared(ShopHandlers[CallContext]):
    async def get_price(self, args: GetPriceInput, ctx: CallContext, /) -> int:  # wrong
        return 1


class Member:
    async def get_price(self, args: GetPriceInput, ctx: CallContext) -> GetPriceOutput:
        return GetPriceOutput(price=args.cost)  # wrong


def till(call: CallContext) -> Till:
    return Till()


@asynccontextmanager
async def opened(call: CallContext) -> AsyncGenerator[Till, None]:
    yield Till()


def plain(call: CallContext) -> str:
    return call.name


bind(Model())
bind(Json())
bind(Whole())
bind(Wrapper(), context=till)
bind(Wrapper(), context=opened)
bind(Whole(), context=plain)
bind(Absent())  # wrong
bind(object())  # wrong
bind(Arguments())  # wrong
bind(Answer())  # wrong
bind(AnotherModel())  # wrong
bind(Text())  # wrong
bind(Sync())  # wrong
bind(Wrapper())  # wrong
bind(Wrapper(), context=plain)  # wrong
bind(Model(), context=till)  # wrong
server = bind(Model())
server.nothing  # wrong
"""
WRONG = {
    number
    for number, line in enumerate(IMPLEMENTATIONS.split("\n"), start=1)
    if line.endswith("# wrong")
}


@pytest.fixture(scope="module")
def project(root: Path) -> Path:
    """Return the folder of the generated package, with implementations of it."""
    (root / "implementations.py").write_text(IMPLEMENTATIONS, "utf-8")
    settings = {
        "typeCheckingMode": "strict",
        "include": ["desk_bindings", "implementations.py"],
        "reportUnusedExpression": "none",
    }
    (root / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    return root


def run(project: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_mypy_finds_the_wrong_implementations_and_nothing_else(project: Path) -> None:
    output = run(
        project, "mypy", "--strict", "--output=json", "desk_bindings", "implementations.py"
    )
    found: list[Any] = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    errors = [each for each in found if each["severity"] == "error"]
    assert {each["file"] for each in errors} == {"implementations.py"}, errors
    assert {each["line"] for each in errors} == WRONG, errors


def test_pyright_finds_the_wrong_implementations_and_nothing_else(project: Path) -> None:
    output = run(project, "pyright", "--outputjson")
    errors = json.loads(output)["generalDiagnostics"]
    assert {Path(each["file"]).name for each in errors} == {"implementations.py"}, errors
    lines = {each["range"]["start"]["line"] + 1 for each in errors}
    assert lines == WRONG, errors
