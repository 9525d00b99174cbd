"""The files of a wrapper's project that are written once and then belong to people."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from counterfoil.contract.model import Server
from counterfoil.render import docstring, literal
from counterfoil.scaffold.wrapper.layout import Wrapper
from counterfoil.targets.stubs import Method, method

if TYPE_CHECKING:
    import jinja2

_LONGEST_LINE = 100
_SUMMARY = 82  # characters, so that its line is no longer


def pages(wrapper: Wrapper, server: Server) -> dict[str, str]:
    """Return the text of each file by its path, in the order to write them."""
    methods = [method(tool) for tool in server.served]
    values: dict[str, Any] = {
        "wrapper": wrapper,
        "methods": methods,
        "readable": bool(server.parts("resources") or server.parts("resourceTemplates")),
        "handler": handler,
        "signature": signature,
        "imported": imported,
    }
    source = f"src/{wrapper.package}"
    templates = {
        "pyproject.toml": "pyproject.toml.jinja",
        "ruff.toml": "ruff.toml.jinja",
        "README.md": "README.md.jinja",
        "Dockerfile": "Dockerfile.jinja",
        ".dockerignore": "dockerignore.jinja",
        ".gitignore": "gitignore.jinja",
        f"{source}/__init__.py": "init.py.jinja",
        f"{source}/__main__.py": "main.py.jinja",
        f"{source}/cli.py": "cli.py.jinja",
        f"{source}/server.py": "server.py.jinja",
        f"{source}/tools.py": "tools.py.jinja",
        "tests/asking.py": "tests/asking.py.jinja",
        "tests/test_gate.py": "tests/test_gate.py.jinja",
        "tests/test_surface.py": "tests/test_surface.py.jinja",
        "tests/test_tools.py": "tests/test_tools.py.jinja",
    }
    made = {path: _render(template, **values) for path, template in templates.items()}
    return {**made, f"{source}/py.typed": ""}


def handler(each: Method) -> str:
    """Return the lines of a handler that is not written yet, as they stand in its class."""
    first = " ".join(each.description.partition(". ")[0].removesuffix(".").split())
    summary = f"{first}." if len(first) < _SUMMARY else f"{first[: _SUMMARY - 1]}…"
    return _render("handler.py.jinja", method=each, summary=summary, signature=signature)


def signature(each: Method) -> str:
    """Return the first lines of a handler, as formatters break them."""
    answer = f"models.{each.output}" if each.output else "str"
    given = f"self, args: models.{each.input}, ctx: Context, /"
    line = f"    async def {each.name}({given}) -> {answer}:"
    if len(line) <= _LONGEST_LINE:
        return line
    return f"    async def {each.name}(\n        {given}\n    ) -> {answer}:"


def imported(module: str, *names: str) -> str:
    """Return an import statement, as formatters break it."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _LONGEST_LINE:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def surplus(names: Sequence[str]) -> str:
    """Return a sentence about handlers that the contract has no tools for."""
    return f"the contract has no tool for {', '.join(names)}: take them out, or declare them"


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


@functools.cache
def _environment() -> jinja2.Environment:
    import jinja2  # as the generators do: other commands render nothing

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("counterfoil", "scaffold/wrapper/templates"),
        autoescape=False,  # noqa: S701  # templates make code, and filters guard what enters it
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    filters: dict[str, Callable[..., str]] = {"docstring": docstring, "py": _quoted, "toml": _basic}
    made.filters.update(filters)
    return made


def _quoted(text: str) -> str:
    """Return a Python literal in double quotes, as formatters write it."""
    shown = literal(text)
    return shown if '"' in text or "'" in text else f'"{shown[1:-1]}"'


def _basic(text: str) -> str:
    """Return a TOML basic string; JSON's escapes are among TOML's."""
    return json.dumps(text, ensure_ascii=True)
