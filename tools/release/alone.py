"""Install each distribution by itself from its wheel, and use it.

Usage: ``python tools/release/alone.py MEMBER...``

A fresh environment for each: the wheel and what it declares, nothing of the workspace. Its
package is imported, and every command that it brings answers ``--help``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, cast

from wheels import import_name

_CONSTRAINTS = "requirements/run.txt"


def main(members: list[str]) -> int:
    """Try every member; return 0 when all work alone."""
    with tempfile.TemporaryDirectory(prefix="counterfoil-alone-") as folder:
        wheels = {Path(member): build(Path(member), Path(folder) / "dist") for member in members}
        constraints = Path(folder) / "constraints.txt"
        constraints.write_text(constrained(wheels), "utf-8")
        for member, wheel in wheels.items():
            try_alone(member, wheel, constraints, Path(folder) / member.name)
    return 0


def build(member: Path, folder: Path) -> Path:
    """Build a member's wheel and return where it is."""
    before = set(folder.glob("*.whl"))
    run("uv", "build", "--quiet", "--wheel", "--out-dir", str(folder), str(member))
    (wheel,) = set(folder.glob("*.whl")) - before
    return wheel


def constrained(wheels: dict[Path, Path]) -> str:
    """Return what may be installed: the lock's pins, and for our own names our own wheels."""
    own = [
        f"{project(member)['name']} @ {wheel.resolve().as_uri()}\n"
        for member, wheel in wheels.items()
    ]
    return pinned(Path(_CONSTRAINTS).read_text("utf-8")) + "".join(own)


def project(member: Path) -> dict[str, Any]:
    """Return the project table of a member."""
    table: dict[str, Any] = tomllib.loads((member / "pyproject.toml").read_text("utf-8"))
    return cast("dict[str, Any]", table["project"])


def try_alone(member: Path, wheel: Path, constraints: Path, folder: Path) -> None:
    """Install a member's wheel into a new environment and use it."""
    environment = folder / "environment"
    run("uv", "venv", "--quiet", "--python", sys.executable, str(environment))
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(
        "uv", "pip", "install", "--quiet", "--python", str(python),
        "--constraints", str(constraints), str(wheel),
    )  # fmt: skip
    package = import_name(member)
    place = str(folder)
    shown = run(str(python), "-I", "-c", f"import {package}; print({package}.__file__)", cwd=place)
    if str(environment) not in shown:
        raise SystemExit(f"{member}: imported from elsewhere: {shown}")
    for command in project(member).get("scripts", {}):
        told = run(str(python.parent / command), "--help", cwd=place)
        if "usage" not in told.lower():
            raise SystemExit(f"{member}: `{command} --help` shows no usage")
    print(f"{wheel.name}: works alone")


def pinned(lock: str) -> str:
    """Return the pins of a hashed lock without the hashes."""
    lines = (line.split(" \\")[0] for line in lock.splitlines())
    return "\n".join(line for line in lines if "==" in line and not line.startswith(" ")) + "\n"


def run(*command: str, cwd: str | None = None) -> str:
    """Run a command and return what it printed; end with its output when it fails."""
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
