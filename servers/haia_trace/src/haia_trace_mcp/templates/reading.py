"""Read a template and judge it, in the original's order and words."""

from __future__ import annotations

from math import isfinite
from typing import TypeGuard

from haia_trace_mcp.errors import TemplateError
from haia_trace_mcp.templates.scalars import Node
from haia_trace_mcp.templates.template import Stage, Template, Witness

_BOM = "\ufeff"


def read_template(data: bytes, source: str) -> Template:
    """Return a template; ``source`` is what messages call it.

    Raises:
        TemplateError: ``invalid template (<source>): …`` with the first rule that is broken.
    """
    # A YAML library takes half the time that a command needs to start which reads no template.
    from haia_trace_mcp.templates.document import read_document

    text = data.decode("utf-8", "replace").removeprefix(_BOM)
    try:
        return _template(read_document(text))
    except TemplateError as error:
        raise TemplateError(f"invalid template ({source}): {error}") from error


def _template(document: Node) -> Template:
    if not isinstance(document, dict):
        raise TemplateError("expected a mapping at the top level")
    name, version, stages = map(document.get, ("template", "version", "stages"))
    if not _is_text(name):
        raise TemplateError("`template` must be a non-empty string")
    if isinstance(version, bool) or not isinstance(version, float) or not isfinite(version):
        raise TemplateError("`version` must be a finite number")
    if not isinstance(stages, list) or not stages:
        raise TemplateError("`stages` must be a non-empty list")
    found: list[Stage] = []
    for index, each in enumerate(stages):
        found.append(_stage(each, index, {stage.id for stage in found}))
    exceptions = document.get("exceptions", [])
    if not isinstance(exceptions, list) or not all(map(_is_text, exceptions)):
        raise TemplateError("`exceptions` must be a list of non-empty strings")
    return Template(name, version, tuple(found), frozenset(filter(_is_text, exceptions)))


def _stage(stage: Node, index: int, taken: set[str]) -> Stage:
    if not isinstance(stage, dict):
        raise TemplateError(f"stage #{index}: expected a mapping")
    name, required, match = map(stage.get, ("id", "required", "match"))
    if not _is_text(name):
        raise TemplateError(f"stage #{index}: `id` must be a non-empty string")
    if name in taken:
        raise TemplateError(f"stage {name}: duplicate stage id")
    if not isinstance(required, bool):
        raise TemplateError(f"stage {name}: `required` must be a boolean")
    if not isinstance(match, list) or not match:
        raise TemplateError(f"stage {name}: `match` must be a non-empty list")
    witnesses = tuple(
        _witness(each, f"stage {name}, match {place}") for place, each in enumerate(match)
    )
    explanation = stage.get("missing_explanation")
    if not isinstance(explanation, str) and "missing_explanation" in stage:
        raise TemplateError(f"stage {name}: `missing_explanation` must be a string")
    return Stage(name, required, witnesses, explanation if isinstance(explanation, str) else None)


def _witness(entry: Node, place: str) -> Witness:
    event = entry.get("event") if isinstance(entry, dict) else None
    if not _is_text(event):
        raise TemplateError(f"{place}: `event` must be a non-empty string")
    role = entry.get("role") if isinstance(entry, dict) else None
    if isinstance(entry, dict) and "role" in entry and not _is_text(role):
        raise TemplateError(f"{place}: `role` must be a non-empty string")
    return Witness(event, role if isinstance(role, str) else None)


def _is_text(value: Node) -> TypeGuard[str]:
    return isinstance(value, str) and value != ""
