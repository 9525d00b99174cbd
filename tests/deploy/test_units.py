"""The units of the guide, as systemd and the servers read them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from proxies import GUIDE, HOSTS, PORTS

SCRIPTS = Path(sys.executable).parent
UNITS = {path.name: path for path in sorted((GUIDE / "systemd").iterdir())}
EXPOSURE = 15  # tenths, of 100; what is left is that they talk to the network
VARIABLE = "COUNTERFOIL_SYSTEMD_ANALYZE"


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    """Ask systemd; where it is not there, skip, unless a variable asks for it."""
    program = os.environ.get(VARIABLE, "systemd-analyze")
    if shutil.which(program) is None:
        if VARIABLE in os.environ:
            pytest.fail(f"{VARIABLE} names {program}, which is not there")
        pytest.skip(f"there is no systemd-analyze on the path, and {VARIABLE} names none")
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("name", UNITS)
def test_systemd_takes_the_unit_and_finds_it_closed(name: str, tmp_path: Path) -> None:
    unit = tmp_path / name
    text = UNITS[name].read_text("utf-8")
    assert "/opt/mcp/bin/" in text
    scripts = str(SCRIPTS).replace(" ", r"\x20")  # as systemd writes a space in a path
    unit.write_text(text.replace("/opt/mcp/bin/", f"{scripts}/"), "utf-8")
    verified = analyze("verify", "--man=no", str(unit))
    assert (verified.returncode, verified.stderr) == (0, "")
    threshold = f"--threshold={EXPOSURE}"
    judged = analyze("security", "--offline=true", threshold, "--no-pager", str(unit))
    assert judged.returncode == 0, judged.stdout


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_starts_its_server_with_words_and_variables_that_it_knows(name: str) -> None:
    text = UNITS[name].read_text("utf-8").replace("\\\n", "")
    [line] = re.findall(r"^ExecStart=/opt/mcp/bin/(.*)$", text, re.MULTILINE)
    program, *words = line.split()
    assert name == f"{program}@.service"
    commands = [[]] if "serve" not in words else [[], ["serve"]]
    told = "".join(_help(program, *command) for command in commands)
    options = [word for word in words if word.startswith("--")]
    assert options
    assert [option for option in options if option not in told] == []
    named = re.findall(r"^Environment=(\w+)=", text, re.MULTILINE)
    assert [variable for variable in named if variable not in told] == []


def _help(program: str, *words: str) -> str:
    """Return what a command says of itself."""
    return subprocess.run(
        [str(SCRIPTS / program), *words, "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout


def test_units_proxies_and_ports_go_together() -> None:
    for server, ports in PORTS.items():
        [text] = [
            each
            for each in (path.read_text("utf-8") for path in UNITS.values())
            if HOSTS[server] in each
        ]
        assert f"@{ports[0]}" in text
