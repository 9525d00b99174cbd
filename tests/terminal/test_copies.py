"""The distributions share no code, and still speak alike."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ROOT / "tools/src/counterfoil"


@pytest.mark.parametrize("name", ["console.py", "manual.py"])
def test_every_copy_is_that_of_the_toolchain(name: str) -> None:
    copies = sorted(ROOT.glob(f"servers/*/src/*/{name}"))
    assert len(copies) == 4, copies
    for copy in copies:
        assert copy.read_bytes() == (OURS / name).read_bytes(), (
            f"cp {(OURS / name).relative_to(ROOT)} {copy.relative_to(ROOT)}"
        )
