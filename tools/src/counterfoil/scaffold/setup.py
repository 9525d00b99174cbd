"""Lay a project's first files, in an empty folder or an existing repository."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from counterfoil.cache import replace_file
from counterfoil.config import FILE
from counterfoil.contract.canonical import canonical_text, dump
from counterfoil.errors import CounterfoilError
from counterfoil.names import package_name
from counterfoil.scaffold.starter import starter_cases, starter_contract

CONTRACT = "contract/contract.json"
CASES = "contract/cases"
BINDINGS = ("mcp", "snapshot", "wrapper")


def set_up(root: Path, server: str, binding: str) -> Iterator[str]:
    """Write contract, cases and configuration; yield each path that was written.

    Nothing that is there is overwritten: an existing contract or configuration ends the
    work before the first file is written.

    Args:
        root: the project's folder; it is made if need be.
        server: id of the first server.
        binding: ``mcp``, ``snapshot`` or ``wrapper``.

    Raises:
        CounterfoilError: the project has a contract or a configuration already.
    """
    contract = starter_contract(server, binding)
    texts = {CONTRACT: canonical_text(contract)}
    for tool, cases in starter_cases().items():
        texts[f"{CASES}/{server}/{tool}.json"] = dump(cases)
    texts[FILE] = _configured(root / FILE, server, binding)
    for path in texts:
        if path != FILE and (root / path).exists():
            raise CounterfoilError(
                "is there already",
                place=path,
                hint="edit it, or move it away and run `counterfoil init` again",
            )
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        replace_file(root / path, text.encode())
        yield path


def _configured(path: Path, server: str, binding: str) -> str:
    """Return the text of pyproject.toml with our tables at its end."""
    text = path.read_text("utf-8") if path.is_file() else ""
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CounterfoilError(f"is not TOML: {error}", place=FILE, hint="mend it first") from error
    if "counterfoil" in before.get("tool", {}):
        raise CounterfoilError(
            "has [tool.counterfoil] already", place=FILE, hint="run `counterfoil generate`"
        )
    gap = "\n" if text.strip() else ""
    result = f"{text.rstrip()}\n{gap}" if gap else ""
    result += _tables(server, binding)
    try:
        tomllib.loads(result)
    except tomllib.TOMLDecodeError as error:
        raise CounterfoilError(
            "cannot be extended: `tool` is written as an inline table",
            place=FILE,
            hint="write it as [tool.…] tables",
        ) from error
    return result


def _tables(server: str, binding: str) -> str:
    package = f"{package_name(server)}_bindings"
    outputs = [("grammar", "contract/contract.schema.json"), ("models", f"src/{package}")]
    if binding in ("mcp", "wrapper"):
        outputs.append(("stubs", f"src/{package}"))
    if binding == "wrapper":
        outputs.append(("allowlist", f"src/{package}"))
    if binding == "snapshot":
        outputs.append(("snapshot", f"src/{package}/snapshot.json"))
    outputs += [("fidelity", "docs/fidelity.md"), ("reference", "docs/reference/{server}.md")]
    tables = [f'[tool.counterfoil]\ncontract = "{CONTRACT}"\ncases = "{CASES}"\n']
    tables += [
        f'[[tool.counterfoil.output]]\ntarget = "{target}"\npath = "{path}"\n'
        for target, path in outputs
    ]
    tables.append(
        "# Once the server runs, let parity ask it:\n"
        f'# [[tool.counterfoil.server]]\n# id = "{server}"\n'
        f'# command = ["python", "-m", "{package_name(server)}"]\n'
    )
    return "\n".join(tables)
