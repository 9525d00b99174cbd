"""The scan of a wheel or source archive as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.judging import judge
from mcp_wrapper_scaffold.lint.modules import LIBRARY, is_named, is_standard
from mcp_wrapper_scaffold.lint.settings import KINDS, Settings, SettingsError
from mcp_wrapper_scaffold.lint.sources import Source, named_source
from mcp_wrapper_scaffold.scan.hosts import judge_hosts
from mcp_wrapper_scaffold.scan.kinds import file_fault
from mcp_wrapper_scaffold.scan.members import Contents, ScanError
from mcp_wrapper_scaffold.scan.metadata import (
    judge_build,
    judge_entry_points,
    judge_metadata,
    normalized,
)
from mcp_wrapper_scaffold.scan.record import judge_record
from mcp_wrapper_scaffold.scan.tars import read_sdist
from mcp_wrapper_scaffold.scan.zips import read_wheel

# Binary distribution format: NAME-VERSION(-BUILD)?-PYTHON-ABI-PLATFORM.whl
_WHEEL = re.compile(
    r"(?P<name>[A-Za-z0-9_.]+)-(?P<version>[A-Za-z0-9_.!+]+)(?:-[0-9][^-]*)?"
    r"-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\.whl"
)
_SDIST = re.compile(r"(?P<name>.+)-(?P<version>[^-]+)\.tar\.gz")
_INFO = re.compile(
    r"METADATA|RECORD|RECORD\.jws|RECORD\.p7s|WHEEL|entry_points\.txt|top_level\.txt"
    r"|(LICENSE|LICENCE|COPYING|NOTICE|AUTHORS)[A-Za-z0-9._-]*|licenses/.+|sboms/.+\.json"
)


@dataclass(frozen=True)
class Scan:
    """What a scan has shown.

    Attributes:
        findings: what was found, sorted.
        notes: what was not looked at, a sentence each.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


def scan(path: Path, settings: Settings) -> Scan:
    """Judge a wheel or a source archive.

    Raises:
        ScanError: it is neither, or not there.
        SettingsError: the settings are those of another project.
    """
    if not path.is_file():
        raise ScanError(f"{path}: there is no such file")
    wheel, sdist = _WHEEL.fullmatch(path.name), _SDIST.fullmatch(path.name)
    if wheel is not None:
        project = wheel["name"]
    elif sdist is not None:
        project = sdist["name"]
    else:
        raise ScanError(f"{path}: is neither NAME-VERSION-….whl nor NAME-VERSION.tar.gz")
    if settings.project and normalized(settings.project) != normalized(project):
        raise SettingsError(f"{settings.path}: is of {settings.project}, and {path} is not")
    if wheel is not None:
        contents = read_wheel(path)
        sources = _judge_wheel(contents, wheel, settings)
    else:
        contents = read_sdist(path)
        sources = _judge_sdist(contents, path.name.removesuffix(".tar.gz"), project, settings)
    found = set(judge(sources, settings))
    compared = judge_hosts(contents, sources, settings)
    notes = [] if compared else ["no allowlist was found in it: hosts of URLs were not compared"]
    found.update(contents.findings)
    kinds = [kind for kind in KINDS if compared or kind != "hosts"]
    found.update(settings.stale(kinds, [*(source.module for source in sources), ""]))
    return Scan(tuple(sorted(found)), tuple(notes))


def _judge_wheel(contents: Contents, name: re.Match[str], settings: Settings) -> list[Source]:
    project, version = name["name"], name["version"]
    package = normalized(project).replace("-", "_")
    info = f"{project}-{version}.dist-info"
    tags = f"{name['abi']}-{name['platform']}"
    if tags != "none-any" and not settings.permit("codes", "MW204"):
        contents.report("MW204", f"the wheel is built for {tags}")
    tops = {member.partition("/")[0] for member in contents.files}
    _judge_tops(contents, tops - {info}, package, settings)
    judge_record(contents, info)
    judge_metadata(contents, f"{info}/METADATA", project, settings)
    judge_entry_points(contents, f"{info}/entry_points.txt", project, package, settings)
    sources: list[Source] = []
    for member, content in contents.files.items():
        inside = member.removeprefix(f"{info}/")
        if inside != member:
            if not _INFO.fullmatch(inside):
                contents.report("MW209", "the file is not one that metadata are kept in", member)
            continue
        _judge_file(contents, member, content, settings)
        if member.endswith(".py"):
            sources.append(named_source(f"{contents.archive}!{member}", member, content))
    return sources


def _judge_tops(contents: Contents, tops: Iterable[str], package: str, settings: Settings) -> None:
    """Report what stands at the top of a wheel besides the wrapper's package."""
    for top in sorted(tops):
        name = top.removesuffix(".py")
        if top.endswith(".data"):
            what = "is installed beside the package, as scripts or files anywhere"
            contents.report("MW205", f"the folder {what}", top)
        elif top.endswith((".dist-info", ".egg-info")):
            contents.report("MW201", "the metadata are of another archive, too", top)
        elif is_standard(name) or is_named(name) or name == LIBRARY:
            contents.report("MW211", "the name is that of a module that others import", top)
        elif top != package and not settings.permit("packages", top):
            contents.report("MW211", f"the top-level name is not {package}", top)


def _judge_file(contents: Contents, member: str, content: bytes, settings: Settings) -> None:
    code, clause = file_fault(member, content)
    if code and not settings.permit("files", member):
        contents.report(code, f"the file {clause}", member)


def _judge_sdist(contents: Contents, folder: str, project: str, settings: Settings) -> list[Source]:
    for member in contents.files:
        if not member.startswith(f"{folder}/"):
            contents.report("MW201", f"the member is not below {folder}", member)
    judge_metadata(contents, f"{folder}/PKG-INFO", project, settings)
    judge_build(contents, folder)
    files = contents.below(folder)
    root = "src/" if any(name.startswith("src/") for name in files) else ""
    packages = {
        f"{root}{name.removeprefix(root).partition('/')[0]}/"
        for name in files
        if name.startswith(root)
        and name.removeprefix(root).count("/") == 1
        and name.endswith("/__init__.py")
    } - {"tests/", "test/"}
    sources: list[Source] = []
    for name, content in files.items():
        member = f"{folder}/{name}"
        if name.startswith(tuple(packages)):
            _judge_file(contents, member, content, settings)
            if name.endswith(".py"):
                place = PurePosixPath(name.removeprefix(root)).as_posix()
                sources.append(named_source(f"{contents.archive}!{member}", place, content))
        else:
            code, clause = file_fault(name, content)
            if code in ("MW204", "MW205") and not settings.permit("files", name):
                contents.report(code, f"the file {clause}", member)
    return sources
