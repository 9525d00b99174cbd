"""The server as one file: the same as from its folder, with nothing else to import."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fairwins_mcp import __version__
from fairwins_mcp.surface import load_snapshot, read_packaged

SCRIPT = Path(__file__).parents[3] / "tools" / "release" / "zipapp.py"
REQUESTS: list[tuple[str, Any]] = [
    ("initialize", {"protocolVersion": "2025-11-25"}),
    ("tools/list", None),
    ("tools/call", {"name": "get_gateway_status"}),
    ("resources/read", {"uri": "fairwins://guide"}),
    ("prompts/get", {"name": "wager-review"}),
]
LINES = b"".join(
    json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}).encode()
    + b"\n"
    for number, (method, params) in enumerate(REQUESTS)
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(str(SCRIPT), str(folder))
    return folder / "fairwins-mcp.pyz"


def run(*words: str, lines: bytes = b"") -> bytes:
    done = subprocess.run(
        [sys.executable, *words], input=lines, capture_output=True, timeout=60, check=False, env={}
    )
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout


def test_it_answers_as_the_folder_does(archive: Path) -> None:
    start = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[3])!r} "
        "+ '/servers/fairwins/src'); from fairwins_mcp.cli import main; sys.exit(main())"
    )
    expected = run("-I", "-S", "-c", start, lines=LINES)
    assert run("-I", "-S", "-W", "error", str(archive), lines=LINES) == expected
    replies = [json.loads(line) for line in expected.splitlines()]
    assert sorted(reply["id"] for reply in replies) == list(range(len(REQUESTS)))
    (guide,) = [r for r in replies if "contents" in r["result"]]
    assert guide["result"]["contents"][0]["text"] == read_packaged("guide.md").decode()


def test_it_tells_its_version_and_options(archive: Path) -> None:
    told = run("-I", "-S", str(archive), "--version").decode()
    assert told == f"fairwins-mcp {__version__}\n"
    assert b"--http" in run("-I", "-S", str(archive), "--help")


def test_it_works_where_its_byte_code_does_not_fit(archive: Path, tmp_path: Path) -> None:
    """Leave the sources alone in a copy, as another version of Python would use them."""
    copy = tmp_path / "copy.pyz"
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(copy, "w") as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename.endswith(".pyc"):
                content = b"\x00\x00\x0d\x0a" + content[4:]
            target.writestr(info, content)
    reply = json.loads(run("-I", "-S", str(copy), lines=LINES).splitlines()[1])
    names = [tool["name"] for tool in reply["result"]["tools"]]
    assert names == [t["name"] for t in load_snapshot()["tools"] if "mcp" in t["surfaces"]]


def test_it_holds_the_package_alone_and_the_same_bytes_every_time(
    archive: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(archive) as content:
        others = [n for n in content.namelist() if not n.startswith("fairwins_mcp/")]
        assert others == ["LICENSE", "__main__.py"]
        assert {info.date_time for info in content.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    run(str(SCRIPT), str(tmp_path))
    assert (tmp_path / archive.name).read_bytes() == archive.read_bytes()
