"""Generate the source of models from a view, with datamodel-code-generator."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from counterfoil.contract.values import items, members
from counterfoil.schema.relocation import relocated

# What generated code imports from, as the generator is told and as it stands in the layout.
SUPPORT = "counterfoil_json_schema"
_SUPPORT = "...json_schema"
# The bases of classes, by whether rules are left over.
PLAIN, RULED = f"{SUPPORT}.SchemaModel", f"{SUPPORT}.RuledModel"
# Where the view puts the rules of a class; the generator copies it into the configuration.
RULES = "x-rules"
_IMPORT = re.compile(rf"^from {SUPPORT} import", re.MULTILINE)
# The generator leaves three lines before a type that is no class.
_GAP = re.compile(r"\n{4,}(?=\w+ = TypeAliasType\()")
_ESCAPED = "backslashreplace"
# The one line of a class that the generator writes with ``repr``, which spells a character or
# shows it by the Unicode tables of the interpreter.
_RULES_LINE = re.compile(r"^ +json_schema_extra=\{.*$", re.MULTILINE)

# The options by name, as plain values: they are a part of the cache's key. Those that set a
# default are here so that a new default of the generator changes nothing.
OPTIONS: dict[str, Any] = {
    # No remote or dangling reference, whatever the schema says.
    "allow_remote_refs": False,
    "strict_refs": True,
    # Our header instead of a time and the generator's version.
    "custom_file_header": " ",
    "disable_timestamp": True,
    # Types that say no more and no less than JSON Schema does: see json_schema.py.
    "strict_types": ["str", "int", "float", "bool"],
    "import_overrides": {"StrictFloat": SUPPORT, "StrictInt": SUPPORT},
    "use_annotated": True,
    # Missing, null and a default are three things.
    "strict_nullable": True,
    "use_missing_sentinel": True,
    # A constant is a Literal, which needs no import to write and no attribute to read.
    "enum_field_as_literal": "all",
    # A name for a constrained item wraps nothing.
    "use_type_alias": True,
    # A dotted name is a class in a module.
    "treat_dot_as_module": True,
    "model_extra_keys": [RULES],
    "use_field_description": True,
    "use_schema_description": True,
    # No formatter: a field stays on one line, whatever its constraints, so that a change of one
    # is a change of one line; and a formatter would take a fourth of the time.
    "formatters": [],
    "input_file_type": "jsonschema",
    "output_model_type": "pydantic_v2.BaseModel",
    "schema_version": "2020-12",
    "target_pydantic_version": "2.14",
    "target_python_version": "3.11",
}


def generate(views: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    """Return the source of one module of models for each view.

    A run of the generator costs as much as half a schema, so several share one. Each is a module
    of its own in it, and comes out as it would alone.

    Args:
        views: names of root classes, and documents as
            :func:`counterfoil.targets.models.view.view` makes them.

    Raises:
        Exception: whatever the generator raises; one view may spoil the run for all.
    """
    # Imported here: a run whose models are all in the cache does not need it.
    from datamodel_code_generator import generate as run

    defs: dict[str, Any] = {}
    for number, (name, view) in enumerate(views):
        defs |= _module(f"m{number}", name, view)
    # Dotted names make modules, which come by path.
    document = json.dumps({"$defs": defs})
    names = dict(sorted({each: _spelled(each) for each in _unsettled(defs)}.items()))
    made = cast("Mapping[tuple[str, ...], str]", run(document, aliases=names, **OPTIONS))
    return [_placed(made[(f"m{number}.py",)]) for number in range(len(views))]


def begin() -> None:
    """Import the generator and run it once, so that the next run is a quick one."""
    view: dict[str, Any] = {"type": "object", "title": "Begin", "$defs": {}}
    generate([("Begin", view)])


def _module(module: str, name: str, view: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of a view under the names of a module's classes."""

    def moved(reference: str) -> str:
        return f"#/$defs/{module}.{name if reference == '#' else reference[len('#/$defs/') :]}"

    root = {key: value for key, value in view.items() if key != "$defs"}
    schemas = {**view["$defs"], name: root}
    return {f"{module}.{key}": relocated(schema, moved) for key, schema in schemas.items()}


def _unsettled(schema: Any) -> Iterator[str]:
    """Yield names of members that are names in Python or not by the version of its tables.

    A character of Unicode 3.2, whose tables every Python has, stays what it is.
    """
    for each in items(schema):
        yield from _unsettled(each)
    for key, each in members(schema).items():
        for name in members(each) if key == "properties" else ():
            if any(unicodedata.ucd_3_2_0.category(letter) == "Cn" for letter in name):
                yield name
        yield from _unsettled(each)


def _spelled(name: str) -> str:
    """Return a name of ASCII; the generator refuses one that another member has."""
    parts = (each if each.isascii() and each.isalnum() else f"_u{ord(each):x}" for each in name)
    return f"member_{''.join(parts).lstrip('_')}"


def _placed(code: str) -> str:
    """Return generated code that imports from where things are in the layout."""
    placed = _IMPORT.sub(f"from {_SUPPORT} import", code, count=1)
    placed = _RULES_LINE.sub(lambda line: line[0].encode("ascii", _ESCAPED).decode(), placed)
    return _GAP.sub("\n\n\n", placed).strip() + "\n"


def defines(code: str, name: str) -> bool:
    """Say whether generated code defines a name."""
    return f"\nclass {name}(" in code or f"\n{name} = TypeAliasType(" in code
