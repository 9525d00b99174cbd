"""A small contract, the package that the real targets make of it, and ways to speak to it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from counterfoil.cache import Cache
from counterfoil.config import Config, Output
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract
from counterfoil.plan import plan, steps

PACKAGE = "desk_bindings"
HELLO = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="session")
def contract() -> Contract:
    reading = read_contract(Path(__file__).with_name("contract.json"), "contract.json")
    assert reading.contract is not None, reading.findings
    return reading.contract


@pytest.fixture(scope="session")
def root(contract: Contract, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that holds the generated package."""
    folder = tmp_path_factory.mktemp("generated")
    outputs = (Output("models", PACKAGE), Output("stubs", PACKAGE))
    config = Config(root=folder, outputs=outputs)
    for path, planned in plan(steps(contract, config, Cache(None), {})).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(planned.content)
    return folder


@pytest.fixture(scope="session")
def package(root: Path) -> Iterator[str]:
    """Make the generated package importable and return its name."""
    sys.path.insert(0, str(root))
    yield PACKAGE
    sys.path.remove(str(root))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture(scope="session")
def runtime(package: str) -> ModuleType:
    return importlib.import_module(f"{package}.runtime")


@pytest.fixture(scope="session")
def judge_of(package: str) -> Any:
    """Return the class that judges values by a schema."""
    return importlib.import_module(f"{package}.runtime.schemas").Judge


@pytest.fixture(scope="session")
def desk(package: str) -> ModuleType:
    return importlib.import_module(f"{package}.paper_desk.stubs")


@pytest.fixture(scope="session")
def shop(package: str) -> ModuleType:
    return importlib.import_module(f"{package}.shop.stubs")


@pytest.fixture(scope="session")
def quiet(package: str) -> ModuleType:
    return importlib.import_module(f"{package}.quiet.stubs")


RECEIPT = {"number": "R0001", "total": "4.50", "note": None, "lines": ["pens — 4,50 €"]}


class Desk:
    """Handlers that remember what they were given, and answer what a test asked for."""

    def __init__(self) -> None:
        self.seen = SimpleNamespace(args=None, ctx=None)
        self.answer: Any = RECEIPT
        self.content: Any = "# Filing"

    def _answered(self, args: Any, ctx: Any) -> Any:
        self.seen.args, self.seen.ctx = args, ctx
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(args, ctx) if callable(self.answer) else self.answer

    async def class_(self, args: Any, ctx: Any) -> Any:
        return self._answered(args, ctx)

    async def file_paper_v2(self, args: Any, ctx: Any) -> Any:
        return self._answered(args, ctx)

    async def get_receipt(self, args: Any, ctx: Any) -> Any:
        return self._answered(args, ctx)

    async def weigh(self, args: Any, ctx: Any) -> Any:
        return self._answered(args, ctx)

    async def read_resource(self, uri: str, ctx: Any) -> Any:
        self.seen.args, self.seen.ctx = uri, ctx
        if isinstance(self.content, BaseException):
            raise self.content
        return self.content


@pytest.fixture
def handlers() -> Desk:
    return Desk()


@pytest.fixture
def server(desk: ModuleType, handlers: Desk) -> Any:
    return desk.bind(handlers)


Answers = list[dict[str, Any]]


async def _speak(server: Any, version: str, requests: tuple[tuple[str, Any], ...]) -> Answers:
    """Send requests one after the other as a client of a revision; return the answers' JSON."""
    answers: Answers = []
    modern = version == "2026-07-28"
    async with (
        create_client_server_memory_streams() as ((read, write), (server_read, server_write)),
        anyio.create_task_group() as tasks,
    ):
        options = server.create_initialization_options()
        tasks.start_soon(server.run, server_read, server_write, options)

        async def ask(number: int, method: str, params: Any) -> None:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            await write.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            received = await read.receive()
            assert isinstance(received, SessionMessage), received
            answers.append(
                received.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
            )

        with anyio.fail_after(30):
            if not modern:
                await ask(0, "initialize", {**HELLO, "protocolVersion": version})
                done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
                await write.send(SessionMessage(jsonrpc_message_adapter.validate_python(done)))
                assert answers.pop()["result"]["protocolVersion"] == version
            for number, (method, params) in enumerate(requests, start=1):
                await ask(number, method, {**params, "_meta": META} if modern else params)
        tasks.cancel_scope.cancel()
    return answers


@pytest.fixture
def speak() -> Callable[..., Answers]:
    """Return a function that sends ``(method, params)`` pairs to a server in memory."""

    def run(server: Any, version: str, *requests: tuple[str, Any]) -> Answers:
        return anyio.run(_speak, server, version, requests)

    return run
