"""What generated outputs hold, read back without the code that writes them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from parity_bench import ROOT, Bench, only

from counterfoil.cli import main

OUTPUTS = {
    "allowlist": "bindings",
    "assistant": "assistant/{server}",
    "openapi": "openapi/{server}.json",
    "reference": "reference/{package}.md",
    "snapshot": "snapshots/{server}/{server}.json",
    "stubs": "bindings",
}
# Of servers that are taken out, the files in which something of them is left.
LEFT = {
    "allowlist": {"bindings/ga4/allowlist.py"},
    "assistant": {"assistant/fairwins/anthropic.json"},
    "openapi": {"openapi/fairwins.json"},
    "reference": {"reference/fairwins.md", "reference/ga4.md"},
    "snapshot": {"snapshots/fairwins/fairwins.json"},
    "stubs": {"bindings/ga4/stubs.py", "bindings/ga4/surface.json"},
}

# The contract has sentences that only some outputs take to where they are used.
CONFIG = """
[tool.counterfoil]
contract = "contract.json"
severity = { CF341 = "off" }

"""

Make = Callable[..., Bench]


@pytest.fixture
def make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Make:
    """Return a function that makes a project with outputs, each (target, path, server ids)."""

    def made(*outputs: tuple[str, str, list[str]], servers: list[str]) -> Bench:
        shutil.copyfile(ROOT / "contract/contract.json", tmp_path / "contract.json")
        tables = [
            f"[[tool.counterfoil.output]]\ntarget = {json.dumps(target)}\n"
            f"path = {json.dumps(path)}\nservers = {json.dumps(names)}\n"
            for target, path, names in outputs
        ]
        text = CONFIG + "".join(tables)
        (tmp_path / "pyproject.toml").write_text(text.replace("servers = []\n", ""), "utf-8")
        bench = Bench(tmp_path, lambda: capsys.readouterr().out)
        bench.edit("contract.json", only(*servers))
        assert main(["generate", "--project", str(tmp_path)]) == 0
        assert bench.run("parity", "--offline") == (0, [])
        return bench

    return made


@pytest.mark.parametrize("target", OUTPUTS)
def test_what_is_left_of_a_removed_server_is_named_with_its_file(make: Make, target: str) -> None:
    servers = ["fairwins", "ga4", "lemonsqueezy"]
    bench = make((target, OUTPUTS[target], []), servers=servers)
    bench.edit("contract.json", only("lemonsqueezy"))
    status, findings = bench.run("parity", "--offline")
    assert status == 1
    assert {each["code"] for each in findings} == {"CF311"}
    assert {each["path"] for each in findings} == LEFT[target]
    assert {each["message"].split(" of ")[1].split(",")[0] for each in findings} <= {
        "fairwins",
        "ga4",
    }


def test_what_a_server_has_too_much_is_named_with_its_own_file(make: Make) -> None:
    bench = make(("openapi", "openapi/{server}.json", []), servers=["fairwins"])
    bench.edit("contract.json", _without_a_route)
    _, findings = bench.run("parity", "--offline")
    assert [(each["code"], each["path"]) for each in findings] == [
        ("CF311", "openapi/fairwins.json")
    ]


def _without_a_route(contract: dict[str, Any]) -> None:
    server = contract["servers"]["fairwins"]
    used = {tool["exec"].get("route") for tool in server["tools"]}
    used |= {each["source"].get("route") for each in server["resources"]}
    spare = next(route for route in server["routes"] if route["id"] not in used)
    server["routes"].remove(spare)
    only("fairwins")(contract)


def test_a_model_that_is_missing_is_named_at_the_schema_of_its_tool(make: Make) -> None:
    bench = make(("models", "bindings", []), servers=["lemonsqueezy"])
    (bench.root / "bindings/lemonsqueezy/models/get_order_input.py").unlink()
    (bench.root / "bindings/lemonsqueezy/models/get_store_output.py").unlink()
    _, findings = bench.run("parity", "--offline")
    assert {each["code"] for each in findings} == {"CF310"}
    contract = json.loads((bench.root / "contract.json").read_text("utf-8"))
    tools = [tool["name"] for tool in contract["servers"]["lemonsqueezy"]["tools"]]
    assert {each["pointer"] for each in findings} == {
        f"/servers/lemonsqueezy/tools/{tools.index('get_order')}/inputSchema",
        f"/servers/lemonsqueezy/tools/{tools.index('get_store')}/outputSchema",
    }


def test_a_model_of_a_removed_tool_is_named_with_its_file(make: Make) -> None:
    bench = make(("models", "bindings", []), servers=["lemonsqueezy"])
    folder = bench.root / "bindings/lemonsqueezy/models"
    text = (folder / "get_order_input.py").read_text("utf-8")
    gone = text.replace("class GetOrderInput", "class GetParcelInput")
    (folder / "get_parcel_input.py").write_text(gone, "utf-8")
    _, findings = bench.run("parity", "--offline")
    assert [(each["code"], each["path"]) for each in findings] == [
        ("CF311", "bindings/lemonsqueezy/models/get_parcel_input.py")
    ]


def test_two_outputs_may_share_a_path_each_for_its_servers(make: Make) -> None:
    path = "reference/{server}.md"
    make(
        ("reference", path, ["ga4"]),
        ("reference", path, ["lemonsqueezy"]),
        servers=["ga4", "lemonsqueezy"],
    )
