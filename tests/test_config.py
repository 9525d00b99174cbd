"""[tool.counterfoil] of pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.breaking.changes import KLASSES
from counterfoil.config import CLASSES, Breaking, Weight, find_project, read_config
from counterfoil.errors import ConfigError


def write(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text, "utf-8")
    return folder


def test_a_whole_configuration_is_read(tmp_path: Path) -> None:
    text = """
    [tool.counterfoil]
    contract = "c.json"
    cases = "cases"
    [tool.counterfoil.severity]
    CF105 = "warning"
    [[tool.counterfoil.output]]
    target = "snapshot"
    path = "out/{server}.json"
    servers = ["a"]
    [[tool.counterfoil.server]]
    id = "a"
    command = ["python", "-m", "a"]
    timeout = 3
    [[tool.counterfoil.wording]]
    name = "unknown"
    paths = ["README.md"]
    [tool.counterfoil.breaking]
    against = "v1.0.0"
    accepted = "accepted.json"
    fail-on = ["breaking"]
    [[tool.counterfoil.breaking.severity]]
    codes = ["CF401"]
    at = "a/tool/*"
    severity = "note"
    """
    config = read_config(write(tmp_path, text))
    assert (config.contract, config.cases) == ("c.json", "cases")
    assert config.outputs[0].servers == ("a",)
    assert config.live[0].timeout == 3
    assert config.wording[0].paths == ("README.md",)
    assert config.severity == {"CF105": "warning"}
    weights = (Weight("note", ("CF401",), "a/tool/*"),)
    assert config.breaking == Breaking("v1.0.0", "accepted.json", ("breaking",), weights)


def test_classes_of_change_are_those_that_a_comparison_gives() -> None:
    assert CLASSES == KLASSES


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ('contrct = "c.json"', "contrct", "did you mean 'contract'"),
        ('contract = "../c.json"', "contract", "no .."),
        ('contract = "/c.json"', "contract", "relative path"),
        ("contract = 3", "contract", ""),
        ("output = 3", "output", "[[tool.counterfoil.output]]"),
        ('[[tool.counterfoil.output]]\npath = "x"', "target", ""),
        ('[[tool.counterfoil.output]]\ntarget = "models"\npath = "."', "path", "in it"),
        ('[[tool.counterfoil.output]]\ntarget = "models"\npath = "{servr}"', "path", ""),
        ('[[tool.counterfoil.wording]]\nname = "a"\npaths = ["../x"]', "paths", "no .."),
        ('[[tool.counterfoil.wording]]\nname = "a"\npaths = ["/etc/x"]', "paths", "relative"),
        ('[[tool.counterfoil.server]]\nid = "a"', "command", ""),
        ('[[tool.counterfoil.server]]\nid = "a"\nurl = "u"\ncommand = ["c"]', "command", ""),
        ('[[tool.counterfoil.server]]\nid = "a"\nurl = "u"\ntimeout = true', "timeout", ""),
        ('[tool.counterfoil.severity]\nCF999 = "off"', "severity", "counterfoil rules"),
        ('[tool.counterfoil.severity]\nCF105 = "loud"', "severity", "note or off"),
        ('breaking = "v1"', "tool.counterfoil.breaking", ""),
        ('[tool.counterfoil.breaking]\nfail-on = ["all"]', "fail-on", "classes: breaking, "),
        ('[tool.counterfoil.breaking]\naccepted = "../x"', "accepted", "no .."),
        ('[[tool.counterfoil.breaking.severity]]\nseverity = "x"', "severity", "note or off"),
        (
            '[[tool.counterfoil.breaking.severity]]\nseverity = "off"\ncodes = ["CF4"]',
            "codes",
            "counterfoil rules",
        ),
    ],
)
def test_a_fault_is_named_with_its_place_and_mend(
    tmp_path: Path, text: str, place: str, hint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(write(tmp_path, f"[tool.counterfoil]\n{text}\n"))
    assert place in caught.value.place
    assert hint in caught.value.hint


@pytest.mark.parametrize("text", ["tool = 3", 'tool = "counterfoil"', "tool = []"])
def test_a_tool_that_is_no_table_is_an_error(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    for read in (read_config, find_project):
        with pytest.raises(ConfigError, match="must be a table"):
            read(tmp_path)


def test_a_folder_in_place_of_the_configuration_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config(tmp_path)


def test_text_that_is_not_toml_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not TOML"):
        read_config(write(tmp_path, "[tool"))


def test_a_project_is_found_upwards(tmp_path: Path) -> None:
    write(tmp_path, "[tool.counterfoil]\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "other"\n')
    assert find_project(inner) == tmp_path


def test_no_project_is_an_error_with_a_mend(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        find_project(tmp_path)
    assert "counterfoil init" in caught.value.hint
