"""The other commands, and how the server is started."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest
from trace_room import SELLER, TraceRoom

from haia_trace_mcp import __version__
from haia_trace_mcp.cli import main
from haia_trace_mcp.cli.main import make_parser
from haia_trace_mcp.cli.serve import start_service
from haia_trace_mcp.cli.terminal import PlainFormatter, plain

ROOT = Path(__file__).parents[4]
FOLDER = ROOT / "servers/haia_trace"


@pytest.fixture
def room(tmp_path: Path) -> TraceRoom:
    return TraceRoom(tmp_path / ".trace")


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"haia-trace-mcp {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--nope"],
        ["nope"],
        ["review"],
        ["review", "approve"],
        ["review", "list", "--status", "open"],
        ["review", "watch", "--interval", "0"],
        ["review", "watch", "--interval", "nan"],
        ["--di", "."],
        ["--log-level", "loud"],
    ],
)
def test_wrong_words_are_told_with_the_usage(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("usage: haia-trace-mcp")
    assert "\n  hint: see `haia-trace-mcp" in told.err


def test_the_folder_may_be_named_before_the_command_or_behind_it(room: TraceRoom) -> None:
    parser = make_parser()
    before = parser.parse_args(["--dir", "a", "review", "list"])
    behind = parser.parse_args(["review", "list", "--dir", "a"])
    assert before.dir == behind.dir == Path("a")
    assert parser.parse_args(["review", "list"]).dir == Path(".trace")


def test_what_a_server_needs_and_is_not_there_is_named(
    room: TraceRoom, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "nothing"
    root = ["--dir", str(room.path)]
    file = tmp_path / "file"
    file.write_text("{}")
    faulty = tmp_path / "policy.json"
    faulty.write_text('{"reviewAbove": 1, "maxopen": 0}')
    for words, told in (
        (["--dir", str(missing)], "is not there. --dir names a folder"),
        (["--dir", str(file)], "(--dir)"),
        ([*root, "--templates-dir", str(missing)], "is not there. --templates-dir names"),
        ([*root, "--guard-config", str(missing)], "is not there"),
        ([*root, "--guard-config", str(faulty)], "#/reviewAbove"),
        ([*root, "--guard-config", str(faulty)], "#/maxopen"),
    ):
        assert main(words) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert told in said.err
        assert "Traceback" not in said.err


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links")
def test_a_link_to_the_root_is_followed_once_and_links_inside_are_not(
    room: TraceRoom, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room.pay("op")
    link = tmp_path / "link"
    link.symlink_to(room.path)
    assert main(["index", "--dir", str(link)]) == 0
    (room.path / "events/2.ndjson").symlink_to(room.path / "events/1.ndjson")
    capsys.readouterr()
    assert main(["index", "--dir", str(link), "--json"]) == 1
    one, two = json.loads(capsys.readouterr().out)
    assert (one["run_id"], one["operations"], one["problem"]) == ("1", 1, None)
    assert "symbolic link" in two["problem"]


def test_a_root_without_a_folder_of_runs_is_pointed_at(
    room: TraceRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = room.path.parent / "project"
    wrong.mkdir()
    start_service(make_parser().parse_args(["--dir", str(wrong)]))
    assert f"{wrong} has no folder events" in capsys.readouterr().err
    room.pay("op", settled=True)
    start_service(make_parser().parse_args(["--dir", str(room.path)]))
    assert capsys.readouterr().err == ""


def test_an_index_is_built_and_runs_are_listed(
    room: TraceRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    room.pay("op")
    (room.path / "events/broken\x1b[1m.ndjson").write_bytes(b"nonsense\n")
    assert main(["index", "--dir", str(room.path)]) == 1
    out = capsys.readouterr().out
    assert [line.split()[:3] for line in out.splitlines()[:2]] == [
        ["RUN", "EVENTS", "OPERATIONS"],
        ["1", "2", "1"],
    ]
    assert "line 1: malformed event" in out
    assert "\x1b" not in out
    assert (room.path / "guard/index.sqlite").exists()
    os.link(room.path / "events/1.ndjson", room.path / "other")
    main(["index", "--dir", str(room.path)])
    assert "its file has 2 names (hard links)" in capsys.readouterr().out


def test_the_policy_in_force_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("the default policy\n  allowlist: empty\n")
    assert "  perCounterpartyLimit: amount 5; windowHours 24\n" in out
    assert "  reservationSeconds: off\n" in out
    file = tmp_path / "haia-guard.config.json"
    file.write_text(
        json.dumps(
            {
                "denylist": [SELLER, "Evil.Example."],
                "reviewAbove": "0.50",
                "windowLimit": {"amount": "20.0", "windowHours": 2},
                "reservationSeconds": 60,
            }
        )
    )
    assert main(["policy", "--guard-config", str(file), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["denylist"] == [SELLER.lower(), "evil.example"]
    assert shown["reviewAbove"] == "0.5"
    assert shown["windowLimit"] == {"amount": "20", "windowHours": 2}
    file.write_text('{"reviewAbove": "x\\u001b[1m", "nope": 1}')
    assert main(["policy", "--guard-config", str(file)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "#/reviewAbove" in told.err
    assert "#/nope" in told.err
    assert "\x1b" not in told.err


def test_the_log_has_no_control_characters() -> None:
    hostile = "\x1b[1m\r\n\x9bb"
    record = logging.LogRecord("x", logging.WARNING, "", 1, "a %s", (hostile,), None)
    text = PlainFormatter("%(message)s").format(record)
    assert text == "a \\u001b[1m\\u000d\n\\u009bb"


def test_plain_text_is_cut_and_keeps_what_prints() -> None:
    assert plain("Đ 🌍 “quoted” \\", None) == "Đ 🌍 “quoted” \\"
    assert plain("a\tb\nc\u2028\U000e0001") == "a\\u0009b\\u000ac\\u2028\\U000e0001"
    assert plain("abcdef", 4) == "abc…"
