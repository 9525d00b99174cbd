"""The example calls and results of this repository's contract, through servers bound to it."""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from counterfoil.cache import Cache
from counterfoil.config import Config, Output
from counterfoil.contract.model import Contract, Server
from counterfoil.names import package_name
from counterfoil.plan import plan, steps
from counterfoil.targets.stubs import TARGET, method

Speak = Callable[..., list[dict[str, Any]]]
CASES = Path(__file__).parents[3] / "contract/cases"
PACKAGE = "case_bindings"


@pytest.fixture(scope="module")
def bound(real: Contract, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Make the package of the repository's contract importable and return its name."""
    folder = tmp_path_factory.mktemp("cases")
    config = Config(folder, outputs=(Output("models", PACKAGE), Output("stubs", PACKAGE)))
    for path, planned in plan(steps(real, config, Cache(None), {})).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(planned.content)
    sys.path.insert(0, str(folder))
    yield PACKAGE
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


class Answering:
    """Handlers that answer with one value after the other, or raise it."""

    def __init__(self, server: Server) -> None:
        self.values: Iterator[Any] = iter(())

        async def handler(args: Any, ctx: Any) -> Any:
            value = next(self.values)
            if isinstance(value, Exception):
                raise value
            return value

        names = [method(tool).name for tool in server.served]
        self.handlers = SimpleNamespace(**dict.fromkeys(names, handler))


def served(real: Contract) -> Iterator[tuple[Server, dict[str, Any]]]:
    """Yield each server on the SDK with its cases by tool."""
    for server in real.servers:
        if TARGET.applies(server):
            files = {tool.name: CASES / server.id / f"{tool.name}.json" for tool in server.served}
            yield (
                server,
                {name: json.loads(path.read_text("utf-8")) for name, path in files.items()},
            )


def calls(cases: dict[str, Any], kind: str) -> list[tuple[str, str, Any]]:
    return [(tool, each["name"], each) for tool, case in cases.items() for each in case[kind]]


def outcome(answer: dict[str, Any]) -> str:
    """Return what a caller is told; arguments that are no object are a malformed call."""
    if "error" in answer:
        assert answer["error"]["code"] == -32602, answer
        return str(answer["error"]["message"])
    assert answer["result"]["isError"] is True, answer
    return str(answer["result"]["content"][0]["text"])


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_example_calls_are_accepted_and_refused(
    real: Contract, bound: str, speak: Speak, version: str
) -> None:
    runtime = importlib.import_module(f"{bound}.runtime")
    judged = 0
    for server, cases in served(real):
        stubs = importlib.import_module(f"{bound}.{package_name(server.id)}.stubs")
        answering = Answering(server)
        answering.values = itertools.repeat(runtime.ToolFailure("reached"))
        examples = [
            (kind, *each) for kind in ("accepted", "refused") for each in calls(cases, kind)
        ]
        requests = [
            ("tools/call", {"name": tool, "arguments": each["arguments"]})
            for _, tool, _, each in examples
        ]
        answers = speak(stubs.bind(answering.handlers), version, *requests)
        for (kind, tool, name, _), answer in zip(examples, answers, strict=True):
            told = outcome(answer)
            wanted = kind == "accepted"
            assert (told == "reached") is wanted, f"{server.id} {tool} {kind} {name}: {told}"
            judged += 1
    assert judged > 100


def test_example_results_go_out_as_they_are_or_not_at_all(
    real: Contract, bound: str, speak: Speak
) -> None:
    judged = 0
    for server, cases in served(real):
        stubs = importlib.import_module(f"{bound}.{package_name(server.id)}.stubs")
        answering = Answering(server)
        for tool, case in cases.items():
            arguments = case["accepted"][0]["arguments"]
            for kind in ("accepted", "refused"):
                examples = case.get("results", {}).get(kind, [])
                answering.values = iter([each["value"] for each in examples])
                requests = [("tools/call", {"name": tool, "arguments": arguments})] * len(examples)
                answers = speak(stubs.bind(answering.handlers), "2026-07-28", *requests)
                for each, answer in zip(examples, answers, strict=True):
                    sent = answer.get("result", {}).get("structuredContent")
                    wanted = each["value"] if kind == "accepted" else None
                    assert sent == wanted, f"{server.id} {tool} {kind} {each['name']}"
                    judged += 1
    assert judged > 50
