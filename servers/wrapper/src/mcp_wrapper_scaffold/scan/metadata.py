"""What a distribution says of itself: requirements, entry points, how it is built."""

from __future__ import annotations

import configparser
import re
import tomllib
from email import message_from_bytes
from typing import Any, cast

from mcp_wrapper_scaffold.lint.interpreter import words
from mcp_wrapper_scaffold.lint.modules import refusal
from mcp_wrapper_scaffold.lint.settings import Settings
from mcp_wrapper_scaffold.scan.members import Contents

# What a wrapper and the generated bindings in it import.
_REQUIREMENTS = words("jsonschema mcp mcp-wrapper-scaffold pydantic typing-extensions")
_BUILDERS = words(
    """
    flit-core hatch-fancy-pypi-readme hatch-vcs hatchling pdm-backend poetry-core setuptools
    setuptools-scm uv-build wheel
    """
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def normalized(name: str) -> str:
    """Return a project's name as all its spellings are compared (name normalization, PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def judge_metadata(contents: Contents, member: str, project: str, settings: Settings) -> None:
    """Report requirements that nobody has allowed, and metadata of another project.

    Args:
        contents: the archive.
        member: ``METADATA`` or ``PKG-INFO``, with its folder.
        project: the project's name by the archive's own name.
        settings: what was permitted.
    """
    raw = contents.files.get(member)
    if raw is None:
        contents.report("MW201", f"there is no {member.rpartition('/')[2]}")
        return
    message = message_from_bytes(raw)
    name = str(message.get("Name", ""))
    if normalized(name) != normalized(project):
        contents.report(
            "MW201", f"the metadata are of {name!r}, and the archive of another", member
        )
    for requirement in map(str, message.get_all("Requires-Dist", [])):
        fault = _requirement_fault(requirement, settings)
        if fault:
            contents.report("MW207", fault, member)


def judge_entry_points(
    contents: Contents, member: str, project: str, package: str, settings: Settings
) -> None:
    """Report entry points that are no commands of the wrapper's own."""
    raw = contents.files.get(member)
    if raw is None:
        return
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[method-assign,assignment]  # names keep their case
    try:
        parser.read_string(raw.decode("utf-8"))
    except (configparser.Error, UnicodeDecodeError):
        contents.report("MW208", "the entry points cannot be read", member)
        return
    for group in parser.sections():
        for name, target in parser.items(group):
            point = f"{group}:{name}"
            fault = _point_fault(group, name, target, project, package)
            if fault and not settings.permit("points", point):
                contents.report("MW208", f"the entry point {point} {fault}", member)


def judge_build(contents: Contents, folder: str) -> None:
    """Report code of the project that runs while a source archive is built."""
    if f"{folder}/setup.py" in contents.files:
        contents.report("MW212", "setup.py runs while it is built", f"{folder}/setup.py")
    member = f"{folder}/pyproject.toml"
    raw = contents.files.get(member)
    if raw is None:
        contents.report("MW212", "there is no pyproject.toml to say how it is built")
        return
    try:
        table = tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        contents.report("MW212", f"pyproject.toml cannot be read: {error}", member)
        return
    build = _table(table.get("build-system"))
    for requirement in cast("list[object]", build.get("requires", [])):
        match = _NAME.match(str(requirement))
        if match is None or normalized(match[0]) not in _BUILDERS or "@" in str(requirement):
            contents.report("MW212", f"it is built with {requirement!r}", member)
    if "backend-path" in build:
        contents.report("MW212", "it is built by code of its own (backend-path)", member)
    hatch = _table(_table(table.get("tool")).get("hatch"))
    if any("hooks" in _table(hatch.get(part)) for part in ("build", "metadata")):
        contents.report("MW212", "it is built with hooks of its own", member)


def _requirement_fault(requirement: str, settings: Settings) -> str:
    match = _NAME.match(requirement.strip())
    if match is None:
        return f"the requirement {requirement!r} cannot be read"
    name = normalized(match[0])
    if settings.permit("requires", name):
        return ""
    if "@" in requirement.partition(";")[0]:
        return f"the requirement {name} is taken from a place of its own"
    if name in _REQUIREMENTS:
        return ""
    code, clause = refusal(name.replace("-", "_"))
    return f"the requirement {name} " + (clause if code != "MW105" else "is not on the list")


def _point_fault(group: str, name: str, target: str, project: str, package: str) -> str:
    if group not in ("console_scripts", "gui_scripts"):
        return "is loaded by other programs"
    if target.partition(":")[0].strip().partition(".")[0] != package:
        return f"runs {target}, which is not of {package}"
    own = normalized(project)
    if normalized(name) != own and not normalized(name).startswith(f"{own}-"):
        return f"does not begin with the project's name, {own}"
    return ""


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
