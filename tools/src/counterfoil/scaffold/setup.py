"""Lay a project's first files, in an empty folder or an existing repository."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from counterfoil.cache import replace_file
from counterfoil.config import FILE
from counterfoil.contract.canonical import canonical_text, dump
from counterfoil.contract.values import is_object
from counterfoil.errors import CounterfoilError
from counterfoil.names import package_name
from counterfoil.scaffold.starter import starter_cases, starter_contract

CONTRACT = "contract/contract.json"
CASES = "contract/cases"
BINDINGS = ("mcp", "snapshot", "wrapper")
_MOVE = "move it away, or choose another folder"

# What the generated package imports, by binding.
PACKAGES = {
    "mcp": ("jsonschema", "mcp", "pydantic", "typing-extensions"),
    "snapshot": ("jsonschema", "pydantic", "typing-extensions"),
    "wrapper": ("jsonschema", "mcp", "pydantic", "typing-extensions"),
}
_WORK = {
    "mcp": "implement the handlers that src/{package}/{server} declares",
    "snapshot": "serve src/{package}/snapshot.json",
    "wrapper": "implement the handlers that src/{package}/{server} declares, and request nothing "
    "but what its allowlist holds",
}


def first_files(root: Path, server: str, binding: str) -> dict[str, bytes]:
    """Return contract, cases and configuration by path, in the order to write them.

    Nothing is written. A ``pyproject.toml`` that is there is extended, with its line ends.

    Args:
        root: the project's folder, which need not be there.
        server: id of the first server.
        binding: ``mcp``, ``snapshot`` or ``wrapper``.

    Raises:
        CounterfoilError: ``pyproject.toml`` cannot be extended, or has a configuration already.
    """
    contract = starter_contract(server, binding)
    files = {CONTRACT: canonical_text(contract).encode()}
    for tool, cases in starter_cases().items():
        files[f"{CASES}/{server}/{tool}.json"] = dump(cases).encode()
    files[FILE] = configured(root / FILE, server, binding, _server_hint(server)).encode()
    return files


def check_free(root: Path, paths: Iterable[str]) -> None:
    """Refuse paths of new files at which something is, or to which no folder can be made.

    Raises:
        CounterfoilError: with the first such path.
    """
    for path in paths:
        target = root / path
        if os.path.lexists(target):
            raise CounterfoilError("is there already", place=path, hint=_MOVE)
        check_folders(root, path)


def check_folders(root: Path, path: str) -> None:
    """Refuse a path with something that is no folder where one has to be.

    Raises:
        CounterfoilError: with what is in the way.
    """
    inside = [root / parent for parent in reversed(PurePosixPath(path).parents)]
    for folder in [*reversed(root.parents), *inside]:
        if os.path.lexists(folder) and not folder.is_dir():
            within = folder != root and folder.is_relative_to(root)
            shown = folder.relative_to(root).as_posix() if within else str(folder)
            raise CounterfoilError("is no folder", place=shown, hint=_MOVE)


def lay(root: Path, files: Mapping[str, bytes]) -> Iterator[str]:
    """Write files below a folder, which is made if need be, and yield each path.

    Raises:
        CounterfoilError: a file cannot be written.
    """
    for path, content in files.items():
        # A configuration may be a link to where it is kept.
        target = (root / path).resolve()
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, content)
        except OSError as error:
            raise CounterfoilError(
                f"cannot be written: {error.strerror}",
                place=path,
                hint="check the permissions of its folder",
            ) from error
        yield path


def configured(path: Path, server: str, binding: str, more: str, *, has_cases: bool = True) -> str:
    """Return the text of pyproject.toml with our tables at its end.

    Args:
        path: where the file is, or will be.
        server: id of the server.
        binding: its binding, which says what is generated.
        more: tables that come after those.
        has_cases: whether the folder of cases will be there.

    Raises:
        CounterfoilError: the file cannot be extended, or has a configuration already.
    """
    text = _existing(path)
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CounterfoilError(f"is not TOML: {error}", place=FILE, hint="mend it first") from error
    tool = before.get("tool", {})
    if not is_object(tool):
        raise CounterfoilError(
            "`tool` is no table", place=FILE, hint="write the tables of tools as [tool.NAME]"
        )
    if "counterfoil" in tool:
        raise CounterfoilError(
            "has [tool.counterfoil] already",
            place=FILE,
            hint="run `counterfoil generate`, or add a server with `counterfoil import --output`",
        )
    end = "\r\n" if "\r\n" in text else "\n"
    if text.strip() and not text.endswith(2 * end):
        text += end if text.endswith(end) else 2 * end
    result = text + (_tables(server, binding, has_cases=has_cases) + more).replace("\n", end)
    try:
        tomllib.loads(result)
    except tomllib.TOMLDecodeError as error:
        raise CounterfoilError(
            "cannot be extended: `tool` is written as an inline table",
            place=FILE,
            hint="write it as [tool.…] tables",
        ) from error
    return result


def _existing(path: Path) -> str:
    if not os.path.lexists(path):
        return ""
    if not path.is_file():
        raise CounterfoilError("is no file", place=FILE, hint=_MOVE)
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise CounterfoilError(
            f"is not UTF-8 from byte {error.start} on", place=FILE, hint="save it as UTF-8"
        ) from error
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}", place=FILE, hint="check its permissions"
        ) from error


def next_steps(server: str, binding: str) -> Iterator[str]:
    """Yield what is left to do in a new project, a line each."""
    package = f"{package_name(server)}_bindings"
    work = _WORK[binding].format(package=package, server=package_name(server))
    yield f"edit {CONTRACT}, and run `counterfoil generate`"
    yield f"depend on what src/{package} imports: {', '.join(PACKAGES[binding])}"
    yield work
    yield "let CI run `counterfoil check --no-cache`"


def _tables(server: str, binding: str, *, has_cases: bool) -> str:
    package = f"{package_name(server)}_bindings"
    outputs = [("grammar", "contract/contract.schema.json"), ("models", f"src/{package}")]
    if binding in ("mcp", "wrapper"):
        outputs.append(("stubs", f"src/{package}"))
    if binding == "wrapper":
        outputs.append(("allowlist", f"src/{package}"))
    if binding == "snapshot":
        outputs.append(("snapshot", f"src/{package}/snapshot.json"))
    outputs += [("fidelity", "docs/fidelity.md"), ("reference", "docs/reference/{server}.md")]
    cases = f'cases = "{CASES}"\n' if has_cases else ""
    tables = [f'[tool.counterfoil]\ncontract = "{CONTRACT}"\n{cases}']
    tables += [
        f'[[tool.counterfoil.output]]\ntarget = "{target}"\npath = "{path}"\n'
        for target, path in outputs
    ]
    return "\n".join(tables)


def _server_hint(server: str) -> str:
    return (
        "\n# Once the server runs, let parity ask it:\n"
        f'# [[tool.counterfoil.server]]\n# id = "{server}"\n'
        f'# command = ["python", "-m", "{package_name(server)}"]\n'
    )
