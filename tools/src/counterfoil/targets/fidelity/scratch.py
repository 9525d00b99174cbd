"""Generated source as a class, without a package around it."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import resources
from types import ModuleType
from typing import Any

from pydantic import BaseModel

_PACKAGE = "counterfoil_scratch"
_SUPPORT = "json_schema"
_numbers = itertools.count()


@contextmanager
def model(code: str, name: str) -> Generator[type[BaseModel]]:
    """Provide a class out of generated source, which is run in a module of its own.

    Args:
        code: the source of one module of models.
        name: the class.
    """
    _support()
    module = _module(f"{_PACKAGE}.server.models.made{next(_numbers)}")
    try:
        _run(code, module)
        yield getattr(module, name)
    finally:
        del sys.modules[module.__name__]


@functools.cache
def _support() -> ModuleType:
    """Return the module that all generated modules import from, run once."""
    path = resources.files("counterfoil") / f"targets/templates/{_SUPPORT}.py"
    module = _module(f"{_PACKAGE}.{_SUPPORT}")
    _run(path.read_text("utf-8"), module)
    return module


def _module(name: str) -> ModuleType:
    """Return a new module; Pydantic looks modules of classes up by name."""
    module = ModuleType(name)
    module.__package__ = name.rpartition(".")[0]
    sys.modules[name] = module
    return module


def _run(code: str, module: ModuleType) -> None:
    # Code that this package generated itself, from a contract that passed the lint.
    compiled: Any = compile(code, module.__name__, "exec")
    exec(compiled, module.__dict__)  # noqa: S102
