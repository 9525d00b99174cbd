"""The same contract gives the same bytes, whatever the machine is like."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import hashlib, sys
from pathlib import Path
from counterfoil.cache import Cache
from counterfoil.config import Config, Output
from counterfoil.contract.reading import read_contract
from counterfoil.plan import plan, steps

contract = read_contract(Path(sys.argv[1]), "contract/contract.json").contract
names = ("allowlist", "openapi", "assistant", "reference", "page", "registry")
outputs = tuple(Output(name, name + "/{server}") for name in names)
outputs = (Output("allowlist", "allowlist"), *outputs[1:])
whole = hashlib.sha256()
made = plan(steps(contract, Config(Path(), outputs=outputs), Cache(None), {}))
for path, planned in made.items():
    whole.update(path.encode() + b"\\0" + planned.content)
print(whole.hexdigest())
"""


@pytest.mark.parametrize("contract", ["tests/targets/data/harbour.json", "contract/contract.json"])
def test_hash_seed_locale_and_time_zone_change_nothing(contract: str, tmp_path: Path) -> None:
    found: set[str] = set()
    for changes in (
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "4242", "TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
    ):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(Path(__file__).parents[2] / contract)],
            cwd=tmp_path,
            env={**os.environ, **changes},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout.strip())
    assert len(found) == 1
    assert len(found.pop()) == 64
