"""The bundle for desktop clients: judged and unpacked by its packer, started as it says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from nodejs import SCRIPTS, find_package, run_node

from counterfoil.wire import REVISIONS, StdioTarget, read_surface

SCRIPT = Path(__file__).parents[3] / "tools" / "release" / "bundle.py"
GATEWAY = {"fairwins_api_url": "https://gateway.example.com"}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("dist"))


def build(folder: Path) -> Path:
    words = [sys.executable, str(SCRIPT), str(folder)]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    return folder / "fairwins-mcp.mcpb"


@pytest.fixture(scope="module")
def unpacked(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which the packer unpacks the bundle."""
    folder = tmp_path_factory.mktemp("extension")
    done = pack("unpack", bundle, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def pack(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return run_node(find_package("@anthropic-ai/mcpb") / "dist/cli/cli.js", *words)


def start(unpacked: Path, **filled: object) -> Any:
    """Return how a host starts the extension, as the packer's library works it out."""
    find_package("@anthropic-ai/mcpb")
    manifest = unpacked / "manifest.json"
    done = run_node(SCRIPTS / "bundle.mjs", manifest, unpacked, json.dumps(filled))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_packer_takes_the_manifest_and_packs_the_same_files(
    bundle: Path, unpacked: Path, tmp_path: Path
) -> None:
    done = pack("validate", unpacked / "manifest.json")
    assert done.returncode == 0, done.stdout + done.stderr
    theirs = tmp_path / "theirs.mcpb"
    done = pack("pack", unpacked, theirs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert contents(theirs) == contents(bundle)


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_same_sources_give_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    again = build(tmp_path)
    assert again.read_bytes() == bundle.read_bytes()
    with zipfile.ZipFile(again) as archive:
        names = archive.namelist()
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert names == sorted(names)
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


@pytest.mark.parametrize("revision", REVISIONS)
def test_it_starts_as_the_manifest_says_and_lists_its_tools(unpacked: Path, revision: str) -> None:
    config = start(unpacked, **GATEWAY)
    command = shutil.which(config["command"])
    assert command is not None
    target = StdioTarget((command, *config["args"]), env=config["env"])
    surface = read_surface(target, revision)
    manifest = json.loads((unpacked / "manifest.json").read_text("utf-8"))
    assert [tool["name"] for tool in surface.tools] == [tool["name"] for tool in manifest["tools"]]
    assert manifest["prompts_generated"] is bool(surface.prompts)


def test_what_nobody_filled_in_is_empty_or_the_default(unpacked: Path) -> None:
    assert start(unpacked)["env"] == {
        "FAIRWINS_API_URL": "https://relay.fairwins.app",
        "FAIRWINS_API_TOKEN": "",
        "FAIRWINS_TIMEOUT_MS": "15000",
    }
    filled = start(unpacked, fairwins_api_token="fw1.a.b", fairwins_timeout_ms=9, **GATEWAY)
    assert filled["env"] == {
        "FAIRWINS_API_URL": GATEWAY["fairwins_api_url"],
        "FAIRWINS_API_TOKEN": "fw1.a.b",
        "FAIRWINS_TIMEOUT_MS": "9",
    }
