"""Find a template by its name: the project's own first, then those that are shipped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final, Literal

from haia_trace_mcp.errors import (
    AbsentError,
    RootError,
    TemplateUnreadableError,
    UnknownTemplateError,
)
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates.reading import read_template
from haia_trace_mcp.templates.template import Template
from haia_trace_mcp.wording import quoted

SHIPPED: Final = ("x402-buyer", "x402-seller", "x402-facilitator", "escrow-arc")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_SIZE_LIMIT: Final = 64 << 10  # a hundred times what templates have; reading YAML takes its time


@dataclass(frozen=True, slots=True)
class Loaded:
    """A template, the name it was asked for, and where it came from."""

    template: Template
    name: str
    path: str
    origin: Literal["builtin", "local"]


class Templates:
    """The templates of a project and those that are shipped."""

    def __init__(self, root: TraceRoot, folder: str | None = "templates") -> None:
        """Look in a folder of the Trace root, or with None in the root itself."""
        self._root = root
        self._folder = () if folder is None else (folder,)
        self._known: dict[str, tuple[bytes, Loaded]] = {}

    @classmethod
    def below(cls, path: Path) -> Templates:
        """Look in a folder of its own, as ``--templates-dir`` says."""
        return cls(TraceRoot(path), None)

    def load(self, name: str) -> Loaded:
        """Return a template by its bare name; the project's file is read again at each call.

        Raises:
            UnknownTemplateError: there is none, or the name is no bare name.
            TemplateUnreadableError: the project has one that cannot be read.
            TemplateError: it is not valid.
        """
        if not _NAME.fullmatch(name):
            raise UnknownTemplateError(
                f"template not found: {quoted(name)} (a template is named by letters, digits, "
                "hyphens and underscores)"
            )
        place = self._place(name)
        data = self._project_file(name, place)
        source, origin = place, "local"
        if data is None:
            source, origin = name, "builtin"
            data = _shipped_file(name)
        if data is None:
            raise UnknownTemplateError(
                f"template not found: {name} (looked in {self._place()}, then the templates "
                "shipped with the server)"
            )
        known = self._known.get(name)
        if known is not None and known[0] == data and known[1].origin == origin:
            return known[1]
        path = place if origin == "local" else f"<builtin>/{name}.yaml"
        loaded = Loaded(
            read_template(data, source), name, path, "local" if origin == "local" else "builtin"
        )
        self._known[name] = (data, loaded)
        return loaded

    def _place(self, name: str | None = None) -> str:
        parts = [self._root.place, *self._folder]
        return "/".join(parts if name is None else [*parts, f"{name}.yaml"])

    def _project_file(self, name: str, place: str) -> bytes | None:
        try:
            with self._root.folder(*self._folder) as folder:
                return folder.read(f"{name}.yaml", _SIZE_LIMIT)
        except AbsentError:
            return None
        except RootError as error:
            raise TemplateUnreadableError(
                f"could not read template ({place}): {error.reason}"
            ) from error


def _shipped_file(name: str) -> bytes | None:
    if name not in SHIPPED:
        return None
    return (
        resources.files("haia_trace_mcp.templates").joinpath("shipped", f"{name}.yaml").read_bytes()
    )
