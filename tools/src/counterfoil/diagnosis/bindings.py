"""What generated code imports, and whether the project asks for it and has it here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from counterfoil.config import FILE, Config
from counterfoil.contract.values import is_object, items
from counterfoil.diagnosis.diagnosis import OK, WARNING, Diagnosis
from counterfoil.diagnosis.environment import installed_version
from counterfoil.scaffold.setup import PACKAGES

_SUBJECT = "bindings"
_MODELS, _STUBS = "models", "stubs"


def examine_bindings(config: Config) -> Iterator[Diagnosis]:
    """Compare what generated packages import with what their ``pyproject.toml`` asks for.

    A package without a ``[project]`` is installed in a way that is not known here, and passed
    over; so is what is not installed for this interpreter, which need not be the servers' own.
    """
    needed: dict[Path, set[str]] = {}
    for output in config.outputs:
        file = _owner(config.root, output.path)
        if output.target in (_MODELS, _STUBS) and file is not None:
            packages = PACKAGES["mcp" if output.target == _STUBS else "snapshot"]
            needed.setdefault(file, set()).update(packages)
    for file, names in sorted(needed.items()):
        yield from _judge(file, file.relative_to(config.root).as_posix(), sorted(names))


def _owner(root: Path, output: str) -> Path | None:
    """Return the nearest pyproject.toml above an output that describes a distribution."""
    for folder in (root / output).parents:
        if _distribution(folder / FILE) is not None:
            return folder / FILE
        if folder == root:
            break
    return None


def _distribution(file: Path) -> dict[str, Any] | None:
    """Return the table ``[project]`` of a file; a file that is no TOML has none."""
    try:
        found: object = tomllib.loads(file.read_text("utf-8")).get("project")
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    return found if is_object(found) else None


def _judge(file: Path, shown: str, names: list[str]) -> Iterator[Diagnosis]:
    asked = _requirements(file)
    unasked = [name for name in names if name not in asked]
    if unasked:
        listed = ", ".join(unasked)
        what = f"generated code imports {listed}, and {shown} does not ask for it"
        yield Diagnosis(_SUBJECT, WARNING, what, f"add to its dependencies: {listed}")
    told: list[str] = []
    for name in asked.keys() & set(names):
        installed, specifier = installed_version(name), asked[name].specifier
        if installed is None or specifier.contains(installed, prereleases=True):
            told.append(f"{name} {installed or 'is not installed here'}")
            continue
        what = f"{name} {installed} is installed here, and {shown} asks for {specifier}"
        hint = f"ask for versions with {installed} among them, or install what is asked for"
        yield Diagnosis(_SUBJECT, WARNING, what, hint)
    if told:
        what = f"{shown} asks for what generated code imports"
        yield Diagnosis(_SUBJECT, OK, f"{what}: {', '.join(sorted(told))}")


def _requirements(file: Path) -> dict[str, Requirement]:
    made: dict[str, Requirement] = {}
    for text in items((_distribution(file) or {}).get("dependencies")):
        try:
            requirement = Requirement(str(text))
        except InvalidRequirement:
            continue  # whoever builds the package is told
        made[canonicalize_name(requirement.name)] = requirement
    return made
