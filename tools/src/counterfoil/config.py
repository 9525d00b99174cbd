"""``[tool.counterfoil]`` of a project's ``pyproject.toml``."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from counterfoil.contract.values import is_array, is_object
from counterfoil.errors import ConfigError
from counterfoil.findings import ERROR, NOTE, RULES, WARNING, Finding, Severity

FILE = "pyproject.toml"
SEVERITIES: Mapping[str, Severity] = {"error": ERROR, "warning": WARNING, "note": NOTE}
_WORDS = frozenset({*SEVERITIES, "off"})
_WRITE = "write error, warning, note or off"
CLASSES = ("breaking", "security", "undecided", "behaviour", "additive")


@dataclass(frozen=True)
class Output:
    """One ``[[tool.counterfoil.output]]``.

    Attributes:
        target: name of a target.
        path: file or folder, relative to the project; ``{server}`` stands for a server's id,
            ``{package}`` for its package name.
        servers: ids; empty means every server that the target is for.
    """

    target: str
    path: str
    servers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Live:
    """One ``[[tool.counterfoil.server]]``: a server that parity asks.

    Attributes:
        id: the server's id in the contract.
        command: what starts it over stdio; empty for a URL.
        url: its endpoint over HTTP; empty for a command.
        cwd: folder to start it in, relative to the project.
        env: variables to add.
        headers: HTTP headers to send.
        timeout: seconds for each answer.
    """

    id: str
    command: tuple[str, ...] = ()
    url: str = ""
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout: float = 20.0


@dataclass(frozen=True)
class Allowlist:
    """One ``[[tool.counterfoil.allowlist]]``: what a wrapper really permits, for parity.

    Attributes:
        id: the server's id in the contract.
        command: what prints the list as JSON, in the form of the contract's ``outbound``; empty
            for a file.
        path: a file that holds it, relative to the project; empty for a command.
        cwd: folder to start the command in, relative to the project.
        env: variables to add.
        timeout: seconds for the command.
    """

    id: str
    command: tuple[str, ...] = ()
    path: str = ""
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout: float = 20.0


@dataclass(frozen=True)
class Wording:
    """One ``[[tool.counterfoil.wording]]``: files that must hold a fixed sentence.

    Attributes:
        name: a key of the contract's ``wording``.
        paths: files, relative to the project.
    """

    name: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Weight:
    """One ``[[tool.counterfoil.breaking.severity]]``: how grave some changes are.

    Attributes:
        severity: ``error``, ``warning``, ``note`` or ``off``.
        codes: finding codes that it is for; empty for every code.
        at: a pattern for the name of the place, as ``counterfoil breaking`` prints it; ``*``
            stands for any characters.
    """

    severity: str
    codes: tuple[str, ...] = ()
    at: str = "*"


@dataclass(frozen=True)
class Breaking:
    """``[tool.counterfoil.breaking]``: how changes of the contract are judged.

    Attributes:
        against: what to compare with; empty for where the branch left the main one.
        accepted: the file of accepted changes, relative to the project.
        fail_on: the classes of change that make the command fail.
        weights: severities by code and place; the last one that fits counts.
    """

    against: str = ""
    accepted: str = "contract/accepted.json"
    fail_on: tuple[str, ...] = CLASSES[:3]
    weights: tuple[Weight, ...] = ()


@dataclass(frozen=True)
class Config:
    """What a project asks of the toolchain.

    Attributes:
        root: the project's folder.
        contract: the contract, relative to the root, with forward slashes.
        cases: the folder of example calls, relative to the root; empty for none.
        outputs, live, allowlists, wording: the tables of those names.
        breaking: how changes are judged.
        severity: changed severities by code; ``off`` drops the finding.
    """

    root: Path
    contract: str = "contract/contract.json"
    cases: str = ""
    outputs: tuple[Output, ...] = ()
    live: tuple[Live, ...] = ()
    allowlists: tuple[Allowlist, ...] = ()
    wording: tuple[Wording, ...] = ()
    breaking: Breaking = field(default_factory=Breaking)
    severity: Mapping[str, Severity | str] = field(default_factory=dict[str, str])

    def weighed(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return findings with this configuration's severities, sorted; ``off`` are dropped."""
        kept: list[Finding] = []
        for finding in findings:
            severity = self.severity.get(finding.code, finding.severity)
            if severity != "off":
                kept.append(replace(finding, severity=SEVERITIES[severity]))
        return tuple(sorted(set(kept)))


