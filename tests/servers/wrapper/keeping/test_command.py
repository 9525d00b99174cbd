"""The command ``mcp-wrapper`` as people type it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from wheel_bench import Files, honest_files, wheel

from mcp_wrapper_scaffold.cli import main

COMMANDS = ["lint", "scan", "allowlist", "rules"]
ENTRIES = """
from mcp_wrapper_scaffold import AllowEntry

LIST = [
    AllowEntry("https://api.example.com", "GET", "/v1/*"),
    AllowEntry("https://api.example.com", "POST", "/v1/a.b(c)"),
    AllowEntry("https://api.example.com:8443", "HEAD", "/"),
    AllowEntry("http://10.0.0.1:8080", "GET", "/a/*/b"),
    AllowEntry("http://[::1]", "GET", "/x"),
]
WORD = "x"
BAD = [object()]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "notes_mcp"
    package.mkdir()
    (package / "__init__.py").write_text("import socket\n", "utf-8")
    return tmp_path


def test_help_shows_every_command_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in COMMANDS:
        assert f"mcp-wrapper {command} " in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"examples:\n  mcp-wrapper {command} " in capsys.readouterr().out


def test_lint_prints_place_code_sentence_and_hint(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "notes_mcp"]) == 1
    first, hint, count = capsys.readouterr().out.splitlines()
    assert first == "notes_mcp/__init__.py:1:1: MW101 socket opens connections"
    assert hint.startswith("  hint: Send requests with ctx.fetch")
    assert count == "1 finding"


def test_lint_prints_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--format", "json", "notes_mcp"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["path"], found["line"], found["code"]) == ("notes_mcp/__init__.py", 1, "MW101")


def test_lint_prints_annotations_for_github(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "--format", "github", "notes_mcp"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith(
        "::error file=notes_mcp/__init__.py,title=MW101,line=1,col=1::socket opens connections%0A"
    )


def test_lint_without_a_path_reads_the_packages_of_the_settings(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pyproject.toml").write_text('[tool.mcp-wrapper]\npackages = ["notes_mcp"]\n')
    assert main(["lint"]) == 1
    assert "notes_mcp/__init__.py:1:1" in capsys.readouterr().out


def test_lint_of_honest_code_prints_nothing_to_standard_output(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "notes_mcp/__init__.py").write_text("import json\n", "utf-8")
    assert main(["lint", "notes_mcp"]) == 0
    assert capsys.readouterr() == ("", "nothing found in notes_mcp\n")


def test_scan_reads_several_archives(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad: Files = {**honest_files(), "notes_mcp/more.py": b"import ssl\n"}
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    one, other = wheel(folder / "a", honest_files()), wheel(folder / "b", bad)
    assert main(["scan", str(one), str(other)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith(f"{other}!notes_mcp/more.py:1:1: MW101 ssl opens connections\n")
    assert shown.endswith("1 finding\n")


CANNOT = {
    "no path and no settings": (["lint"], "no PATH is given"),
    "nothing at the path": (["lint", "nowhere"], "nowhere: there is nothing at this path"),
    "no source": (["lint", "."], "there is no Python file"),
    "no archive": (["scan", "nowhere.whl"], "nowhere.whl: there is no such file"),
    "another kind of file": (["scan", "entries.py"], "is neither"),
    "no settings in the file": (["lint", "--config", "pyproject.toml", "."], "there is no [tool"),
    "no place": (["allowlist", "entries"], "'entries' is not MODULE:ATTR"),
    "no module": (["allowlist", "nowhere:X"], "nowhere cannot be imported"),
    "no attribute": (["allowlist", "entries:NONE"], "entries:NONE: there is no NONE"),
    "no list": (["allowlist", "entries:WORD"], "entries:WORD is no list of entries"),
    "no entries": (["allowlist", "entries:BAD"], "allowlist entry 1"),
    "no rule": (["rules", "MW999"], "MW999 is no code"),
}


@pytest.mark.parametrize("name", CANNOT)
def test_what_cannot_be_done_is_said_without_a_traceback(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words, said = CANNOT[name]
    (folder / "notes_mcp/__init__.py").unlink()
    (folder / "notes_mcp").rmdir()
    if name != "no source":
        (folder / "entries.py").write_text(ENTRIES, "utf-8")
    (folder / "pyproject.toml").write_text("", "utf-8")
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("mcp-wrapper: ")
    assert said in shown.err
    sys.modules.pop("entries", None)


def allowlist(folder: Path, form: str) -> str:
    (folder / "entries.py").write_text(ENTRIES, "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mcp_wrapper_scaffold",
            "allowlist",
            "--format",
            form,
            "entries:LIST",
        ],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    return done.stdout


def test_an_allowlist_is_printed_as_the_contract_has_it(folder: Path) -> None:
    first, *_ = listed = json.loads(allowlist(folder, "json"))
    assert first == {"method": "GET", "origin": "https://api.example.com", "pathPattern": "/v1/*"}
    assert len(listed) == 5


def test_an_allowlist_is_printed_as_hosts(folder: Path) -> None:
    assert allowlist(folder, "hosts").splitlines() == [
        "10.0.0.1:8080",
        "[::1]:80",
        "api.example.com:443",
        "api.example.com:8443",
    ]


def test_an_allowlist_is_printed_for_squid(folder: Path) -> None:
    lines = allowlist(folder, "squid").splitlines()
    assert lines[1:] == [
        "acl connect method CONNECT",
        "acl tunnel_1 dstdomain api.example.com",
        "acl tunnel_1_port port 443",
        "http_access allow connect tunnel_1 tunnel_1_port",
        "acl tunnel_2 dstdomain api.example.com",
        "acl tunnel_2_port port 8443",
        "http_access allow connect tunnel_2 tunnel_2_port",
        "acl plain_1 dst 10.0.0.1",
        "acl plain_1_port port 8080",
        "acl plain_1_method method GET",
        r"acl plain_1_path urlpath_regex ^/a/[^/?]*/b(\?.*)?$",
        "http_access allow !connect plain_1 plain_1_port plain_1_method plain_1_path",
        "acl plain_2 dst ::1",
        "acl plain_2_port port 80",
        "acl plain_2_method method GET",
        r"acl plain_2_path urlpath_regex ^/x(\?.*)?$",
        "http_access allow !connect plain_2 plain_2_port plain_2_method plain_2_path",
        "http_access deny all",
    ]


def test_a_hostile_name_cannot_write_to_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = wheel(folder, {**honest_files(), "notes_mcp/a\x1b[2J\n::error::b.sh": b""})
    for form in ("text", "github"):
        main(["scan", "--format", form, str(path)])
        shown = capsys.readouterr().out
        assert "\x1b" not in shown
        assert not any(line.startswith("::error::b") for line in shown.splitlines())
