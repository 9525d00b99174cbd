"""Look into built wheels: each holds its own package and nothing else.

Usage: ``python tools/release/wheels.py DIST MEMBER...``
"""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Judge the wheels of a folder; return 0 when all are as they should be."""
    folder, members = Path(arguments[0]), arguments[1:]
    faults: list[str] = []
    for member in members:
        package = import_name(Path(member))
        wheels = sorted(folder.glob(f"{wheel_name(Path(member))}-*.whl"))
        if len(wheels) != 1:
            faults.append(f"{member}: {len(wheels)} wheels in {folder}, and there should be one")
        for wheel in wheels:
            faults += [f"{wheel.name}: {fault}" for fault in judge(wheel, package)]
            print(f"{wheel.name}: only {package}" if not faults else wheel.name)
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


def import_name(member: Path) -> str:
    """Return the one package below a member's ``src``."""
    (package,) = (
        path.name for path in (member / "src").iterdir() if (path / "__init__.py").exists()
    )
    return package


def wheel_name(member: Path) -> str:
    """Return the distribution's name as a wheel's file name begins with it."""
    project = tomllib.loads((member / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["name"]).replace("-", "_")


def judge(wheel: Path, package: str) -> list[str]:
    """Return what is wrong with the contents of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    stem = "-".join(wheel.name.split("-")[:2])
    allowed = (f"{package}/", f"{stem}.dist-info/")
    faults = [f"holds {name}" for name in names if not name.startswith(allowed)]
    faults += [f"holds {name}" for name in names if name.endswith((".pyc", ".tmp"))]
    if f"{package}/py.typed" not in names:
        faults.append("has no py.typed")
    if not any(name.endswith("LICENSE") for name in names):
        faults.append("has no LICENSE")
    return faults


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
