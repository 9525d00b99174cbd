"""What the target writes: safe, the same every time, and read back without its writer."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from counterfoil.cache import Cache
from counterfoil.contract.canonical import arranged, dump
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract_bytes
from counterfoil.errors import GenerationError
from counterfoil.render import read_stamp
from counterfoil.targets.stubs import TARGET
from counterfoil.targets.target import Entry, Request

Change = Callable[[dict[str, Any]], None]


def request(contract: Contract) -> Request:
    servers = tuple(server for server in contract.servers if TARGET.applies(server))
    return Request(contract, servers, "bindings", Cache(None), {})


def files(contract: Contract) -> dict[str, bytes]:
    return {planned.path: planned.content for planned in TARGET.plan(request(contract))}


def changed(contract: Contract, change: Change) -> Contract:
    """Return the contract with one server changed."""
    data = deepcopy(contract.data)
    change(data["servers"]["paper-desk"])
    reading = read_contract_bytes(dump(arranged(data)).encode(), "contract.json")
    assert reading.contract is not None, reading.findings
    return reading.contract


def test_each_server_has_stubs_and_a_surface_beside_one_runtime(contract: Contract) -> None:
    paths = set(files(contract))
    servers = {f"bindings/{name}" for name in ("paper_desk", "quiet", "shop")}
    own = {f"{folder}/{name}" for folder in servers for name in ("stubs.py", "surface.json")}
    assert own <= paths
    assert {Path(path).parent.as_posix() for path in paths - own} == {"bindings/runtime"}


def test_every_file_carries_an_intact_header(contract: Contract) -> None:
    for path, content in files(contract).items():
        stamp = read_stamp(content)
        assert stamp is not None, path
        assert stamp.intact, path


def test_the_target_is_for_servers_on_the_sdk(contract: Contract) -> None:
    assert [server.id for server in contract.servers if TARGET.applies(server)] == [
        "paper-desk",
        "quiet",
        "shop",
    ]
    other = changed(contract, lambda desk: desk.update(binding="snapshot"))
    assert not TARGET.applies(other.server("paper-desk"))


def test_nothing_is_written_for_no_servers(contract: Contract) -> None:
    assert list(TARGET.plan(Request(contract, (), "bindings", Cache(None), {}))) == []


def test_a_hostile_description_stays_inside_its_docstring(
    contract: Contract, desk: ModuleType
) -> None:
    (tool,) = [t for t in contract.server("paper-desk").tools if t.name == "file-paper.v2"]
    documented = inspect.getdoc(desk.PaperDeskHandlers.file_paper_v2)
    assert documented == inspect.cleandoc(tool.description)


def test_a_hostile_name_stays_inside_its_literal(contract: Contract) -> None:
    def rename(desk: dict[str, Any]) -> None:
        desk["tools"][0]["name"] = "a.-_b"

    made = changed(contract, rename)
    module = ast.parse(files(made)["bindings/paper_desk/stubs.py"])
    assert "a.-_b" in {node.value for node in ast.walk(module) if isinstance(node, ast.Constant)}


def test_the_same_contract_gives_the_same_bytes_in_another_process(
    contract: Contract, tmp_path: Path
) -> None:
    program = (
        "import hashlib, pathlib, sys\n"
        "from counterfoil.cache import Cache\n"
        "from counterfoil.contract.reading import read_contract\n"
        "from counterfoil.targets.stubs import TARGET\n"
        "from counterfoil.targets.target import Request\n"
        "contract = read_contract(pathlib.Path(sys.argv[1]), 'contract.json').contract\n"
        "request = Request(contract, contract.servers, 'bindings', Cache(None), {})\n"
        "for planned in TARGET.plan(request):\n"
        "    print(planned.path, hashlib.sha256(planned.content).hexdigest())\n"
    )
    source = str(Path(__file__).with_name("contract.json"))
    printed = [
        subprocess.run(
            [sys.executable, "-c", program, source],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": zone},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    ]
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) == len(files(contract))


def test_a_package_that_all_servers_share_is_no_name_for_a_server(contract: Contract) -> None:
    data = deepcopy(contract.data)
    data["servers"]["runtime"] = data["servers"].pop("quiet")
    reading = read_contract_bytes(dump(arranged(data)).encode(), "contract.json")
    assert reading.contract is not None
    with pytest.raises(GenerationError, match="the one that all servers share"):
        files(reading.contract)


def test_a_tool_may_not_take_the_method_that_reads_resources(contract: Contract) -> None:
    def rename(desk: dict[str, Any]) -> None:
        desk["tools"][0]["name"] = "read-resource"

    with pytest.raises(GenerationError, match="read_resource"):
        files(changed(contract, rename))

    def without(desk: dict[str, Any]) -> None:
        rename(desk)
        del desk["resources"], desk["resourceTemplates"]

    assert (
        b"async def read_resource"
        in files(changed(contract, without))["bindings/paper_desk/stubs.py"]
    )


def test_what_was_written_holds_what_was_expected(contract: Contract) -> None:
    asked = request(contract)
    expected = TARGET.expected(asked)
    assert TARGET.found(asked, files(contract)) == expected
    assert Entry("paper-desk", "handler", "file-paper.v2") in expected
    assert Entry("paper-desk", "handler", "find_nearby") not in expected
    assert Entry("paper-desk", "tool", "find_nearby") in expected


def test_a_lost_or_added_method_is_seen(contract: Contract) -> None:
    asked, made = request(contract), files(contract)
    path = "bindings/shop/stubs.py"
    made[path] = made[path].replace(b"async def get_price", b"async def get_prize")
    found, expected = TARGET.found(asked, made), TARGET.expected(asked)
    assert expected - found == {Entry("shop", "handler", "get_price")}
    assert found - expected == {Entry("shop", "handler", "get_prize (no tool)")}


def test_a_lost_or_added_tool_of_the_surface_is_seen(contract: Contract) -> None:
    asked, made = request(contract), files(contract)
    path = "bindings/shop/surface.json"
    surface = json.loads(made[path])
    surface["tools"][0]["name"] = "get_prize"
    made[path] = json.dumps(surface).encode()
    found, expected = TARGET.found(asked, made), TARGET.expected(asked)
    assert expected - found == {Entry("shop", "tool", "get_price")}
    assert found - expected == {Entry("shop", "tool", "get_prize")}


@pytest.mark.parametrize("content", [b"", b"def (", b"\x00", b"\xff\xfe", b"{", b"[]"])
def test_files_that_cannot_be_read_hold_nothing(contract: Contract, content: bytes) -> None:
    asked = request(contract)
    unreadable = dict.fromkeys(files(contract), content)
    assert TARGET.found(asked, unreadable) == set()