def find_project(start: Path) -> Path:
    """Return the nearest folder, upwards, whose ``pyproject.toml`` has ``[tool.counterfoil]``.

    Raises:
        ConfigError: there is none.
    """
    found = seek_project(start)
    if found is None:
        raise ConfigError(
            "no pyproject.toml with [tool.counterfoil] in this folder or above",
            place=str(start),
            hint="run `counterfoil init` here, or name the project with --project",
        )
    return found


def seek_project(start: Path) -> Path | None:
    """Return what :func:`find_project` does, or ``None`` when there is none."""
    for folder in (start, *start.parents):
        path = folder / FILE
        if path.is_file() and "counterfoil" in _tools(path):
            return folder
    return None


def read_config(root: Path) -> Config:
    """Read a project's configuration.

    Raises:
        ConfigError: it is not there, or says something that is not understood.
    """
    tool = _tools(root / FILE)
    if "counterfoil" not in tool:
        raise ConfigError(
            "there is no [tool.counterfoil]", place=FILE, hint="run `counterfoil init`"
        )
    table = _Table("tool.counterfoil", tool["counterfoil"])
    config = Config(
        root=root,
        contract=table.path("contract", Config.contract),
        cases=table.path("cases", ""),
        outputs=tuple(_output(each) for each in table.tables("output")),
        live=tuple(_live(each) for each in table.tables("server")),
        allowlists=tuple(_allowlist(each) for each in table.tables("allowlist")),
        wording=tuple(_wording(each) for each in table.tables("wording")),
        breaking=_breaking(table.table("breaking")),
        severity=_severity(table.mapping("severity")),
    )
    table.finish()
    return config


def _output(table: _Table) -> Output:
    path = table.path("path")
    if path == ".":
        raise table.error("path", "is the project itself", "name a folder or file in it")
    if set("{}") & set(path.replace("{server}", "").replace("{package}", "")):
        raise table.error(
            "path", f"{path!r} has another placeholder than {{server}} or {{package}}"
        )
    made = Output(table.text("target"), path, table.texts("servers", ()))
    table.finish()
    return made


def _live(table: _Table) -> Live:
    made = Live(
        id=table.text("id"),
        command=table.texts("command", ()),
        url=table.text("url", ""),
        cwd=table.path("cwd", "."),
        env=table.mapping("env"),
        headers=table.mapping("headers"),
        timeout=table.seconds("timeout", Live.timeout),
    )
    if bool(made.command) == bool(made.url):
        raise table.error("command", "give either a command or a url")
    table.finish()
    return made


def _allowlist(table: _Table) -> Allowlist:
    made = Allowlist(
        id=table.text("id"),
        command=table.texts("command", ()),
        path=table.path("path", ""),
        cwd=table.path("cwd", "."),
        env=table.mapping("env"),
        timeout=table.seconds("timeout", Allowlist.timeout),
    )
    if bool(made.command) == bool(made.path):
        raise table.error("command", "give either a command or a path")
    table.finish()
    return made


def _wording(table: _Table) -> Wording:
    made = Wording(table.text("name"), table.paths("paths"))
    table.finish()
    return made


def _breaking(table: _Table) -> Breaking:
    made = Breaking(
        against=table.text("against", ""),
        accepted=table.path("accepted", Breaking.accepted),
        fail_on=table.texts("fail-on", Breaking.fail_on),
        weights=tuple(_weight(each) for each in table.tables("severity")),
    )
    for name in made.fail_on:
        if name not in CLASSES:
            raise table.error(
                "fail-on", f"{name!r} is no class of change", f"classes: {', '.join(CLASSES)}"
            )
    table.finish()
    return made


