"""``[tool.mcp-wrapper]`` of a project: what is checked, and what was permitted for which reason."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard, cast

from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.rules import RULES

FILE = "pyproject.toml"
TABLE = "mcp-wrapper"
KINDS = ("codes", "files", "hosts", "imports", "packages", "points", "requires")
"""What a permit may hold: lists of each of these."""


class SettingsError(WrapperError):
    """Say what is not understood in the settings, and where."""


@dataclass(frozen=True)
class Permit:
    """One ``[[tool.mcp-wrapper.permit]]``.

    Attributes:
        reason: why; for the reviewer.
        modules: patterns of the modules that it is for; none given means every one.
        allowed: what it permits, by kind.
        number: its place among the permits, from 1.
    """

    reason: str
    modules: tuple[str, ...]
    allowed: Mapping[str, tuple[str, ...]]
    number: int

    def concerns(self, module: str) -> bool:
        """Say whether it is for a module; archives as a whole go by an empty name."""
        return not self.modules or any(matches(pattern, module) for pattern in self.modules)


@dataclass
class Settings:
    """What a project says of its wrapper.

    Attributes:
        path: the file, as findings show it; empty when there is none.
        root: its folder.
        project: the project's name, if it gives one.
        packages: the folders that ``lint`` reads without being told.
        permits: what was permitted.
    """

    path: str = ""
    root: Path = Path()
    project: str = ""
    packages: tuple[str, ...] = ()
    permits: tuple[Permit, ...] = ()
    _used: set[tuple[int, str, str]] = field(default_factory=set[tuple[int, str, str]])

    def permit(self, kind: str, value: str, module: str = "") -> bool:
        """Say whether something is permitted, and remember that the permit was needed.

        Args:
            kind: one of :data:`KINDS`.
            value: a code, host, file, package or requirement; for imports ``module`` or
                ``module:name``.
            module: the module that wants it; empty for an archive as a whole.
        """
        found = False
        for permit in self.permits:
            for pattern in permit.allowed.get(kind, ()):
                if permit.concerns(module) and _covers(kind, pattern, value):
                    self._used.add((permit.number, kind, pattern))
                    found = True
        return found

    def stale(self, kinds: Iterable[str], modules: Iterable[str]) -> list[Finding]:
        """Report what was permitted and not needed.

        Args:
            kinds: the kinds that were looked at.
            modules: the modules that were looked at.
        """
        seen = tuple(modules)
        looked = set(kinds)
        found: list[Finding] = []
        for permit in self.permits:
            if permit.modules and not any(map(permit.concerns, seen)):
                continue
            for kind, patterns in permit.allowed.items():
                for pattern in patterns:
                    if kind in looked and (permit.number, kind, pattern) not in self._used:
                        what = f"permit {permit.number} lists {pattern!r} in {kind}"
                        message = f"{what}, and nothing needs it"
                        found.append(
                            Finding(self.path, 0, 0, "MW190", message, RULES["MW190"].mend)
                        )
        return found


def matches(pattern: str, name: str) -> bool:
    """Say whether a dotted name is a pattern's own, or for ``a.b.*``, ``a.b`` or below it."""
    if pattern.endswith(".*"):
        return name == pattern[:-2] or name.startswith(pattern[:-1])
    return name == pattern


def find_settings(start: Path) -> Settings:
    """Return the settings of the nearest project, upwards, that has any; empty ones otherwise.

    Raises:
        SettingsError: they are not understood.
    """
    begin = start.resolve()
    for folder in (begin, *begin.parents):
        path = folder / FILE
        if path.is_file() and TABLE in _tools(path):
            return read_settings(path)
    return Settings()


def read_settings(path: Path) -> Settings:
    """Read the settings of a project.

    Raises:
        SettingsError: they are not there, or not understood.
    """
    table = _tools(path).get(TABLE)
    if not _is_table(table):
        raise SettingsError(f"{path}: there is no [tool.{TABLE}]")
    _check_keys(path, f"tool.{TABLE}", table, ("packages", "permit"))
    permits = table.get("permit", [])
    if not isinstance(permits, list):
        raise SettingsError(f"{path}: write [[tool.{TABLE}.permit]]")
    project: object = _toml(path).get("project", {})
    return Settings(
        path=path.name if path.parent == Path.cwd() else str(path),
        root=path.parent,
        project=str(project.get("name", "")) if _is_table(project) else "",
        packages=_texts(path, "packages", table.get("packages", [])),
        permits=tuple(
            _permit(path, number, each)
            for number, each in enumerate(cast("list[object]", permits), 1)
        ),
    )


def _permit(path: Path, number: int, table: object) -> Permit:
    place = f"tool.{TABLE}.permit {number}"
    if not _is_table(table):
        raise SettingsError(f"{path}: {place} is no table")
    _check_keys(path, place, table, ("reason", "modules", *KINDS))
    reason = table.get("reason")
    if not isinstance(reason, str) or len(reason.split()) < 2:
        raise SettingsError(f"{path}: {place} needs a reason, in words")
    allowed = {kind: _texts(path, kind, table[kind]) for kind in KINDS if kind in table}
    if not any(allowed.values()):
        raise SettingsError(f"{path}: {place} permits nothing; it may hold {', '.join(KINDS)}")
    for code in allowed.get("codes", ()):
        if code not in RULES:
            raise SettingsError(f"{path}: {place}: {code} is no code")
        if code in ("MW100", "MW190"):
            raise SettingsError(f"{path}: {place}: {code} cannot be permitted")
    return Permit(reason, _texts(path, "modules", table.get("modules", [])), allowed, number)


def _covers(kind: str, pattern: str, value: str) -> bool:
    if kind != "imports" or ":" in value:
        return pattern == value
    return matches(pattern, value)


def _check_keys(path: Path, place: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise SettingsError(
                f"{path}: {place}: {key!r} is not known; {hint}known: {', '.join(known)}"
            )


def _texts(path: Path, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise SettingsError(f"{path}: {key} is no list of texts")
    each = cast("list[object]", value)
    if not all(isinstance(text, str) and text for text in each):
        raise SettingsError(f"{path}: {key} is no list of texts")
    return tuple(str(text) for text in each)


def _tools(path: Path) -> Mapping[str, Any]:
    tool: object = _toml(path).get("tool", {})
    return tool if _is_table(tool) else {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is not TOML: {error}") from error


def _is_table(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
