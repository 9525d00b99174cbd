"""What directories are told of the servers here, against the servers and their packages."""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CONTRACT = json.loads((ROOT / "contract/contract.json").read_text("utf-8"))
TOLD: dict[str, Any] = {
    server: data["distribution"] for server, data in CONTRACT["servers"].items()
}
FOLDERS = {server: ROOT / "servers" / server.replace("-", "_") for server in TOLD}


@pytest.mark.parametrize("server", TOLD)
def test_the_package_is_the_one_that_is_built(server: str) -> None:
    package = TOLD[server]["package"]
    project = tomllib.loads((FOLDERS[server] / "pyproject.toml").read_text("utf-8"))["project"]
    assert package["identifier"] == project["name"]
    assert package["version"] == version(project["name"])
    assert package["identifier"] in project["scripts"]
    assert package["identifier"] in entry_points(group="console_scripts").names
    assert TOLD[server]["license"] == project["license"]
    bundle = TOLD[server].get("bundle")
    assert bundle is None or bundle["runtime"] == project["requires-python"]


@pytest.mark.parametrize("server", TOLD)
def test_the_readme_says_whose_name_in_the_registry_it_is(server: str) -> None:
    readme = (FOLDERS[server] / "README.md").read_text("utf-8")
    # The registry looks for these words in the description of the package.
    assert f"<!-- mcp-name: {TOLD[server]['name']} -->\n" in readme


@pytest.mark.parametrize("server", TOLD)
def test_every_variable_is_one_that_the_server_tells_of(server: str) -> None:
    readme = (FOLDERS[server] / "README.md").read_text("utf-8")
    for variable in TOLD[server].get("environment", ()):
        assert f"`{variable['name']}`" in readme
        if "file" in variable:
            assert variable["file"] in readme or "with `_FILE` behind it" in readme


def test_only_what_needs_nothing_else_is_bundled() -> None:
    bundled = [server for server, told in TOLD.items() if "bundle" in told]
    assert bundled == ["fairwins"]
    project = tomllib.loads((FOLDERS["fairwins"] / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["dependencies"] == []
