"""The allowlist of a wrapper."""

from __future__ import annotations

import dataclasses
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest

from counterfoil.contract.grammar import grammar
from counterfoil.contract.model import Contract
from counterfoil.render import read_stamp
from counterfoil.targets.allowlist import TARGET
from counterfoil.targets.target import Entry

OUTPUT = ("allowlist", "bindings")
LIST = "bindings/gull/allowlist.py"
ENTRY = "bindings/allow_entry.py"


def write(files: dict[str, bytes], root: Path) -> None:
    """Write a plan, and the package modules that another target makes."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    for folder in ("bindings", "bindings/gull"):
        (root / folder / "__init__.py").write_text("", "utf-8")


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Any]:
    """Give a function that imports the modules of a plan as a package of their own."""

    def loaded(files: dict[str, bytes]) -> tuple[ModuleType, ModuleType]:
        write(files, tmp_path)
        for name, path in (
            ("bindings", "bindings/__init__.py"),
            ("bindings.allow_entry", ENTRY),
            ("bindings.gull", "bindings/gull/__init__.py"),
            ("bindings.gull.allowlist", LIST),
        ):
            spec = importlib.util.spec_from_file_location(name, tmp_path / path)
            assert spec is not None
            assert spec.loader is not None
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        return sys.modules["bindings.allow_entry"], sys.modules["bindings.gull.allowlist"]

    yield loaded
    for name in [name for name in sys.modules if name.split(".")[0] == "bindings"]:
        del sys.modules[name]


def sent(contract: Contract) -> list[tuple[str, str, str]]:
    parts = contract.server("gull").parts("outbound")
    return [(each.data["origin"], each.data["method"], each.data["pathPattern"]) for each in parts]


@pytest.mark.parametrize("name", ["harbour", "hostile"])
def test_the_list_holds_the_contracts_entries_in_its_order(
    name: str, request: pytest.FixtureRequest, make: Any, load: Any
) -> None:
    contract: Contract = request.getfixturevalue(name)
    _, module = load(make(contract, OUTPUT))
    found = [(each.origin, each.method, each.path_pattern) for each in module.ALLOWLIST]
    assert found == sent(contract)
    assert len(found) == 3


def test_an_entry_cannot_be_changed_or_extended(harbour: Contract, make: Any, load: Any) -> None:
    _, module = load(make(harbour, OUTPUT))
    first = module.ALLOWLIST[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.method = "POST"
    assert not hasattr(first, "__dict__")
    assert isinstance(module.ALLOWLIST, tuple)


def test_an_entry_has_the_methods_of_the_grammar(harbour: Contract, make: Any, load: Any) -> None:
    module, _ = load(make(harbour, OUTPUT))
    allowed = get_args(get_type_hints(module.AllowEntry)["method"])
    assert list(allowed) == grammar()["$defs"]["outbound"]["properties"]["method"]["enum"]


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_the_modules_pass_strict_type_checks(
    checker: str, hostile: Contract, make: Any, tmp_path: Path
) -> None:
    write(make(hostile, OUTPUT), tmp_path)
    options = (
        ["--strict", "--no-incremental"] if checker == "mypy" else ["--pythonpath", sys.executable]
    )
    if checker == "pyright":
        config = '{"typeCheckingMode": "strict", "include": ["bindings"]}'
        (tmp_path / "pyrightconfig.json").write_text(config, "utf-8")
    command = [sys.executable, "-m", checker, *options]
    command += ["bindings"] if checker == "mypy" else ["-p", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrapper_that_sends_nothing_has_an_empty_list(
    data: Any, make_contract: Any, make: Any, load: Any
) -> None:
    data["servers"]["gull"]["outbound"] = []
    _, module = load(make(make_contract(data), OUTPUT))
    assert module.ALLOWLIST == ()


def test_other_servers_have_no_list(data: Any, make_contract: Any, make: Any) -> None:
    assert set(make(make_contract(data), OUTPUT)) == {ENTRY, LIST}
    del data["servers"]["gull"]
    assert make(make_contract(data), OUTPUT) == {}


def test_the_files_hold_what_the_contract_asks(
    harbour: Contract, make_steps: Any, make: Any
) -> None:
    (step,) = make_steps(harbour, OUTPUT)
    files = make(harbour, OUTPUT)
    assert TARGET.found(step.request, files) == TARGET.expected(step.request)
    assert Entry("gull", "outbound", "POST https://auth.example:8443/token") in TARGET.expected(
        step.request
    )


def test_an_entry_that_was_taken_out_is_missed(
    harbour: Contract, make_steps: Any, make: Any
) -> None:
    (step,) = make_steps(harbour, OUTPUT)
    files = make(harbour, OUTPUT)
    files[LIST] = files[LIST].replace(b"'/token'", b"'/*'")
    expected, found = TARGET.expected(step.request), TARGET.found(step.request, files)
    assert expected - found == {Entry("gull", "outbound", "POST https://auth.example:8443/token")}
    assert found - expected == {Entry("gull", "outbound", "POST https://auth.example:8443/*")}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"def (",
        b"\x00",
        b"ALLOWLIST = 3",
        b"ALLOWLIST: int = 3",
        b"ALLOWLIST: object = (AllowEntry('a', 'GET', '/'), 7, AllowEntry(origin=x()))",
    ],
)
def test_a_file_that_says_nothing_readable_holds_nothing(
    content: bytes, harbour: Contract, make_steps: Any
) -> None:
    (step,) = make_steps(harbour, OUTPUT)
    assert TARGET.found(step.request, {LIST: content}) == set()


def test_a_description_changes_no_file_and_a_path_only_its_own(
    data: Any, make_contract: Any, make: Any
) -> None:
    before = make(make_contract(data), OUTPUT)
    data["servers"]["gull"]["outbound"][0]["description"] = "Other words."
    assert make(make_contract(data), OUTPUT) == before
    data["servers"]["gull"]["outbound"][0]["pathPattern"] = "/v2/*"
    after = make(make_contract(data), OUTPUT)
    assert after[ENTRY] == before[ENTRY]
    stamps = [read_stamp(files[LIST]) for files in (before, after)]
    assert all(stamp is not None and stamp.intact for stamp in stamps)
    assert len({stamp.digest for stamp in stamps if stamp}) == 2