def _weight(table: _Table) -> Weight:
    made = Weight(table.text("severity"), table.texts("codes", ()), table.text("at", "*"))
    if made.severity not in _WORDS:
        raise table.error("severity", f"is {made.severity!r}", _WRITE)
    for code in made.codes:
        if code not in RULES:
            raise table.error("codes", f"{code} is no finding code", "see `counterfoil rules`")
    table.finish()
    return made


def _severity(given: Mapping[str, str]) -> dict[str, str]:
    for code, value in given.items():
        place = f"{FILE} [tool.counterfoil.severity]"
        if code not in RULES:
            raise ConfigError(
                f"{code} is no finding code", place=place, hint="see `counterfoil rules`"
            )
        if value not in _WORDS:
            raise ConfigError(f"{code} is {value!r}", place=place, hint=_WRITE)
    return dict(given)


def _tools(path: Path) -> dict[str, Any]:
    tool = _read(path).get("tool", {})
    if not is_object(tool):
        raise ConfigError("`tool` must be a table", place=str(path), hint="write [tool.NAME]")
    return tool


def _read(path: Path) -> dict[str, Any]:
    import tomllib  # there may be no project

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        cause: Exception = error
        what, hint = "there is no such file", "correct --project, or run `counterfoil init` there"
    except OSError as error:
        cause, what, hint = error, f"cannot be read: {error.strerror}", "check its permissions"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        cause, what, hint = error, f"is not TOML: {error}", "correct the line that is named"
    raise ConfigError(what, place=str(path), hint=hint) from cause


class _Table:
    """A TOML table that is read once and may hold nothing that nobody reads."""

    def __init__(self, name: str, data: Any) -> None:
        self.name = name
        if not is_object(data):
            raise ConfigError("must be a table", place=f"{FILE} [{name}]", hint=f"write [{name}]")
        self._rest = dict(data)
        self._known: list[str] = []

    def error(self, key: str, what: str, hint: str = "") -> ConfigError:
        return ConfigError(what, place=f"{FILE} [{self.name}] {key}", hint=hint)

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        value = self._rest.pop(key, default)
        if value is None:
            raise self.error(key, "is missing")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        value = self._take(key, default)
        if not isinstance(value, str) or (default is None and not value):
            raise self.error(key, "must be a text")
        return value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        value = self._take(key, None if default is None else list(default))
        if not is_array(value) or not all(isinstance(each, str) for each in value):
            raise self.error(key, "must be a list of texts")
        if default is None and not value:
            raise self.error(key, "must not be empty")
        return tuple(value)

    def path(self, key: str, default: str | None = None) -> str:
        return self._inside(key, self.text(key, default))

    def paths(self, key: str) -> tuple[str, ...]:
        return tuple(self._inside(key, each) for each in self.texts(key))

    def _inside(self, key: str, value: str) -> str:
        pure = PurePosixPath(value)
        if pure.is_absolute() or ".." in pure.parts or "\\" in value or ":" in value:
            raise self.error(
                key,
                f"{value!r} leads out of the project",
                "write a relative path with forward slashes and no ..",
            )
        return str(pure) if value else ""

    def mapping(self, key: str) -> dict[str, str]:
        value = self._take(key, {})
        if not is_object(value) or not all(isinstance(each, str) for each in value.values()):
            raise self.error(key, "must be a table of texts")
        return value

    def seconds(self, key: str, default: float) -> float:
        value = self._take(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 600:
            raise self.error(key, "must be a number of seconds, above 0 and at most 600")
        return float(value)

    def table(self, key: str) -> _Table:
        return _Table(f"{self.name}.{key}", self._take(key, {}))

    def tables(self, key: str) -> list[_Table]:
        value = self._take(key, [])
        if not is_array(value):
            raise self.error(key, "must be a list of tables", f"write [[{self.name}.{key}]]")
        return [_Table(f"{self.name}.{key}.{index}", each) for index, each in enumerate(value)]

    def finish(self) -> None:
        for key in self._rest:
            near = difflib.get_close_matches(key, self._known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise self.error(key, "is not known", hint + f"known: {', '.join(sorted(self._known))}")
