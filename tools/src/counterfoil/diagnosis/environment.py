"""The interpreter, what is installed for it, and the user's cache."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from counterfoil import __version__
from counterfoil.cache import VARIABLE, user_folder
from counterfoil.diagnosis.diagnosis import FAILURE, OK, SKIPPED, WARNING, Diagnosis

_NAME = "counterfoil"
# What decides most about what is generated and judged, and so is named where all is well.
_NAMED = ("datamodel-code-generator", "jsonschema", "pydantic")
_INSTALL = f"{sys.executable} -m pip install"


def examine_versions() -> Iterator[Diagnosis]:
    """Compare the interpreter and the installed packages with what the toolchain asks for."""
    python = f"Python {platform.python_version()}, {sys.executable}"
    yield Diagnosis("python", OK, python)
    try:
        wanted = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:
        yield Diagnosis(
            "packages",
            WARNING,
            f"counterfoil {__version__} runs from its source, and does not say what it asks for",
            "install it: python -m pip install counterfoil",
        )
        return
    requirements = [each for each in map(Requirement, wanted) if _applies(each)]
    wrong = list(judge_packages(requirements))
    yield from wrong
    if not wrong:
        named = ", ".join(f"{name} {metadata.version(name)}" for name in _NAMED)
        what = f"counterfoil {__version__} has the {len(requirements)} packages that it asks for"
        yield Diagnosis("packages", OK, f"{what}: {named} among them")


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def judge_packages(requirements: Iterable[Requirement]) -> Iterator[Diagnosis]:
    """Yield a failure for each requirement that what is installed does not meet."""
    for each in requirements:
        hint = f'{_INSTALL} "{each.name}{each.specifier}"'
        installed = installed_version(each.name)
        if installed is None:
            yield Diagnosis("packages", FAILURE, f"{each.name} is not installed", hint)
        elif not each.specifier.contains(installed, prereleases=True):
            what = f"{each.name} {installed} is installed, and counterfoil asks for"
            yield Diagnosis("packages", FAILURE, f"{what} {each.specifier}", hint)


def installed_version(name: str) -> str | None:
    """Return the version of a distribution for this interpreter, ``None`` where it has none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def examine_command() -> Iterator[Diagnosis]:
    """Look whether the command that a shell would run is of this installation."""
    found = shutil.which(_NAME)
    if found is None:
        yield Diagnosis(
            "command",
            WARNING,
            "the PATH of this shell has no counterfoil, so hooks and scripts do not find it",
            f"activate the environment of {sys.executable}, or add its folder to PATH",
        )
    elif Path(found).resolve().is_relative_to(Path(sys.prefix).resolve()):
        yield Diagnosis("command", OK, found)
    else:
        yield Diagnosis(
            "command",
            WARNING,
            f"a shell runs {found}, and this is that of {sys.prefix}",
            "activate one of the two environments, or remove the other installation",
        )


def examine_cache(*, used: bool) -> Iterator[Diagnosis]:
    """Look whether the cache can be written, and whether others can write it.

    Results in it are trusted, and models that it holds are run by the fidelity report.
    """
    if not used:
        yield Diagnosis("cache", SKIPPED, "--no-cache is given", "")
        return
    folder = user_folder()
    hint = f"make it writable, or name another folder with {VARIABLE}; --no-cache does without"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        what = f"{folder} cannot be written, so every run is as slow as the first"
        yield Diagnosis("cache", WARNING, f"{what}: {error.strerror}", hint)
        return
    if os.name != "nt" and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        what = f"others can write {folder}, and what is in it is trusted"
        yield Diagnosis("cache", WARNING, what, f"chmod go-w {folder}")
        return
    yield Diagnosis("cache", OK, str(folder))
